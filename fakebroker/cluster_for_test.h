// SPDX-License-Identifier: Apache-2.0
// A running cluster for end-to-end tests, on ports that the kernel chooses, and conditions on its
// ledger instead of sleeps.
#pragma once

#include "fakebroker/client_for_test.h"
#include "fakebroker/cluster.h"

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace ktrial::fakebroker {

inline ClusterSpec spec_for_test(int brokers = 1) {
  ClusterSpec spec = loopback_cluster(brokers, 0);
  for (BrokerSpec& broker : spec.brokers) broker.host = "127.0.0.1";
  spec.topics.push_back({.name = "t", .partitions = 2});
  return spec;
}

class ClusterForTest {
 public:
  explicit ClusterForTest(ClusterSpec spec = spec_for_test())
      : cluster_(Cluster::start(std::move(spec)).value()) {
    cluster_->on_ledger([this](const LedgerEntry& entry) {
      const std::lock_guard lock(mutex_);
      entries_.push_back(entry);
      changed_.notify_all();
    });
  }
  Cluster* operator->() { return cluster_.get(); }
  BrokerStatus broker(int id = 1) {
    return cluster_->brokers().at(static_cast<std::size_t>(id - 1));
  }

  // The first entry that satisfies; waits for it up to five seconds.
  std::optional<LedgerEntry> wait_for(const std::function<bool(const LedgerEntry&)>& satisfies) {
    std::unique_lock lock(mutex_);
    std::optional<LedgerEntry> found;
    changed_.wait_for(lock, std::chrono::seconds(5), [&] {
      for (const LedgerEntry& entry : entries_) {
        if (satisfies(entry)) {
          found = entry;
          return true;
        }
      }
      return false;
    });
    return found;
  }
  // Why the first connection was closed; empty if it was not.
  std::string close_reason() {
    const auto entry =
        wait_for([](const LedgerEntry& e) { return e.kind == LedgerEntry::Kind::kClose; });
    return entry ? entry->detail : "";
  }
  bool saw_request(std::int16_t api_key) {
    return wait_for([&](const LedgerEntry& e) {
             return e.kind == LedgerEntry::Kind::kRequest && e.api_key == api_key;
           })
        .has_value();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<LedgerEntry> entries_;
  std::unique_ptr<Cluster> cluster_;  // last: its thread calls into the above
};

}  // namespace ktrial::fakebroker
