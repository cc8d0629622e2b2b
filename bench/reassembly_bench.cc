// SPDX-License-Identifier: Apache-2.0
// The analyser's pace: packets of small exchanges and of bulk, from link layer to event log.
#include "capture/analyzer.h"
#include "capture/synth.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <utility>

namespace ktrial::capture {
namespace {

using synth::Bytes;

constexpr int kExchanges = 5000;
constexpr std::int16_t kProduce = 0, kVersion = 7;

// Produce v7 with one partition whose records are `size` bytes.
Bytes produce_body(std::size_t size) {
  Bytes body{0xff, 0xff, 0, 1, 0, 0, 0x75, 0x30, 0, 0, 0, 1, 0, 1, 't', 0, 0, 0, 1, 0, 0, 0, 0};
  for (int shift = 24; shift >= 0; shift -= 8)
    body.push_back(static_cast<std::uint8_t>(size >> static_cast<unsigned>(shift)));
  body.resize(body.size() + size, 0);
  return body;
}

Bytes produce_answer() {
  Bytes body{0, 0, 0, 1, 0, 1, 't', 0, 0, 0, 1, 0, 0, 0, 0, 0, 0};
  body.resize(body.size() + 8 + 8 + 8 + 4, 0);
  return body;
}

synth::Capture exchanges(std::size_t record_bytes, std::size_t segment) {
  synth::Capture capture;
  synth::Tcp tcp(capture, Endpoint::v4(0x7f000001, 40000), Endpoint::v4(0x7f010001, 9092));
  tcp.handshake();
  const Bytes body = produce_body(record_bytes);
  const Bytes answer = produce_answer();
  for (int i = 0; i < kExchanges; ++i) {
    const Bytes frame = synth::request(kProduce, kVersion, i, "rdkafka", body);
    for (std::size_t at = 0; at < frame.size(); at += segment) {
      const auto begin = frame.begin() + static_cast<std::ptrdiff_t>(at);
      const auto end =
          frame.begin() + static_cast<std::ptrdiff_t>(std::min(frame.size(), at + segment));
      tcp.send(Side::kClient, Bytes(begin, end));
    }
    tcp.send(Side::kBroker, synth::response(i, answer));
  }
  return capture;
}

void run(benchmark::State& state, const synth::Capture& capture, bool decode, bool keep) {
  std::uint64_t events = 0;
  std::uint64_t bytes = 0;
  for (auto _ : state) {
    AnalyzerOptions options;
    options.decode_bodies = decode;
    options.keep_events = keep;
    Analyzer analyzer(std::move(options));
    std::uint64_t number = 0;
    for (const auto& packet : capture.packets()) {
      analyzer.packet(packet.view(), ++number);
      bytes += packet.bytes.size();
    }
    analyzer.finish();
    events = analyzer.event_count();
  }
  const double packets =
      static_cast<double>(capture.packets().size()) * static_cast<double>(state.iterations());
  state.counters["packets/s"] = benchmark::Counter(packets, benchmark::Counter::kIsRate);
  state.counters["events"] = static_cast<double>(events);
  state.SetBytesProcessed(static_cast<std::int64_t>(bytes));
}

void BM_SmallExchanges(benchmark::State& state) {
  run(state, exchanges(100, 65483), state.range(0) != 0, state.range(1) != 0);
}
BENCHMARK(BM_SmallExchanges)
    ->ArgNames({"decode", "keep"})
    ->Args({0, 0})
    ->Args({0, 1})
    ->Args({1, 1})
    ->Unit(benchmark::kMillisecond);

void BM_Bulk(benchmark::State& state) {
  run(state, exchanges(64000, 32768), state.range(0) != 0, true);
}
BENCHMARK(BM_Bulk)->ArgName("decode")->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace ktrial::capture

BENCHMARK_MAIN();
