// SPDX-License-Identifier: Apache-2.0
// A consumer against a fake cluster, and what it has seen and been told: for tests.
#pragma once

#include "clients/reference/consumer.h"
#include "fakebroker/cluster.h"
#include "protocol/errors.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace ktrial::client {

using fakebroker::Cluster;
using fakebroker::Rule;
using protocol::KafkaError;
using SteadyClock = std::chrono::steady_clock;
using Settings = std::map<std::string, std::string>;
using Partitions = std::set<TopicPartition>;

inline constexpr Millis kSlice{50};
inline constexpr std::chrono::seconds kLong{15};

inline std::unique_ptr<Cluster> a_cluster(int partitions) {
  fakebroker::ClusterSpec spec;
  for (int id = 1; id <= 2; ++id) spec.brokers.push_back({.id = id});
  spec.topics.push_back({.name = "t", .partitions = partitions});
  spec.consumer_heartbeat_interval = Millis(100);
  auto cluster = Cluster::start(std::move(spec));
  EXPECT_TRUE(cluster);
  return std::move(*cluster);
}

// A consumer and what it has been told.
struct Member {
  std::unique_ptr<Consumer> consumer = {};
  std::vector<std::pair<RebalanceKind, Partitions>> told = {};
  std::vector<InRecord> records = {};
  std::vector<std::string> errors = {};

  Member(Cluster& cluster, Settings settings) {
    settings.insert({{"bootstrap.servers", cluster.bootstrap_servers()},
                     {"auto.offset.reset", "earliest"},
                     {"fetch.max.wait.ms", "50"},
                     {"retry.backoff.ms", "20"}});
    if (settings["group.protocol"] != "consumer") {
      settings.insert({"heartbeat.interval.ms", "100"});
      settings["group.protocol"] = "classic";
    }
    auto made = Consumer::create(
        settings, [this](RebalanceKind kind, const std::vector<TopicPartition>& partitions) {
          told.emplace_back(kind, Partitions(partitions.begin(), partitions.end()));
        });
    if (!made) throw std::runtime_error(made.error().to_string());
    consumer = std::move(*made);
  }

  void poll() {
    Polled polled = consumer->poll(kSlice);
    for (InRecord& record : polled.records) records.push_back(std::move(record));
    if (polled.error) errors.push_back(polled.error->code);
  }
  [[nodiscard]] std::size_t count(RebalanceKind kind) const {
    return static_cast<std::size_t>(
        std::ranges::count(told, kind, [](const auto& entry) { return entry.first; }));
  }
  [[nodiscard]] Partitions has() { return consumer->assignment(); }
  void close() { consumer->close(std::chrono::seconds(5)); }
};

template <class Condition>
bool poll_until(std::vector<Member*> members, Condition condition) {
  const auto until = SteadyClock::now() + kLong;
  while (!condition()) {
    if (SteadyClock::now() > until) return false;
    for (Member* member : members) member->poll();
  }
  return true;
}

inline Rule answering(const std::string& api, KafkaError error, std::uint32_t times = 1,
                      std::uint32_t skip = 0) {
  return {.id = api,
          .match = {.apis = {api}, .skip = skip, .times = times},
          .action = {.apply = false, .error = code(error)}};
}

}  // namespace ktrial::client
