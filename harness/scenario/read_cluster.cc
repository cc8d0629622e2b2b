// SPDX-License-Identifier: Apache-2.0
// The cluster part: brokers, topics, and the rules that script faults.
#include "fakebroker/broker_config.h"
#include "fakebroker/releases/releases.h"
#include "fakebroker/rules/rule_json.h"
#include "harness/scenario/read_parts.h"

#include <algorithm>
#include <charconv>
#include <numeric>
#include <set>

namespace ktrial::harness {

namespace {

constexpr std::int64_t kMostBrokers = 5000;
constexpr std::int64_t kMostPartitions = 100'000;

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

// A scalar that has no value yet. (One that is null in the file is no scalar.)
bool has_unknown(const Node& node, const boost::json::value& value) {
  if (node.is_scalar()) return value.is_null();
  if (const auto* const list = value.if_array()) {
    for (std::size_t i = 0; i < list->size(); ++i)
      if (has_unknown(node.items[i], (*list)[i])) return true;
  }
  return std::ranges::any_of(node.entries, [&](const NodeEntry& entry) {
    return has_unknown(entry.value, value.get_object().at(entry.key));
  });
}

// Where the thing is that a JSON pointer (RFC 6901) leads to: a map at its key, a value where it
// stands.
Position place_of(const Node& node, std::string_view pointer) {
  const Node* in = &node;
  Position at = node.at;
  while (!pointer.empty()) {
    const std::size_t end = std::min(pointer.find('/', 1), pointer.size());
    const auto entry = std::ranges::find(in->entries, pointer.substr(1, end - 1), &NodeEntry::key);
    if (entry == in->entries.end()) break;
    in = &entry->value;
    at = in->is_scalar() ? in->at : entry->at;
    pointer = pointer.substr(end);
  }
  return at;
}

void check_brokers(Reader& reader, const Node& node, const fakebroker::Rule& rule) {
  const auto check = [&](std::string_view pointer, int broker) {
    if (broker >= 1 && broker <= reader.brokers) return;
    reader.error(place_of(node, pointer), "there is no broker " + std::to_string(broker) +
                                              ": ids are 1 to " + std::to_string(reader.brokers));
  };
  if (rule.match.broker) check("/when/broker", *rule.match.broker);
  for (const fakebroker::ClusterMove& move : rule.action.moves) {
    if (move.broker != -1) check("/do", move.broker);
    for (const int broker : move.brokers) check("/do", broker);
  }
}

}  // namespace

RulePart read_rule(Reader& reader, const Node& node) {
  RulePart part;
  part.at = node.at;
  const boost::json::value json = reader.json(node);
  // What an expression yields may not be known before the client is; it is then read again.
  if (has_unknown(node, json)) return part;
  auto rule = fakebroker::rule_from_json(json);
  if (!rule) {
    reader.error(place_of(node, rule.error().where), rule.error().message);
    return part;
  }
  check_brokers(reader, node, *rule);
  fakebroker::quicken(*rule, reader.acceleration);
  part.rule = std::move(*rule);
  return part;
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
    if (const Node* discard = map.take("discard"))
      topic.discard = reader.boolean(*discard).value_or(false);
    map.finish();
    topics.push_back(std::move(topic));
  }
  return topics;
}

namespace {

std::optional<std::string> read_release(Reader& reader, const Node& node) {
  const auto name = reader.text(node);
  if (!name) return std::nullopt;
  const auto known = fakebroker::Release::described(*name);
  if (known) return name;
  reader.error(node.at, known.error().message);
  return std::nullopt;
}

// Versions of single APIs go by all brokers: " Produce=3-7 Fetch=off" after their releases.
std::string read_api_versions(Reader& reader, const Node& node) {
  std::string limits;
  if (!node.is_map())
    reader.error(node.at, "api_versions is a map: {Produce: 3-7, Metadata: 9, Fetch: off}");
  for (const NodeEntry& entry : node.entries) {
    const std::string limit = ' ' + entry.key + '=' + reader.text(entry.value).value_or("");
    const auto known = fakebroker::Release::described(limit);
    if (known)
      limits += limit;
    else
      reader.error(entry.at, known.error().message);
  }
  return limits;
}

void read_releases(Reader& reader, MapReader& map, ClusterPart& cluster) {
  if (const Node* release = map.take("release")) cluster.release = read_release(reader, *release);
  const Node* const releases = map.take("releases");
  if (releases == nullptr) return;
  if (!releases->is_map())
    reader.error(releases->at, "releases are a map of broker ids: {2: \"2.8\"}");
  for (const NodeEntry& entry : releases->entries) {
    int id = 0;
    const char* const end = entry.key.data() + entry.key.size();
    const auto parsed = std::from_chars(entry.key.data(), end, id);
    if (parsed.ptr != end || id < 1 || id > cluster.brokers)
      reader.error(entry.at, "broker ids are 1 to " + std::to_string(cluster.brokers));
    if (auto release = read_release(reader, entry.value)) cluster.releases[id] = *release;
  }
}

// Each is tried on a cluster of its own.
std::map<std::string, std::string> read_broker_config(Reader& reader, const Node& node) {
  std::map<std::string, std::string> config = read_config(reader, node);
  for (const auto& [key, value] : config) {
    fakebroker::ClusterSpec tried;
    if (const auto set = fakebroker::set_broker_config(tried, key, value); !set)
      reader.error(place_of(node, "/" + key), set.error().message);
  }
  return config;
}

void limit_versions(Reader& reader, MapReader& map, ClusterPart& cluster) {
  const Node* const versions = map.take("api_versions");
  if (versions == nullptr) return;
  const std::string limits = read_api_versions(reader, *versions);
  if (limits.empty()) return;
  cluster.release = cluster.release.value_or("") + limits;
  for (auto& [broker, release] : cluster.releases) release += limits;
}

}  // namespace

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
  flag("share_groups", cluster.share_groups);
  flag("rack_aware_replicas", cluster.rack_aware_replicas);
  if (const Node* racks = map.take("racks")) cluster.racks = reader.texts(*racks);
  if (const Node* seed = map.take("seed"))
    cluster.seed = static_cast<std::uint64_t>(reader.integer(*seed, 0).value_or(0));
  flag("discard", cluster.discard);
  if (const Node* bytes = map.take("record_memory"))
    cluster.record_memory = reader.integer(*bytes, 0);
  if (const Node* config = map.take("config")) cluster.config = read_broker_config(reader, *config);
  if (const Node* security = map.take("security"))
    cluster.security = read_security(reader, *security);
  read_releases(reader, map, cluster);
  limit_versions(reader, map, cluster);
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
      const std::string& id = cluster.rules.back().rule.id;
      if (!id.empty() && !ids.insert(id).second)
        reader.error(each.at, "rule id '" + id + "' is used twice");
    }
  }
  map.finish();
  return cluster;
}

}  // namespace ktrial::harness
