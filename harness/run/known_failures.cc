// SPDX-License-Identifier: Apache-2.0
#include "harness/run/known_failures.h"

#include "harness/scenario/reader.h"

#include <fnmatch.h>

#include <algorithm>

namespace ktrial::harness {
namespace {

std::string text(const boost::json::object& line, std::string_view member) {
  const auto* const value = line.if_contains(member);
  return value != nullptr && value->is_string() ? std::string(value->get_string()) : "";
}

// "/axis=value,axis=value" as reports have it.
std::string suffix_of(const boost::json::object& line) {
  const auto* const variant = line.if_contains("variant");
  if (variant == nullptr || !variant->is_object()) return "";
  std::string out;
  for (const auto& [axis, value] : variant->get_object()) {
    if (!value.is_string()) continue;
    out += (out.empty() ? "/" : ",") + std::string(axis) + "=" + std::string(value.get_string());
  }
  return out;
}

}  // namespace

bool KnownFailure::concerns(const boost::json::object& line) const {
  const std::string id = text(line, "id");
  const bool matches = fnmatch(scenario.c_str(), id.c_str(), 0) == 0 ||
                       fnmatch(scenario.c_str(), (id + suffix_of(line)).c_str(), 0) == 0;
  return matches && client.matches(text(line, "client"), text(line, "version"));
}

bool KnownFailure::excuses(const boost::json::object& line) const {
  const auto* const judged = line.if_contains("checks");
  if (!concerns(line) || text(line, "verdict") != "fail" || judged == nullptr) return false;
  return std::ranges::all_of(judged->as_array(), [this](const boost::json::value& check) {
    return text(check.as_object(), "verdict") != "fail" ||
           std::ranges::find(checks, text(check.as_object(), "id")) != checks.end();
  });
}

Result<std::vector<KnownFailure>> read_known_failures(const std::string& path) {
  const auto root = read_yaml(path);
  if (!root) return tl::unexpected<Error>(root.error());
  Diagnostics diagnostics;
  Reader reader(diagnostics, Scope{});
  std::vector<KnownFailure> all;
  if (!root->is_map())
    reader.error(root->at, "known failures are a map: {name: {scenario, checks, client, reason}}");
  for (const NodeEntry& entry : root->entries) {
    KnownFailure known;
    known.name = entry.key;
    MapReader map(reader, entry.value, "known failure '" + entry.key + "'");
    if (const Node* scenario = map.require("scenario"))
      known.scenario = reader.text(*scenario).value_or("");
    if (const Node* checks = map.require("checks")) known.checks = reader.texts(*checks);
    if (const Node* client = map.require("client")) {
      auto match = ClientMatch::parse(reader.text(*client).value_or("*"));
      if (match) {
        known.client = std::move(*match);
      } else {
        reader.error(client->at, match.error().message);
      }
    }
    if (const Node* reason = map.require("reason"))
      known.reason = reader.text(*reason).value_or("");
    if (const Node* sometimes = map.take("sometimes"))
      known.sometimes = reader.boolean(*sometimes).value_or(false);
    map.finish();
    all.push_back(std::move(known));
  }
  if (auto read = diagnostics.result(); !read) return tl::unexpected<Error>(read.error());
  return all;
}

}  // namespace ktrial::harness
