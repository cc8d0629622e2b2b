// SPDX-License-Identifier: Apache-2.0
// LedgerBook: where the cluster writes its ledger. Keeps a bounded number of entries.
#pragma once

#include "fakebroker/ledger.h"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <utility>
#include <vector>

namespace ktrial::fakebroker {

class LedgerBook {
 public:
  explicit LedgerBook(std::size_t limit) : limit_(limit) {}

  // Whether anyone will ever see an entry: if not, spare its making.
  [[nodiscard]] bool wanted() const { return limit_ > 0 || !observers_.empty(); }
  void add(LedgerEntry entry) {
    entry.number = ++last_number_;
    for (const auto& observer : observers_) observer(entry);
    if (limit_ == 0) return;
    if (entries_.size() == limit_) entries_.pop_front();
    entries_.push_back(std::move(entry));
  }
  void observe(std::function<void(const LedgerEntry&)> observer) {
    observers_.push_back(std::move(observer));
  }
  [[nodiscard]] std::vector<LedgerEntry> entries_after(std::uint64_t number,
                                                       std::size_t limit) const {
    const auto first = std::ranges::upper_bound(entries_, number, {}, &LedgerEntry::number);
    const auto left = static_cast<std::size_t>(entries_.end() - first);
    return {first, first + static_cast<std::ptrdiff_t>(std::min(limit, left))};
  }

 private:
  std::size_t limit_;
  std::uint64_t last_number_ = 0;
  std::deque<LedgerEntry> entries_;
  std::vector<std::function<void(const LedgerEntry&)>> observers_;
};

}  // namespace ktrial::fakebroker
