// SPDX-License-Identifier: Apache-2.0
// ClientMatch: "java", "java >=2.3 <3.0", "java@4.4.0-consumer", "!kafkajs": which clients a
// condition or an expectation is about.
#pragma once

#include "common/result.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ktrial::harness {

// Numbers between dots are compared as numbers; what follows the first '-' or '+' is ignored.
int compare_versions(std::string_view a, std::string_view b);

class ClientMatch {
 public:
  static Result<ClientMatch> parse(std::string_view text);
  [[nodiscard]] bool matches(std::string_view client, std::string_view version) const;
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  struct Bound {
    std::string operation;  // ">=", "<", ...
    std::string version;
  };
  std::string text_;
  bool negated_ = false;
  std::string name_;                  // "*": any
  std::optional<std::string> exact_;  // after '@'
  std::vector<Bound> bounds_;
};

}  // namespace ktrial::harness
