// SPDX-License-Identifier: Apache-2.0
// OpenTransactions: which transactions a partition's log has records of: those that are open hold
// back the last stable offset, those that were aborted are told to read_committed consumers
// (KIP-98).
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace ktrial::fakebroker {

class OpenTransactions {
 public:
  struct Aborted {
    std::int64_t producer_id = -1;
    std::int64_t first_offset = -1;
    std::int64_t marker_offset = -1;
    bool operator==(const Aborted&) const = default;
  };

  // A transaction that has been ended keeps its epoch until the marker comes: what is sent with the
  // next one is not part of it (KIP-890).
  [[nodiscard]] bool has(std::int64_t producer_id, std::int16_t epoch) const {
    const auto found = open_.find(producer_id);
    return found != open_.end() && found->second.epoch == epoch;
  }
  [[nodiscard]] std::optional<std::int64_t> first_offset(std::int64_t producer_id) const {
    const auto found = open_.find(producer_id);
    return found == open_.end() ? std::nullopt : std::optional(found->second.first_offset);
  }
  void appended(std::int64_t producer_id, std::int16_t epoch, std::int64_t base_offset) {
    open_.try_emplace(producer_id, Open{epoch, base_offset});
  }
  // A marker that ends nothing is no fault: Kafka writes one to each partition that was added.
  void ended(std::int64_t producer_id, bool committed, std::int64_t marker_offset) {
    const auto found = open_.find(producer_id);
    if (found == open_.end()) return;
    if (!committed) aborted_.push_back({producer_id, found->second.first_offset, marker_offset});
    open_.erase(found);
  }
  // What is before it is decided.
  [[nodiscard]] std::int64_t last_stable_offset(std::int64_t high_watermark) const {
    std::int64_t stable = high_watermark;
    for (const auto& [producer, one] : open_) stable = std::min(stable, one.first_offset);
    return stable;
  }
  // Those with records in [from, to), by first offset.
  [[nodiscard]] std::vector<Aborted> aborted_between(std::int64_t from, std::int64_t to) const {
    std::vector<Aborted> found;
    for (const Aborted& one : aborted_) {
      if (one.marker_offset >= from && one.first_offset < to) found.push_back(one);
    }
    std::ranges::sort(found, {}, &Aborted::first_offset);
    return found;
  }
  // Those that end below the log's start are of no use.
  void forget_before(std::int64_t start_offset) {
    std::erase_if(aborted_, [&](const Aborted& one) { return one.marker_offset < start_offset; });
  }

 private:
  struct Open {
    std::int16_t epoch;
    std::int64_t first_offset;
  };
  std::map<std::int64_t, Open> open_;  // by producer id
  std::vector<Aborted> aborted_;
};

}  // namespace ktrial::fakebroker
