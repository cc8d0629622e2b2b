// SPDX-License-Identifier: Apache-2.0
// Compares two answers field by field. What may differ is a list of rules (allowed.yaml), each with
// its reason.
#pragma once

#include "common/result.h"

#include <boost/json.hpp>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace ktrial::fakebroker::differential {

struct Rule {
  enum class How : std::uint8_t {
    kAny,      // whatever it says
    kSign,     // both negative, both zero, or both positive
    kRenamed,  // one value stands for the other, throughout a conversation
    kSet,      // an array without an order; `by` names what tells elements apart
    kText,     // for people: both there or neither; whether the words agree is counted apart
    kOpen,     // differs, and should not: counted as different, but expected
  };
  std::string field;  // "port", or with what is before it: "Metadata.brokers.port"
  How how = How::kAny;
  std::string by;
  std::string why;
  std::string only;  // the conversation that it is for, "nodes-": those that begin so; empty: all
};

Result<std::vector<Rule>> parse_rules(const boost::json::value& from);

struct Difference {
  std::string path = {};  // "Fetch.responses[0].partitions[0].errorCode"
  std::string real = {}, fake = {};
  bool open = false;     // expected, by a rule of that kind
  std::string why = {};  // of that rule
};

struct Compared {
  std::uint64_t fields = 0;
  std::uint64_t allowed = 0;  // fields that differ as a rule allows
  std::uint64_t texts = 0;
  std::uint64_t equal_texts = 0;
  std::vector<Difference> differences;
};

// Which value of one broker stands for which of the other, during one conversation.
struct Names {
  std::map<std::string, std::string> fake_of_real, real_of_fake;
  std::string conversation = {};
};

class Comparison {
 public:
  explicit Comparison(std::vector<Rule> rules) : rules_(std::move(rules)) {}

  // `api` starts every path.
  [[nodiscard]] Compared compare(const std::string& api, const boost::json::value& real,
                                 const boost::json::value& fake, Names& names) const;

 private:
  class Walk;
  [[nodiscard]] const Rule* rule_for(std::string_view plain_path,
                                     std::string_view conversation) const;
  std::vector<Rule> rules_;
};

}  // namespace ktrial::fakebroker::differential
