// SPDX-License-Identifier: Apache-2.0
// YAML as plain data with positions. Only yaml_node.cc sees yaml-cpp (it costs seconds a unit);
// it also bounds what a file may claim: size, depth, number of nodes (aliases included).
#pragma once

#include "common/result.h"
#include "harness/scenario/position.h"

#include <string>
#include <string_view>
#include <vector>

namespace ktrial::harness {

struct NodeEntry;

struct Node {
  enum class Kind { kNull, kScalar, kList, kMap };
  Kind kind = Kind::kNull;
  Position at;
  std::string text;     // of a scalar
  bool quoted = false;  // a scalar that is text, whatever it looks like
  std::vector<Node> items;
  std::vector<NodeEntry> entries;  // in the file's order; keys are unique

  [[nodiscard]] bool is_scalar() const { return kind == Kind::kScalar; }
  [[nodiscard]] bool is_list() const { return kind == Kind::kList; }
  [[nodiscard]] bool is_map() const { return kind == Kind::kMap; }
  [[nodiscard]] bool is_null() const { return kind == Kind::kNull; }
  // nullptr if this is no map or has no such key.
  [[nodiscard]] const Node* find(std::string_view key) const;
  // "a map", "a list", "'text'", "nothing": for messages.
  [[nodiscard]] std::string describe() const;
};

struct NodeEntry {
  std::string key;
  Position at;  // of the key
  Node value;
};

// `name` is the file's name in positions.
Result<Node> parse_yaml(std::string_view text, std::string name);
Result<Node> read_yaml(const std::string& path);

}  // namespace ktrial::harness
