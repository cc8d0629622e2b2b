// SPDX-License-Identifier: Apache-2.0
#include "harness/scenario/reader.h"

#include "harness/scenario/expression.h"

#include <algorithm>
#include <cmath>

namespace ktrial::harness {

namespace {

constexpr std::string_view kProfile = "profile.";

tl::expected<Value, ExpressionError> evaluate_node(const Node& node, const Scope& scope) {
  // A profile value may be named without ${}: nothing else looks like it.
  if (node.text.starts_with(kProfile)) return evaluate(node.text, scope);
  return interpolate(node.text, scope);
}

}  // namespace

std::optional<Value> Reader::value(const Node& node) {
  if (!node.is_scalar()) {
    error(node.at, "one value was expected, not " + node.describe());
    return std::nullopt;
  }
  auto result = evaluate_node(node, scope_);
  if (!result) {
    Position at = node.at;
    // Right for text on one line; quotes move it by one.
    at.column += static_cast<int>(result.error().offset);
    error(at, result.error().message);
    return std::nullopt;
  }
  if (const auto* missing = std::get_if<Missing>(&*result)) {
    if (!missing_) missing_ = missing->name;
    return std::nullopt;
  }
  if (!is_known(*result)) return std::nullopt;
  return std::move(*result);
}

std::optional<Value> Reader::fail_type(const Node& node, std::string_view wanted) {
  error(node.at, std::string(wanted) + " was expected, not " + node.describe());
  return std::nullopt;
}

std::optional<std::int64_t> Reader::integer(const Node& node, std::int64_t least,
                                            std::int64_t most) {
  const auto found = value(node);
  if (!found) return std::nullopt;
  const auto* integer = std::get_if<std::int64_t>(&*found);
  if (integer == nullptr) {
    fail_type(node, "an integer");
    return std::nullopt;
  }
  if (*integer < least || *integer > most) {
    error(node.at, "an integer from " + std::to_string(least) + " to " + std::to_string(most) +
                       " was expected, not " + std::to_string(*integer));
    return std::nullopt;
  }
  return *integer;
}

std::optional<double> Reader::number(const Node& node) {
  const auto found = value(node);
  if (!found) return std::nullopt;
  if (const auto* integer = std::get_if<std::int64_t>(&*found))
    return static_cast<double>(*integer);
  if (const auto* number = std::get_if<double>(&*found)) return *number;
  if (const auto* duration = std::get_if<Nanos>(&*found))
    return static_cast<double>(duration->count()) / 1e6;
  fail_type(node, "a number");
  return std::nullopt;
}

std::optional<Nanos> Reader::duration(const Node& node) {
  const auto real = real_duration(node);
  if (!real || acceleration == 1) return real;
  return Nanos(std::llround(static_cast<double>(real->count()) / acceleration));
}

std::optional<Nanos> Reader::real_duration(const Node& node) {
  const auto found = value(node);
  if (!found) return std::nullopt;
  if (const auto* duration = std::get_if<Nanos>(&*found)) return *duration;
  constexpr double kLongestMs = 1e12;
  if (const auto* ms = std::get_if<std::int64_t>(&*found))
    if (std::abs(static_cast<double>(*ms)) < kLongestMs) return Nanos(*ms * 1'000'000);
  if (const auto* ms = std::get_if<double>(&*found))
    if (std::abs(*ms) < kLongestMs) return Nanos(std::llround(*ms * 1e6));
  fail_type(node, "a duration (3s, 250ms, 5min)");
  return std::nullopt;
}

std::optional<bool> Reader::boolean(const Node& node) {
  const auto found = value(node);
  if (!found) return std::nullopt;
  if (const auto* truth = std::get_if<bool>(&*found)) return *truth;
  fail_type(node, "true or false");
  return std::nullopt;
}

std::optional<std::string> Reader::text(const Node& node) {
  if (node.is_scalar() && !has_expression(node.text) && !node.text.starts_with(kProfile))
    return node.text;
  const auto found = value(node);
  if (!found) return std::nullopt;
  return to_text(*found);
}

std::optional<std::string> Reader::word(const Node& node, const std::vector<std::string>& known,
                                        std::string_view what) {
  auto found = text(node);
  if (!found) return std::nullopt;
  if (std::find(known.begin(), known.end(), *found) != known.end()) return found;
  error(node.at, "unknown " + std::string(what) + " '" + *found + "'" + hint(*found, known));
  return std::nullopt;
}

std::vector<std::string> Reader::texts(const Node& node) {
  std::vector<std::string> out;
  if (!node.is_list()) {
    if (auto one = text(node)) out.push_back(std::move(*one));
    return out;
  }
  for (const Node& item : node.items)
    if (auto one = text(item)) out.push_back(std::move(*one));
  return out;
}

std::vector<int> Reader::integers(const Node& node, std::int64_t least, std::int64_t most) {
  std::vector<int> out;
  if (!node.is_list()) {
    if (const auto one = integer(node, least, most)) out.push_back(static_cast<int>(*one));
    return out;
  }
  for (const Node& item : node.items)
    if (const auto one = integer(item, least, most)) out.push_back(static_cast<int>(*one));
  return out;
}

boost::json::value Reader::json(const Node& node) {
  switch (node.kind) {
    case Node::Kind::kNull:
      return nullptr;
    case Node::Kind::kScalar: {
      if (node.quoted && node.text.find("${") == std::string::npos) return node.text.c_str();
      const auto found = value(node);
      return found ? to_json(*found) : boost::json::value(nullptr);
    }
    case Node::Kind::kList: {
      boost::json::array out;
      for (const Node& item : node.items) out.push_back(json(item));
      return out;
    }
    case Node::Kind::kMap: {
      boost::json::object out;
      for (const NodeEntry& entry : node.entries) out[entry.key] = json(entry.value);
      return out;
    }
  }
  return nullptr;
}

std::optional<std::string> Reader::take_missing() {
  auto out = std::move(missing_);
  missing_.reset();
  return out;
}

MapReader::MapReader(Reader& reader, const Node& node, std::string what)
    : reader_(reader), node_(node), what_(std::move(what)) {
  if (!node.is_map()) reader_.error(node.at, what_ + " must be a map, not " + node.describe());
}

const Node* MapReader::take(std::string_view key) {
  asked_.emplace_back(key);
  const Node* found = node_.find(key);
  return found == nullptr || found->is_null() ? nullptr : found;
}

const Node* MapReader::require(std::string_view key) {
  const Node* found = take(key);
  if (found == nullptr && node_.is_map())
    reader_.error(node_.at, what_ + " needs '" + std::string(key) + "'");
  return found;
}

void MapReader::finish() {
  for (const NodeEntry& entry : node_.entries) {
    if (std::find(asked_.begin(), asked_.end(), entry.key) != asked_.end()) continue;
    reader_.error(entry.at, what_ + " has no '" + entry.key + "'" + hint(entry.key, asked_));
  }
}

}  // namespace ktrial::harness
