// SPDX-License-Identifier: Apache-2.0
// Record batches: the checksum in GB/s, and the cost of a record when a batch is built or read.
#include "common/crc32c.h"
#include "common/rng.h"
#include "protocol/record_batch_builder.h"
#include "protocol/record_reader.h"

#include <benchmark/benchmark.h>

#include <string>
#include <vector>

namespace ktrial::protocol {
namespace {

constexpr int kRecords = 1000;

std::vector<std::uint8_t> random_bytes(std::size_t size) {
  Rng rng(1, "bench");
  std::vector<std::uint8_t> bytes(size);
  for (auto& byte : bytes) byte = static_cast<std::uint8_t>(rng());
  return bytes;
}

template <std::uint32_t (*kCrc)(std::span<const std::uint8_t>, std::uint32_t)>
void checksum(benchmark::State& state) {
  const auto bytes = random_bytes(static_cast<std::size_t>(state.range(0)));
  for (auto _ : state) benchmark::DoNotOptimize(kCrc(bytes, 0));
  state.SetBytesProcessed(state.iterations() * state.range(0));
}
BENCHMARK(checksum<crc32c>)->Arg(170)->Arg(1'000)->Arg(16'500)->Arg(110'000)->Arg(1'000'000);
BENCHMARK(checksum<detail::crc32c_portable>)->Arg(16'500)->Arg(1'000'000);

std::vector<std::uint8_t> build(Codec codec, ByteView value) {
  RecordBatchBuilder builder({.codec = codec}, kRecords * (value.size() + 20));
  for (int i = 0; i < kRecords; ++i) {
    builder.append(1'700'000'000'000 + i / 10, std::nullopt, value);
  }
  return *builder.finish({1, 0, 0});
}

void report_records(benchmark::State& state) {
  state.SetItemsProcessed(state.iterations() * kRecords);
}

void build_batch(benchmark::State& state) {
  const auto value = random_bytes(static_cast<std::size_t>(state.range(0)));
  for (auto _ : state) benchmark::DoNotOptimize(build(static_cast<Codec>(state.range(1)), value));
  report_records(state);
}
BENCHMARK(build_batch)->ArgNames({"value", "codec"})->ArgsProduct({{100, 1'000}, {0, 2, 3, 4}});

void read_batch(benchmark::State& state) {
  const auto value = random_bytes(static_cast<std::size_t>(state.range(0)));
  const auto batch = *RecordBatch::open(Slice(build(static_cast<Codec>(state.range(1)), value)));
  for (auto _ : state) {
    auto reader = RecordReader::open(batch);
    for (auto record = reader->next(); record->has_value(); record = reader->next()) {
      benchmark::DoNotOptimize((*record)->value->data());
    }
  }
  report_records(state);
}
BENCHMARK(read_batch)->ArgNames({"value", "codec"})->ArgsProduct({{100, 1'000}, {0, 3, 4}});

void read_batch_and_keep(benchmark::State& state) {
  const auto batch = *RecordBatch::open(Slice(build(Codec::kNone, random_bytes(100))));
  for (auto _ : state) {
    auto reader = RecordReader::open(batch);
    for (auto record = reader->next(); record->has_value(); record = reader->next()) {
      benchmark::DoNotOptimize(reader->keep(**record));
    }
  }
  report_records(state);
}
BENCHMARK(read_batch_and_keep);

}  // namespace
}  // namespace ktrial::protocol

BENCHMARK_MAIN();
