// SPDX-License-Identifier: Apache-2.0
#include "fakebroker/control/control_api.h"

#include "common/json_reader.h"
#include "embedded/ktrial_fakebroker.h"
#include "fakebroker/control/control_target.h"
#include "fakebroker/control/partition_actions.h"
#include "fakebroker/rules/rule_json.h"
#include "protocol/api_info.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <utility>

namespace ktrial::fakebroker {

namespace json = boost::json;

namespace {

constexpr std::array<std::string_view, 2> kCloses{"fin", "rst"};
constexpr int kMostPartitions = 100'000;
constexpr int kMostRecords = 1'000'000;
constexpr std::int64_t kMostLedgerEntries = 10'000;

struct Call {
  Cluster& cluster;
  const ControlTarget& target;
  json::value body;  // null: there is none
};
using Outcome = Result<json::value>;

CloseKind close_kind(const std::optional<std::string>& word) {
  return word == "rst" ? CloseKind::kRst : CloseKind::kFin;
}

std::string_view api_name(std::int16_t key) {
  const protocol::ApiInfo* const api = protocol::find_api(key);
  return api == nullptr ? "" : api->name;
}

json::object broker_json(const BrokerStatus& broker) {
  return {{"id", broker.id},
          {"host", broker.host},
          {"port", broker.port},
          {"listening", broker.listening},
          {"connections", broker.connections}};
}

json::object topic_json(const TopicStatus& topic) {
  json::array partitions;
  for (const PartitionStatus& partition : topic.partitions) {
    partitions.push_back({{"index", partition.index},
                          {"leader", partition.leader},
                          {"leader_epoch", partition.leader_epoch},
                          {"start_offset", partition.start_offset},
                          {"end_offset", partition.end_offset},
                          {"last_stable_offset", partition.last_stable_offset},
                          {"bytes", partition.bytes},
                          {"high_watermark", partition.high_watermark},
                          {"replicas", json::value_from(partition.replicas)},
                          {"isr", json::value_from(partition.in_sync)}});
  }
  return {{"name", topic.name},
          {"id", topic.id},
          {"configs", json::value_from(topic.configs)},
          {"discard", topic.discard},
          {"partitions", std::move(partitions)}};
}

json::object rule_json(const RuleStatus& status) {
  json::object out = to_json(status.rule);
  out["seen"] = status.seen;
  out["hits"] = status.hits;
  if (!status.error.empty()) out["error"] = status.error;
  return out;
}

// --- cluster and brokers

json::object memory_json(const MemoryStatus& memory) {
  return {{"records", memory.records},
          {"records_limit", memory.records_limit},
          {"records_dropped", memory.records_dropped},
          {"requests", memory.requests},
          {"requests_limit", memory.requests_limit},
          {"waiting_connections", memory.waiting_connections}};
}

Outcome get_cluster(Call& call) {
  return json::object{{"cluster_id", call.cluster.cluster_id()},
                      {"bootstrap", call.cluster.bootstrap_servers()},
                      {"controller", call.cluster.controller()},
                      {"memory", memory_json(call.cluster.memory())}};
}

Outcome get_brokers(Call& call) {
  json::array all;
  for (const BrokerStatus& broker : call.cluster.brokers()) all.push_back(broker_json(broker));
  return all;
}

Outcome broker_of(Call& call, std::optional<std::int64_t> id) {
  for (const BrokerStatus& broker : call.cluster.brokers()) {
    if (broker.id == id) return broker_json(broker);
  }
  return fail(Errc::kNotFound, "there is no such broker");
}

Outcome get_broker(Call& call) { return broker_of(call, call.target.number("broker")); }

// What the `broker` step of a scenario does.
Result<void> act_on_broker(Cluster& cluster, int broker, JsonReader& reader) {
  static constexpr std::array<std::string_view, 6> kActions{
      "start", "stop", "refuse", "drop_syn", "close_connections", "idle_close"};
  const auto action = reader.required("do", reader.word("do", kActions)).value_or("");
  const auto kind = reader.word("kind", kCloses);
  const auto after = reader.duration("after");
  const bool drop = reader.boolean("drop_conns").value_or(false);
  reader.finish();
  if (kind && action != "stop" && action != "close_connections")
    reader.fault("kind", "goes with stop and close_connections");
  if (after && action != "idle_close") reader.fault("after", "goes with idle_close");
  if (drop && action != "refuse") reader.fault("drop_conns", "goes with refuse");
  if (reader.failed()) return {};
  if (action == "start") return cluster.start_broker(broker);
  if (action == "stop") return cluster.stop_broker(broker, close_kind(kind));
  if (action == "drop_syn") return cluster.drop_syn(broker);
  if (action == "idle_close") return cluster.set_idle_close(broker, after);
  if (action == "close_connections") {
    return cluster.close_connections(broker, close_kind(kind)).map([](std::size_t) {});
  }
  return drop ? cluster.stop_broker(broker, CloseKind::kRst) : cluster.refuse(broker);
}

Outcome post_broker_action(Call& call) {
  const auto id = call.target.number("broker");
  if (!id) return fail(Errc::kNotFound, "a broker's id is a number");
  JsonReader::Fault fault;
  JsonReader reader(call.body, "the action", fault);
  const auto done = act_on_broker(call.cluster, static_cast<int>(*id), reader);
  if (fault.first) return tl::unexpected<Error>(*fault.first);
  KTRIAL_TRY(done);
  return get_broker(call);
}

Outcome post_broker(Call& call) {
  JsonReader::Fault fault;
  JsonReader reader(call.body, "a broker", fault);
  BrokerSpec spec;
  spec.id = static_cast<int>(reader.required("id", reader.integer("id", 0, INT32_MAX)).value_or(0));
  spec.host = reader.text("host").value_or(spec.host);
  spec.port = static_cast<std::uint16_t>(reader.integer("port", 0, UINT16_MAX).value_or(0));
  spec.rack = reader.text("rack");
  reader.finish();
  if (fault.first) return tl::unexpected<Error>(*fault.first);
  KTRIAL_TRY(call.cluster.add_broker(spec));
  return broker_of(call, spec.id);
}

Outcome delete_broker(Call& call) {
  const auto id = call.target.number("broker");
  if (!id) return fail(Errc::kNotFound, "a broker's id is a number");
  return call.cluster.remove_broker(static_cast<int>(*id)).map([] { return json::value(); });
}

Outcome post_advertised(Call& call) {
  const auto id = call.target.number("broker");
  if (!id) return fail(Errc::kNotFound, "a broker's id is a number");
  JsonReader::Fault fault;
  JsonReader reader(call.body, "an address", fault);
  const auto host = reader.required("host", reader.text("host"));
  const auto port = reader.required("port", reader.integer("port", 1, UINT16_MAX));
  reader.finish();
  if (fault.first) return tl::unexpected<Error>(*fault.first);
  KTRIAL_TRY(
      call.cluster.set_advertised(static_cast<int>(*id), *host, static_cast<std::uint16_t>(*port)));
  return get_broker(call);
}

// {"to": BROKER}
Result<int> destination(const Call& call) {
  JsonReader::Fault fault;
  JsonReader reader(call.body, "the request", fault);
  const auto to = reader.required("to", reader.integer("to", 0, INT32_MAX));
  reader.finish();
  if (fault.first) return tl::unexpected<Error>(*fault.first);
  return static_cast<int>(*to);
}

Outcome post_coordinator(Call& call) {
  const auto to = destination(call);
  KTRIAL_TRY(to);
  KTRIAL_TRY(call.cluster.move_coordinator(*to));
  return json::value();
}

Outcome post_controller(Call& call) {
  const auto to = destination(call);
  KTRIAL_TRY(to);
  KTRIAL_TRY(call.cluster.move_controller(*to));
  return json::value();
}

Outcome post_mark(Call& call) {
  JsonReader::Fault fault;
  JsonReader reader(call.body, "a mark", fault);
  const auto name = reader.required("name", reader.text("name"));
  reader.finish();
  if (fault.first) return tl::unexpected<Error>(*fault.first);
  call.cluster.mark(*name);
  return json::value();
}

// --- topics

Result<TopicStatus> find_topic(Call& call, std::string_view name) {
  for (TopicStatus& topic : call.cluster.topics()) {
    if (topic.name == name) return std::move(topic);
  }
  return fail(Errc::kNotFound, fmt::format("there is no topic '{}'", name));
}

Outcome get_topics(Call& call) {
  json::array all;
  for (const TopicStatus& topic : call.cluster.topics()) all.push_back(topic_json(topic));
  return all;
}

Outcome get_topic(Call& call) {
  return find_topic(call, call.target.parameter("topic")).map([](const TopicStatus& topic) {
    return json::value(topic_json(topic));
  });
}

Outcome post_topic(Call& call) {
  JsonReader::Fault fault;
  JsonReader reader(call.body, "a topic", fault);
  TopicSpec spec;
  spec.name = reader.required("name", reader.text("name")).value_or("");
  spec.partitions = static_cast<int>(reader.integer("partitions", 1, kMostPartitions).value_or(1));
  spec.leaders = reader.integers("leaders", 0, INT32_MAX).value_or(std::vector<int>{});
  spec.configs = reader.text_map("configs").value_or(std::map<std::string, std::string>{});
  spec.discard = reader.boolean("discard").value_or(false);
  reader.finish();
  if (fault.first) return tl::unexpected<Error>(*fault.first);
  KTRIAL_TRY(call.cluster.create_topic(spec));
  return find_topic(call, spec.name).map([](const TopicStatus& topic) {
    return json::value(topic_json(topic));
  });
}

Outcome delete_topic(Call& call) {
  return call.cluster.delete_topic(std::string(call.target.parameter("topic"))).map([] {
    return json::value();
  });
}

Outcome post_leader(Call& call) {
  const auto to = destination(call);
  KTRIAL_TRY(to);
  const auto partition = call.target.number("partition");
  if (!partition) return fail(Errc::kNotFound, "a partition is a number");
  KTRIAL_TRY(call.cluster.move_leader(std::string(call.target.parameter("topic")),
                                      static_cast<int>(*partition), *to));
  return get_topic(call);
}

// Does what the body says to the partition of the path.
template <Result<void> (*act)(Cluster&, const std::string&, int, const json::value&)>
Outcome post_to_partition(Call& call) {
  const auto partition = call.target.number("partition");
  if (!partition) return fail(Errc::kNotFound, "a partition is a number");
  KTRIAL_TRY(act(call.cluster, std::string(call.target.parameter("topic")),
                 static_cast<int>(*partition), call.body));
  return get_topic(call);
}

Outcome post_records(Call& call) {
  JsonReader::Fault fault;
  JsonReader reader(call.body, "the records", fault);
  const auto partition = reader.integer("partition", 0, INT32_MAX).value_or(0);
  const auto count = reader.integer("count", 1, kMostRecords).value_or(1);
  const auto value = reader.text("value").value_or("");
  reader.finish();
  if (fault.first) return tl::unexpected<Error>(*fault.first);
  KTRIAL_TRY(call.cluster.append(std::string(call.target.parameter("topic")),
                                 static_cast<int>(partition), static_cast<int>(count), value));
  return get_topic(call);
}

Outcome get_groups(Call& call) {
  json::array all;
  for (const GroupStatus& group : call.cluster.groups()) {
    all.push_back({{"id", group.id},
                   {"state", group.state},
                   {"protocol", group.protocol},
                   {"coordinator", group.coordinator}});
  }
  return all;
}

// --- rules

Result<RuleStatus> find_rule(Call& call, std::string_view id) {
  for (RuleStatus& rule : call.cluster.rules_in_force()) {
    if (rule.rule.id == id) return std::move(rule);
  }
  return fail(Errc::kNotFound, fmt::format("there is no rule '{}'", id));
}

Outcome get_rules(Call& call) {
  json::array all;
  for (const RuleStatus& rule : call.cluster.rules_in_force()) all.push_back(rule_json(rule));
  return all;
}

Outcome get_rule(Call& call) {
  return find_rule(call, call.target.parameter("rule")).map([](const RuleStatus& rule) {
    return json::value(rule_json(rule));
  });
}

Outcome post_rule(Call& call) {
  auto rule = rule_from_json(call.body);
  KTRIAL_TRY(rule);
  const std::string id = rule->id;
  KTRIAL_TRY(call.cluster.add_rule(std::move(*rule)));
  return find_rule(call, id).map(
      [](const RuleStatus& status) { return json::value(rule_json(status)); });
}

Outcome delete_rule(Call& call) {
  return call.cluster.remove_rule(std::string(call.target.parameter("rule"))).map([] {
    return json::value();
  });
}

Outcome delete_rules(Call& call) {
  for (const RuleStatus& rule : call.cluster.rules_in_force())
    static_cast<void>(call.cluster.remove_rule(rule.rule.id));
  return json::value();
}

// --- connections and the ledger

Outcome get_connections(Call& call) {
  json::array all;
  for (const ConnectionStatus& connection : call.cluster.connections()) {
    all.push_back({{"id", connection.id},
                   {"broker", connection.broker},
                   {"peer", connection.peer},
                   {"client_id", connection.client_id},
                   {"last_api", api_name(connection.last_api_key)},
                   {"requests", connection.requests},
                   {"idle_ms", connection.idle.count()},
                   {"principal", connection.principal},
                   {"listener", connection.listener}});
  }
  return all;
}

Outcome delete_connection(Call& call) {
  const auto kind = call.target.query("kind");
  if (kind && std::ranges::find(kCloses, *kind) == kCloses.end())
    return fail(Errc::kInvalidArgument, "kind is one of fin, rst", "?kind");
  const auto id = call.target.number("connection");
  if (!id) return fail(Errc::kNotFound, "a connection's id is a number");
  return call.cluster.close_connection(static_cast<std::uint64_t>(*id), close_kind(kind)).map([] {
    return json::value();
  });
}

Outcome get_ledger(Call& call) {
  const auto after = call.target.query_number("after", 0, INT64_MAX);
  const auto limit = call.target.query_number("limit", 1, kMostLedgerEntries);
  KTRIAL_TRY(after);
  KTRIAL_TRY(limit);
  json::array all;
  const auto entries =
      call.cluster.ledger(static_cast<std::uint64_t>(after->value_or(0)),
                          static_cast<std::size_t>(limit->value_or(kMostLedgerEntries)));
  for (const LedgerEntry& entry : entries) all.push_back(ControlApi::to_json(entry));
  return all;
}

struct Route {
  std::string_view method;
  std::string_view path;
  Outcome (*handle)(Call&);
  int success = 200;
};

constexpr auto kRoutes = std::to_array<Route>({
    {"GET", "/v1/cluster", &get_cluster},
    {"POST", "/v1/cluster/coordinator", &post_coordinator},
    {"POST", "/v1/cluster/controller", &post_controller},
    {"POST", "/v1/marks", &post_mark},
    {"GET", "/v1/brokers", &get_brokers},
    {"POST", "/v1/brokers", &post_broker, 201},
    {"GET", "/v1/brokers/{broker}", &get_broker},
    {"DELETE", "/v1/brokers/{broker}", &delete_broker},
    {"POST", "/v1/brokers/{broker}/advertised", &post_advertised},
    {"POST", "/v1/brokers/{broker}/actions", &post_broker_action},
    {"GET", "/v1/topics", &get_topics},
    {"POST", "/v1/topics", &post_topic, 201},
    {"GET", "/v1/topics/{topic}", &get_topic},
    {"DELETE", "/v1/topics/{topic}", &delete_topic},
    {"POST", "/v1/topics/{topic}/records", &post_records, 201},
    {"POST", "/v1/topics/{topic}/partitions/{partition}/leader", &post_leader},
    {"POST", "/v1/topics/{topic}/partitions/{partition}/isr", &post_to_partition<&set_isr>},
    {"POST", "/v1/topics/{topic}/partitions/{partition}/high_watermark",
     &post_to_partition<&hold_high_watermark>},
    {"POST", "/v1/topics/{topic}/partitions/{partition}/replica",
     &post_to_partition<&set_replica_online>},
    {"GET", "/v1/groups", &get_groups},
    {"GET", "/v1/rules", &get_rules},
    {"POST", "/v1/rules", &post_rule, 201},
    {"DELETE", "/v1/rules", &delete_rules},
    {"GET", "/v1/rules/{rule}", &get_rule},
    {"DELETE", "/v1/rules/{rule}", &delete_rule},
    {"GET", "/v1/connections", &get_connections},
    {"DELETE", "/v1/connections/{connection}", &delete_connection},
    {"GET", "/v1/ledger", &get_ledger},
});

struct File {
  std::string_view path;
  std::string_view content_type;
  const std::string_view& text;
};
constexpr std::array<File, 5> kFiles{
    {{"/", "text/html; charset=utf-8", kPageHtml},
     {"/page.css", "text/css; charset=utf-8", kPageCss},
     {"/page.js", "text/javascript; charset=utf-8", kPageJs},
     {"/rule_form.js", "text/javascript; charset=utf-8", kRuleFormJs},
     {"/v1/openapi.json", "application/json", kOpenapiJson}}};

ControlResponse refused(int status, const Error& error) {
  json::object body{{"message", error.message}};
  if (!error.where.empty()) body["at"] = error.where;
  return {.status = status,
          .body = json::serialize(json::object{{"error", std::move(body)}}) + "\n"};
}

int status_of(Errc code) {
  switch (code) {
    case Errc::kNotFound:
      return 404;
    case Errc::kInvalidArgument:
    case Errc::kMalformed:
      return 400;
    default:
      return 500;
  }
}

ControlResponse run(const Route& route, Call& call) {
  const Outcome outcome = route.handle(call);
  if (!outcome) return refused(status_of(outcome.error().code), outcome.error());
  if (outcome->is_null()) return {.status = 204};
  return {.status = route.success, .body = json::serialize(*outcome) + "\n"};
}

}  // namespace

ControlResponse ControlApi::handle(const ControlRequest& request) {
  auto target = ControlTarget::parse(request.target);
  if (!target) return refused(400, target.error());
  for (const File& file : kFiles) {
    if (target->path() == file.path && request.method == "GET")
      return {.content_type = std::string(file.content_type), .body = std::string(file.text)};
  }
  std::vector<std::string_view> allowed;
  for (const Route& route : kRoutes) {
    if (!target->match(route.path)) continue;
    allowed.push_back(route.method);
    if (route.method != request.method) continue;
    Call call{cluster_, *target, nullptr};
    if (!request.body.empty()) {
      boost::system::error_code bad;
      call.body = json::parse(request.body, bad);
      if (bad)
        return refused(400, {Errc::kMalformed, "the body is not JSON: " + bad.message(), {}});
    }
    return run(route, call);
  }
  if (allowed.empty())
    return refused(404,
                   {Errc::kNotFound, "there is nothing at " + std::string(target->path()), {}});
  ControlResponse response =
      refused(405, {Errc::kUnsupported, request.method + " is not possible here", {}});
  response.allow = fmt::format("{}", fmt::join(allowed, ", "));
  return response;
}

bool ControlApi::is_of_the_page(std::string_view path) {
  return path == "/page.css" || path == "/page.js" || path == "/rule_form.js";
}

std::vector<std::string> ControlApi::operations() {
  std::vector<std::string> all;
  for (const Route& route : kRoutes) all.push_back(fmt::format("{} {}", route.method, route.path));
  return all;
}

json::object ControlApi::to_json(const LedgerEntry& entry) {
  static constexpr std::array<std::string_view, 4> kKinds{"accept", "request", "response", "close"};
  json::object out{
      {"number", entry.number},
      {"kind", kKinds.at(static_cast<std::size_t>(entry.kind))},
      {"ms", std::chrono::duration<double, std::milli>(entry.at.time_since_epoch()).count()},
      {"broker", entry.broker},
      {"connection", entry.connection},
      {"peer", entry.peer}};
  const bool message =
      entry.kind == LedgerEntry::Kind::kRequest || entry.kind == LedgerEntry::Kind::kResponse;
  if (message) {
    out["api"] = api_name(entry.api_key);
    out["version"] = entry.api_version;
    out["correlation_id"] = entry.correlation_id;
    out["bytes"] = entry.bytes;
    out["client_id"] = entry.client_id;
  }
  if (!entry.detail.empty()) out["detail"] = entry.detail;
  return out;
}

}  // namespace ktrial::fakebroker
