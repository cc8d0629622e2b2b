// SPDX-License-Identifier: Apache-2.0
// The cluster part: brokers, topics, and the rules that script faults.
#include "harness/scenario/names.h"
#include "harness/scenario/read_parts.h"

#include <numeric>
#include <set>

namespace ktrial::harness {

namespace {

constexpr std::int64_t kMostBrokers = 5000;
constexpr std::int64_t kMostPartitions = 100'000;
constexpr std::int64_t kMostTimes = 1'000'000'000;

// `told`: the client is told it and counts it by its own clock, which may be accelerated.
std::optional<Millis> millis(Reader& reader, const Node& node, bool told = false) {
  const auto time = told ? reader.real_duration(node) : reader.duration(node);
  if (!time) return std::nullopt;
  if (time->count() < 0) {
    reader.error(node.at, "a time of at least 0 was expected");
    return std::nullopt;
  }
  return std::chrono::duration_cast<Millis>(*time);
}

void read_action(Reader& reader, const Node& node, RulePart& rule) {
  MapReader map(reader, node, "a rule's 'do'");
  int actions = 0;
  if (const Node* error = map.take("error")) {
    ++actions;
    rule.action = "error";
    if (const auto name = reader.text(*error)) {
      std::int64_t number = 0;
      if (const auto code = error_code(*name))
        rule.error_code = *code;
      else if (!name->empty() && name->find_first_not_of("-0123456789") == std::string::npos &&
               (number = reader.integer(*error, -1, 32767).value_or(0)) != 0)
        rule.error_code = static_cast<std::int16_t>(number);
      else
        reader.error(error->at, "unknown error '" + *name + "'" + hint(*name, error_names()));
    }
  }
  for (const char* const timed : {"delay", "throttle"}) {
    if (const Node* time = map.take(timed)) {
      ++actions;
      rule.action = timed;
      rule.delay = millis(reader, *time, rule.action == "throttle").value_or(Millis{0});
    }
  }
  if (const Node* drop = map.take("drop"); drop != nullptr && reader.boolean(*drop) == true) {
    ++actions;
    rule.action = "drop";
  }
  if (const Node* close = map.take("close")) {
    ++actions;
    rule.action = "close_" + reader.word(*close, {"fin", "rst"}, "kind of close").value_or("fin");
  }
  const Node* const set = map.take("set");
  const Node* const clear = map.take("clear");
  if (set != nullptr || clear != nullptr) {
    ++actions;
    rule.action = "rewrite";
  }
  if (set != nullptr && !set->is_map())
    reader.error(set->at, "set is a map of integer fields of the answer: {leaderEpoch: 0}");
  if (set != nullptr) {
    for (const NodeEntry& entry : set->entries)
      rule.set[entry.key] = reader.integer(entry.value).value_or(0);
  }
  if (clear != nullptr) rule.clear = reader.texts(*clear);
  if (const Node* apply = map.take("apply")) rule.apply = reader.boolean(*apply).value_or(false);
  map.finish();
  if (actions != 1 && node.is_map())
    reader.error(node.at, "a rule does one of error, delay, drop, close, throttle, set and clear");
}

void read_match(Reader& reader, const Node& node, RulePart& rule) {
  MapReader map(reader, node, "a rule's 'when'");
  if (const Node* api = map.take("api")) rule.api = reader.word(*api, api_names(), "API");
  if (const Node* broker = map.take("broker"))
    if (const auto id = reader.integer(*broker, 1, reader.brokers))
      rule.broker = static_cast<int>(*id);
  if (const Node* id = map.take("client_id")) rule.client_id = reader.text(*id);
  if (const Node* topic = map.take("topic")) rule.topic = reader.text(*topic);
  if (const Node* skip = map.take("skip"))
    rule.skip = static_cast<std::uint32_t>(reader.integer(*skip, 0, kMostTimes).value_or(0));
  if (const Node* times = map.take("times"))
    if (const auto n = reader.integer(*times, 1, kMostTimes))
      rule.times = static_cast<std::uint32_t>(*n);
  map.finish();
}

}  // namespace

RulePart read_rule(Reader& reader, const Node& node) {
  RulePart rule;
  rule.at = node.at;
  MapReader map(reader, node, "a rule");
  if (const Node* id = map.require("id")) rule.id = reader.text(*id).value_or("");
  if (const Node* when = map.take("when")) read_match(reader, *when, rule);
  if (const Node* action = map.require("do")) read_action(reader, *action, rule);
  if (const Node* optional = map.take("optional"))
    rule.optional = reader.boolean(*optional).value_or(false);
  map.finish();
  return rule;
}

std::vector<TopicPart> read_topics(Reader& reader, const Node& node) {
  std::vector<TopicPart> topics;
  if (!node.is_map()) {
    reader.error(node.at, "topics are a map: {t: {partitions: 3, leaders: [1, 2, 3]}}");
    return topics;
  }
  for (const NodeEntry& entry : node.entries) {
    TopicPart topic;
    topic.name = entry.key;
    Node none;
    none.kind = Node::Kind::kMap;
    none.at = entry.at;
    MapReader map(reader, entry.value.is_null() ? none : entry.value, "topic '" + entry.key + "'");
    if (const Node* count = map.take("partitions"))
      topic.partitions = static_cast<int>(reader.integer(*count, 1, kMostPartitions).value_or(1));
    if (const Node* leaders = map.take("leaders")) {
      topic.leaders = reader.integers(*leaders, 1, reader.brokers);
      if (topic.leaders.size() > static_cast<std::size_t>(topic.partitions))
        reader.error(leaders->at, "more leaders than the topic has partitions (" +
                                      std::to_string(topic.partitions) + ")");
    }
    if (const Node* configs = map.take("configs")) topic.configs = read_config(reader, *configs);
    map.finish();
    topics.push_back(std::move(topic));
  }
  return topics;
}

ClusterPart read_cluster(Reader& reader, const Node& node) {
  ClusterPart cluster;
  MapReader map(reader, node, "cluster");
  if (const Node* count = map.take("brokers"))
    cluster.brokers = static_cast<int>(reader.integer(*count, 1, kMostBrokers).value_or(1));
  reader.brokers = cluster.brokers;
  if (const Node* bootstrap = map.take("bootstrap"))
    cluster.bootstrap = reader.integers(*bootstrap, 1, cluster.brokers);
  if (cluster.bootstrap.empty()) {
    cluster.bootstrap.resize(static_cast<std::size_t>(cluster.brokers));
    std::iota(cluster.bootstrap.begin(), cluster.bootstrap.end(), 1);
  }
  if (const Node* extra = map.take("bootstrap_extra"))
    cluster.bootstrap_extra = reader.texts(*extra);
  if (const Node* unlisted = map.take("unlisted"))
    cluster.unlisted = reader.integers(*unlisted, 1, cluster.brokers);
  const auto broker = [&](std::string_view key, std::optional<int>& out) {
    if (const Node* id = map.take(key))
      if (const auto n = reader.integer(*id, 1, cluster.brokers)) out = static_cast<int>(*n);
  };
  broker("coordinator", cluster.coordinator);
  broker("controller", cluster.controller);
  if (const Node* idle = map.take("idle_close")) {
    if (const auto text = reader.text(*idle); text && *text != "never")
      cluster.idle_close = millis(reader, *idle);
  }
  const auto flag = [&](std::string_view key, bool& out) {
    if (const Node* truth = map.take(key)) out = reader.boolean(*truth).value_or(out);
  };
  flag("auto_create_topics", cluster.auto_create_topics);
  flag("keepalive", cluster.keepalive);
  flag("consumer_groups", cluster.consumer_groups);
  flag("telemetry", cluster.telemetry);
  if (const Node* delay = map.take("initial_rebalance_delay"))
    cluster.initial_rebalance_delay =
        millis(reader, *delay).value_or(cluster.initial_rebalance_delay);
  if (const Node* interval = map.take("consumer_heartbeat_interval"))
    cluster.consumer_heartbeat_interval =
        millis(reader, *interval, true).value_or(cluster.consumer_heartbeat_interval);
  if (const Node* topics = map.take("topics")) cluster.topics = read_topics(reader, *topics);
  if (const Node* rules = map.take("rules")) {
    if (!rules->is_list()) reader.error(rules->at, "rules are a list");
    std::set<std::string> ids;
    for (const Node& each : rules->items) {
      cluster.rules.push_back(read_rule(reader, each));
      if (!ids.insert(cluster.rules.back().id).second)
        reader.error(each.at, "rule id '" + cluster.rules.back().id + "' is used twice");
    }
  }
  map.finish();
  return cluster;
}

}  // namespace ktrial::harness
