// SPDX-License-Identifier: Apache-2.0
// Matchers: tests of one field's value. A path that runs through a list yields all its values
// (spread): then each must match, except for contains (any) and size (how many).
#pragma once

#include <boost/json.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ktrial::harness {

class Reader;
struct Node;

struct FieldValue {
  bool found = false;
  bool spread = false;  // `value` is a list of what the path met in lists
  boost::json::value value;
};

// `path` is dotted; members whose names have dots are found too; numbers index lists.
FieldValue look_up(const boost::json::object& root, std::string_view path);

struct Test {
  // eq ne in min max re contains contains_or_all size_eq size_min size_max absent
  std::string operation;
  boost::json::value operand;
};

class Matcher {
 public:
  // `node` is a value (eq) or a map of tests, all of which must hold.
  static Matcher read(Reader& reader, const Node& node);

  [[nodiscard]] bool matches(const FieldValue& field) const;
  [[nodiscard]] std::string text() const;  // "= 3", ">= 1 and contains t"
  // Across all selected: no value twice.
  [[nodiscard]] bool distinct() const { return distinct_; }
  // "equals: leader(t, partition)": judged by what the cluster is, see value.cc.
  [[nodiscard]] const std::string& function() const { return function_; }

 private:
  std::vector<Test> tests_;
  bool distinct_ = false;
  std::string function_;
};

// A value in one line, cut where it is long.
std::string shown(const boost::json::value& value, std::size_t longest = 120);

}  // namespace ktrial::harness
