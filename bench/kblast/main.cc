// SPDX-License-Identifier: Apache-2.0
// kblast: a client that costs next to nothing, to measure brokers with. Prints one JSON object.
#include "bench/kblast/crowd.h"
#include "bench/kblast/kafka_socket.h"
#include "bench/kblast/produce_frames.h"
#include "bench/kblast/replay.h"
#include "protocol/messages/metadata_request.h"

#include <CLI/CLI.hpp>
#include <fmt/core.h>

#include <sys/resource.h>

#include <cstdio>
#include <string>
#include <vector>

namespace ktrial::bench {
namespace {

double seconds(std::chrono::nanoseconds time) {
  return std::chrono::duration<double>(time).count();
}

// Every descriptor that may be had: a crowd needs them.
void lift_descriptor_limit() {
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

Result<void> run_replay(KafkaSocket& broker, ReplayPlan plan, std::uint64_t requests,
                        double longest) {
  plan.requests = requests;
  plan.longest = std::chrono::nanoseconds(static_cast<std::int64_t>(longest * 1e9));
  const auto result = replay(broker.fd(), std::move(plan));
  if (!result) return tl::unexpected(result.error());
  fmt::print("{{\"requests\":{},\"seconds\":{:.6f},\"bytes_sent\":{},\"bytes_received\":{}}}\n",
             result->requests, seconds(result->took), result->bytes_sent, result->bytes_received);
  return {};
}

struct Options {
  std::string bootstrap;
  std::uint64_t requests = UINT64_MAX;
  double longest = 2;
  ProduceLoad load;
  std::size_t connections = 1000;
  std::size_t brokers = 1;
  bool greeting = false;
  double patience = 60;
};

Result<void> produce(const Options& options) {
  const auto bootstrap = Endpoint::parse(options.bootstrap);
  if (!bootstrap) return tl::unexpected(bootstrap.error());
  const auto leader = leader_of(*bootstrap, options.load);
  if (!leader) return tl::unexpected(leader.error());
  auto broker = KafkaSocket::connect(*leader);
  if (!broker) return tl::unexpected(broker.error());
  auto plan = produce_plan(*broker, options.load);
  if (!plan) return tl::unexpected(plan.error());
  return run_replay(*broker, std::move(*plan), options.requests, options.longest);
}

Result<void> metadata(const Options& options) {
  constexpr std::int16_t kVersion = 9;
  const auto bootstrap = Endpoint::parse(options.bootstrap);
  if (!bootstrap) return tl::unexpected(bootstrap.error());
  auto broker = KafkaSocket::connect(*bootstrap);
  if (!broker) return tl::unexpected(broker.error());
  protocol::MetadataRequest request;
  request.topics = std::nullopt;  // all of them
  ReplayPlan plan;
  plan.window = options.load.window;
  plan.frames = {frame_of(request, kVersion)};
  std::size_t size = 0;
  plan.check = [&size](std::uint64_t n, std::span<const std::uint8_t> answer) -> Result<void> {
    if (n == 0) size = answer.size();
    if (answer.size() != size) return fail(Errc::kMalformed, "answers of different sizes");
    return {};
  };
  return run_replay(*broker, std::move(plan), options.requests, options.longest);
}

// Opens connections, says how long it took, and holds them until its input ends.
Result<void> crowd(const Options& options) {
  lift_descriptor_limit();
  const auto first = Endpoint::parse(options.bootstrap);
  if (!first) return tl::unexpected(first.error());
  std::vector<Endpoint> brokers;
  for (std::size_t i = 0; i < options.brokers; ++i)
    brokers.push_back({first->host, static_cast<std::uint16_t>(first->port + i)});
  const auto opened =
      Crowd::open(brokers, options.connections, options.greeting,
                  std::chrono::nanoseconds(static_cast<std::int64_t>(options.patience * 1e9)));
  if (!opened) return tl::unexpected(opened.error());
  fmt::print("{{\"connections\":{},\"seconds\":{:.6f}}}\n", options.connections,
             seconds(opened->took()));
  std::fflush(stdout);
  while (std::getchar() != EOF) {
  }
  return {};
}

}  // namespace
}  // namespace ktrial::bench

int main(int argc, char** argv) {
  using namespace ktrial::bench;
  Options options;
  CLI::App app("a client that costs next to nothing, to measure brokers with");
  app.require_subcommand(1);
  app.add_option("--bootstrap", options.bootstrap, "ADDRESS:PORT")->required();
  CLI::App* const producing = app.add_subcommand("produce", "replay batches made beforehand");
  CLI::App* const asking = app.add_subcommand("metadata", "ask for the metadata of all topics");
  for (CLI::App* const one : {producing, asking}) {
    one->add_option("--requests", options.requests);
    one->add_option("--seconds", options.longest);
    one->add_option("--window", options.load.window, "requests on their way at a time");
  }
  producing->add_option("--topic", options.load.topic);
  producing->add_option("--partitions", options.load.partitions, "taken in turn");
  producing->add_option("--records", options.load.records, "per batch");
  producing->add_option("--record-bytes", options.load.record_bytes);
  producing->add_flag("--idempotent", options.load.idempotent);
  CLI::App* const crowding =
      app.add_subcommand("crowd", "open connections and hold them until the input ends");
  crowding->add_option("--connections", options.connections);
  crowding->add_option("--brokers", options.brokers, "on ports one after the other");
  crowding->add_flag("--greeting", options.greeting,
                     "each sends ApiVersions and waits for the answer");
  crowding->add_option("--patience", options.patience, "seconds");
  CLI11_PARSE(app, argc, argv);

  const auto done = producing->parsed() ? produce(options)
                    : asking->parsed()  ? metadata(options)
                                        : crowd(options);
  if (done) return 0;
  fmt::print(stderr, "kblast: {}\n", done.error().to_string());
  return 1;
}
