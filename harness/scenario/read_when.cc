// SPDX-License-Identifier: Apache-2.0
// Conditions on the client, its profile and the variant: `when` and `needs`.
#include "harness/scenario/expression.h"
#include "harness/scenario/read_parts.h"

#include <algorithm>

namespace ktrial::harness {

namespace {

std::vector<std::string> axis_names(Reader& reader) {
  std::vector<std::string> out;
  for (const std::string& name : reader.scope().names())
    if (reader.scope().axis(name) != nullptr) out.push_back(name);
  return out;
}

std::string join(const std::vector<std::string>& parts, std::string_view between) {
  std::string out;
  for (const std::string& part : parts) {
    if (!out.empty()) out += between;
    out += part;
  }
  return out;
}

// when: {profile: {connect: eager, idle.closes: [client, both]}}
std::optional<std::string> profile_condition(Reader& reader, const Node& node) {
  if (!node.is_map()) {
    reader.error(node.at, "profile is a map of values: {profile: {connect: eager}}");
    return std::nullopt;
  }
  for (const NodeEntry& entry : node.entries) {
    const auto wanted = reader.texts(entry.value);
    const Value actual = reader.scope().profile(entry.key);
    if (std::holds_alternative<Unknown>(actual)) continue;
    if (std::holds_alternative<Missing>(actual))
      return "the client's profile does not say " + entry.key;
    const std::string text = to_text(actual);
    if (std::find(wanted.begin(), wanted.end(), text) == wanted.end())
      return "profile " + entry.key + " is " + text + ", not " + join(wanted, " or ");
  }
  return std::nullopt;
}

std::optional<std::string> client_condition(Reader& reader, const Node& node,
                                            const CaseContext& context) {
  bool any = false;
  for (const std::string& text : reader.texts(node)) {
    const auto match = ClientMatch::parse(text);
    if (!match) {
      reader.error(node.at, match.error().message);
      continue;
    }
    any = any || match->matches(context.client, context.version);
  }
  if (context.client.empty() || any) return std::nullopt;
  return "client is " + context.client + " " + context.version + ", not " +
         join(reader.texts(node), " or ");
}

std::optional<std::string> expression_condition(Reader& reader, const Node& node) {
  auto result = has_expression(node.text) ? interpolate(node.text, reader.scope())
                                          : evaluate(node.text, reader.scope());
  if (!result) {
    Position at = node.at;
    at.column += static_cast<int>(result.error().offset);
    reader.error(at, result.error().message);
    return std::nullopt;
  }
  if (const auto* missing = std::get_if<Missing>(&*result))
    return "the client's profile does not say " +
           missing->name.substr(std::string("profile.").size());
  if (!is_known(*result)) return std::nullopt;
  const auto* truth = std::get_if<bool>(&*result);
  if (truth == nullptr) {
    reader.error(node.at, "a condition is true or false, this is " + std::string(kind_of(*result)));
    return std::nullopt;
  }
  return *truth ? std::nullopt : std::optional<std::string>("not so: " + node.text);
}

}  // namespace

std::optional<std::string> read_when(Reader& reader, const Node& node, const CaseContext& context,
                                     const std::vector<ClientPart>& clients) {
  if (node.is_scalar()) return expression_condition(reader, node);
  MapReader map(reader, node, "when");
  std::optional<std::string> refused;
  const auto also = [&](std::optional<std::string> reason) {
    if (!refused) refused = std::move(reason);
  };
  if (const Node* profile = map.take("profile")) also(profile_condition(reader, *profile));
  if (const Node* client = map.take("client")) also(client_condition(reader, *client, context));
  if (const Node* role = map.take("role")) {
    const auto wanted = reader.texts(*role);
    const std::string actual = clients.empty() ? "" : clients.front().role;
    if (std::find(wanted.begin(), wanted.end(), actual) == wanted.end())
      also("role is " + actual + ", not " + join(wanted, " or "));
  }
  if (const Node* expression = map.take("expr")) also(expression_condition(reader, *expression));
  for (const std::string& axis : axis_names(reader)) {
    const Node* node_of_axis = map.take(axis);
    if (node_of_axis == nullptr) continue;
    std::vector<std::string> wanted;
    const auto& values = *reader.scope().axis(axis);
    for (const std::string& text : reader.texts(*node_of_axis)) {
      if (std::find(values.begin(), values.end(), text) == values.end())
        reader.error(node_of_axis->at,
                     "axis '" + axis + "' has no value '" + text + "'" + hint(text, values));
      wanted.push_back(text);
    }
    const std::string actual = to_text(*reader.scope().find(axis));
    if (std::find(wanted.begin(), wanted.end(), actual) == wanted.end())
      also(axis + " is " + actual + ", not " + join(wanted, " or "));
  }
  map.finish();
  return refused;
}

Axes read_axes(Reader& reader, const std::string& text, const Position& at) {
  Axes out;
  std::size_t begin = 0;
  while (begin <= text.size()) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string part = text.substr(begin, end - begin);
    begin = end + 1;
    const std::size_t equals = part.find('=');
    const std::string axis = part.substr(0, equals);
    const auto* values = reader.scope().axis(axis);
    if (equals == std::string::npos || values == nullptr) {
      reader.error(
          at, "'" + part + "' is not axis=value of the matrix" + hint(axis, axis_names(reader)));
      continue;
    }
    const std::string value = part.substr(equals + 1);
    if (std::find(values->begin(), values->end(), value) == values->end())
      reader.error(at, "axis '" + axis + "' has no value '" + value + "'" + hint(value, *values));
    out[axis] = value;
  }
  return out;
}

bool covers(const Axes& filter, const Axes& axes) {
  return std::all_of(filter.begin(), filter.end(), [&](const auto& pair) {
    const auto found = axes.find(pair.first);
    return found != axes.end() && found->second == pair.second;
  });
}

std::vector<std::string> read_needs(Reader& reader, const Node& node, const Axes& axes) {
  if (!node.is_map()) return reader.texts(node);
  std::vector<std::string> out;
  for (const NodeEntry& entry : node.entries) {
    if (!covers(read_axes(reader, entry.key, entry.at), axes)) continue;
    for (std::string& need : reader.texts(entry.value)) out.push_back(std::move(need));
  }
  return out;
}

}  // namespace ktrial::harness
