// SPDX-License-Identifier: Apache-2.0
// The three ways to add a rule: posted to the control API, in a scenario's YAML, and returned by a
// Lua script.
#pragma once

#include "fakebroker/cluster_for_test.h"
#include "fakebroker/control/control_api.h"
#include "fakebroker/rules/rule_json.h"
#include "harness/scenario/read_parts.h"
#include "harness/scenario/yaml_node.h"

#include <boost/json.hpp>

#include <string>

namespace ktrial::harness {

constexpr int kRuleTestBrokers = 2;

inline std::string post(fakebroker::ClusterForTest& cluster, const std::string& rule) {
  fakebroker::ControlApi api(*cluster.operator->());
  const auto response = api.handle({.method = "POST", .target = "/v1/rules", .body = rule});
  return response.status == 201 ? "" : response.body;
}

inline std::string add_from_yaml(fakebroker::ClusterForTest& cluster, const std::string& rule) {
  const auto node = parse_yaml(rule, "rule.yaml");
  if (!node) return node.error().to_string();
  Diagnostics diagnostics;
  Reader reader(diagnostics, {});
  reader.brokers = kRuleTestBrokers;
  const RulePart part = read_rule(reader, *node);
  if (const auto read = diagnostics.result(); !read) return read.error().to_string();
  const auto added = cluster->add_rule(part.rule);
  return added ? "" : added.error().to_string();
}

inline std::string lua_of(const boost::json::value& value) {
  if (value.is_null()) return "null";
  std::string out = "{";
  if (const auto* const list = value.if_array()) {
    for (const auto& each : *list) out += lua_of(each) + ", ";
  } else if (const auto* const map = value.if_object()) {
    for (const auto& [key, each] : *map)
      out += "[" + boost::json::serialize(boost::json::string(key)) + "] = " + lua_of(each) + ", ";
  } else {
    return boost::json::serialize(value);
  }
  return out + "}";
}

inline std::string add_as_lua(fakebroker::ClusterForTest& cluster, const std::string& text) {
  boost::json::object rule = boost::json::parse(text).get_object();
  const bool on_accept = rule.contains("when") && rule["when"].as_object().contains("on");
  if (!on_accept)
    rule["do"] = {{"lua", "function on_request() return " + lua_of(rule["do"]) + " end"}};
  return post(cluster, boost::json::serialize(rule));
}

struct Way {
  const char* name;
  std::string (*add)(fakebroker::ClusterForTest&, const std::string&);
};

constexpr Way kWays[] = {{"rest", &post}, {"yaml", &add_from_yaml}, {"lua", &add_as_lua}};

}  // namespace ktrial::harness
