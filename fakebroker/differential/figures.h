// SPDX-License-Identifier: Apache-2.0
// What was compared, per API, and what differed.
#pragma once

#include "fakebroker/differential/comparison.h"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace ktrial::fakebroker::differential {

struct ApiFigures {
  std::set<std::int16_t> versions;
  std::set<std::string> conversations;
  std::uint64_t answers = 0;
  std::uint64_t fields = 0;
  std::uint64_t allowed = 0;
  std::uint64_t different = 0;  // with those expected to be
  std::uint64_t texts = 0;
  std::uint64_t equal_texts = 0;

  [[nodiscard]] double equal_percent() const;
  void add(const ApiFigures& of);
};

struct Found {
  std::string where;  // "produce-errors v9 step 3"
  Difference difference;
};

class Figures {
 public:
  struct Answer {
    std::string api;
    std::int16_t version = 0;
    std::string conversation;
    std::string where;
    bool served = true;  // the version is one that both offer
  };
  void add(const Answer& answer, const Compared& compared);
  void add(const Figures& others);

  [[nodiscard]] const std::map<std::string, ApiFigures>& apis() const { return apis_; }
  // Those that no rule explains.
  [[nodiscard]] const std::vector<Found>& unexplained() const { return unexplained_; }
  [[nodiscard]] ApiFigures total() const;
  // A Markdown table with a row per API, and what is expected to differ.
  [[nodiscard]] std::string table() const;

 private:
  std::map<std::string, ApiFigures> apis_;
  std::vector<Found> unexplained_;
  std::map<std::string, std::uint64_t> open_;  // reason -> fields
};

}  // namespace ktrial::fakebroker::differential
