// SPDX-License-Identifier: Apache-2.0
// LedgerBook: where the cluster writes its ledger. Keeps a bounded number of entries.
#pragma once

#include "fakebroker/ledger.h"

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
    for (const auto& observer : observers_) observer(entry);
    if (limit_ == 0) return;
    if (entries_.size() == limit_) entries_.pop_front();
    entries_.push_back(std::move(entry));
  }
  void observe(std::function<void(const LedgerEntry&)> observer) {
    observers_.push_back(std::move(observer));
  }
  [[nodiscard]] std::vector<LedgerEntry> entries() const {
    return {entries_.begin(), entries_.end()};
  }

 private:
  std::size_t limit_;
  std::deque<LedgerEntry> entries_;
  std::vector<std::function<void(const LedgerEntry&)>> observers_;
};

}  // namespace ktrial::fakebroker
