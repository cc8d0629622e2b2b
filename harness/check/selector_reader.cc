// SPDX-License-Identifier: Apache-2.0
#include "harness/check/selector_reader.h"

#include "harness/scenario/names.h"

#include <algorithm>

namespace ktrial::harness {

namespace {

const std::vector<std::string> kRoles{"bootstrap", "leader", "coordinator", "transaction"};
const std::vector<std::string> kSides{"client", "broker"};

std::vector<std::string> words(Reader& reader, const Node& node,
                               const std::vector<std::string>& known, std::string_view what) {
  std::vector<std::string> out;
  const auto add = [&](const Node& item) {
    if (auto word = reader.word(item, known, what)) out.push_back(std::move(*word));
  };
  if (node.is_list())
    std::for_each(node.items.begin(), node.items.end(), add);
  else
    add(node);
  return out;
}

std::vector<std::string> let_names(const Reader& reader) {
  std::vector<std::string> out;
  for (const auto& [name, selector] : reader.lets) out.push_back(name);
  return out;
}

std::shared_ptr<const Selector> anything() { return std::make_shared<Selector>(); }

std::shared_ptr<const Selector> by_name(Reader& reader, const Node& node) {
  const auto name = reader.text(node);
  if (!name) return anything();
  const auto found = reader.lets.find(*name);
  if (found == reader.lets.end()) {
    reader.error(node.at, "no selector is called '" + *name + "'" + hint(*name, let_names(reader)));
    return anything();
  }
  return found->second;
}

std::shared_ptr<const Selector> conn_set(Reader& reader, const Node& node) {
  auto set = read_selector(reader, node);
  if (!set->conns && (!set->let.empty() || !set->events.empty()))
    reader.error(node.at, "connections were expected ({conns: {...}}), this selects events");
  return set;
}

std::vector<FieldTest> read_where(Reader& reader, const Node& node) {
  std::vector<FieldTest> out;
  if (!node.is_map()) reader.error(node.at, "where is a map of fields: {acks: -1}");
  for (const NodeEntry& entry : node.entries)
    out.push_back({entry.key, Matcher::read(reader, entry.value)});
  return out;
}

int read_nth(Reader& reader, const Node& node) {
  const auto text = reader.text(node);
  if (text == "first") return 1;
  if (text == "last") return -1;
  return static_cast<int>(reader.integer(node, -1'000'000, 1'000'000).value_or(0));
}

// Members that events and connections share.
void read_common(MapReader& map, Selector& out) {
  Reader& reader = map.reader();
  if (const Node* api = map.take("api")) out.apis = words(reader, *api, api_names(), "API");
  for (const char* const key : {"broker", "brokers"})
    if (const Node* broker = map.take(key))
      out.brokers = reader.integers(*broker, 1, std::max(reader.brokers, 1));
  if (const Node* role = map.take("role")) out.roles = words(reader, *role, kRoles, "role");
  if (const Node* by = map.take("by")) out.by = reader.word(*by, kSides, "side").value_or("");
  for (const char* const key : {"in", "conn"}) {
    const Node* sets = map.take(key);
    if (sets == nullptr) continue;
    if (sets->is_list())
      for (const Node& each : sets->items) out.in.push_back(conn_set(reader, each));
    else
      out.in.push_back(conn_set(reader, *sets));
  }
  if (const Node* where = map.take("where")) out.where = read_where(reader, *where);
  if (const Node* window = map.take("window")) out.windows.push_back(read_window(reader, *window));
  if (const Node* after = map.take("after")) out.after = read_edge(reader, *after);
  if (const Node* before = map.take("before")) out.before = read_edge(reader, *before);
  if (const Node* nth = map.take("nth")) out.nth = read_nth(reader, *nth);
  if (const Node* anywhere = map.take("anywhere"))
    out.anywhere = reader.boolean(*anywhere).value_or(false);
}

void read_events(MapReader& map, const Node& event, Selector& out) {
  Reader& reader = map.reader();
  out.events = words(reader, event, event_types(), "event");
  read_common(map, out);
  // Beside an event, `conns` is another word for `in`.
  if (const Node* sets = map.take("conns")) {
    if (sets->is_list())
      for (const Node& each : sets->items) out.in.push_back(conn_set(reader, each));
    else
      out.in.push_back(conn_set(reader, *sets));
  }
  if (const Node* call = map.take("call")) out.call = reader.text(*call).value_or("");
  if (const Node* name = map.take("name")) out.name = reader.text(*name).value_or("");
  if (const Node* who = map.take("who")) out.client = reader.text(*who).value_or("");
  if (const Node* last = map.take("or_last_before"))
    out.or_last_before = reader.boolean(*last).value_or(false);
  const bool mark = out.events == std::vector<std::string>{"mark"};
  if (mark && !out.name.empty() &&
      std::find(reader.marks.begin(), reader.marks.end(), out.name) == reader.marks.end())
    reader.error(event.at, "no step sets a mark '" + out.name + "'" + hint(out.name, reader.marks));
}

void read_conns(Reader& reader, const Node& node, Selector& out) {
  MapReader map(reader, node, "a selector of connections");
  read_common(map, out);
  if (const Node* apis = map.take("apis"))
    for (std::string& api : words(reader, *apis, api_names(), "API"))
      out.apis.push_back(std::move(api));
  if (const Node* closed = map.take("closed_in")) out.closed_in = read_window(reader, *closed);
  if (const Node* opened = map.take("opened_in")) out.opened_in = read_window(reader, *opened);
  if (const Node* open = map.take("open_at")) out.open_at = read_edge(reader, *open);
  map.finish();
}

Edge mark_edge(Reader& reader, const Node& node, const std::string& name) {
  Edge out;
  out.mark = name;
  if (name == "start_of_case")
    out.kind = Edge::Kind::kStart;
  else if (name == "end_of_case")
    out.kind = Edge::Kind::kEnd;
  else if (name == "now")
    out.kind = Edge::Kind::kNow;
  else
    out.kind = Edge::Kind::kMark;
  if (std::find(reader.marks.begin(), reader.marks.end(), name) == reader.marks.end())
    reader.error(node.at, "no step sets a mark '" + name + "'" + hint(name, reader.marks));
  return out;
}

}  // namespace

const std::vector<std::string>& event_types() {
  static const std::vector<std::string> kTypes{
      "conn.attempt", "conn.open",     "conn.refused",   "conn.fin",       "conn.rst",
      "conn.closed",  "req",           "resp",           "tcp.gap",        "tcp.keepalive",
      "tls.hello",    "sasl.token",    "stream.problem", "mark",           "call.begin",
      "call.end",     "driver.event",  "driver.error",   "driver.metric",  "driver.lost",
      "driver.crash", "broker.act",    "layout",         "host.stall",     "sched",
      "socket.table", "driver.memory", "rule.hit",       "rule.unfired",   "rule.failed",
      "step.missed",  "clock.step",    "case.end",       "foreign.traffic"};
  return kTypes;
}

std::shared_ptr<const Selector> read_selector(Reader& reader, const Node& node) {
  if (node.is_scalar()) return by_name(reader, node);
  auto out = std::make_shared<Selector>();
  MapReader map(reader, node, "a selector");
  const Node* event = map.take("event");
  const Node* conns = map.take("conns");
  if (event != nullptr) {
    read_events(map, *event, *out);
  } else if (conns != nullptr) {
    out->conns = true;
    read_conns(reader, *conns, *out);
  } else if (node.is_map()) {
    reader.error(node.at, "a selector needs 'event' or 'conns'");
    return out;
  }
  map.finish();
  return out;
}

std::shared_ptr<const Selector> read_let(Reader& reader, const std::string& name,
                                         const Node& node) {
  auto out = std::make_shared<Selector>();
  if (node.is_list())
    out->windows.push_back(read_window(reader, node));
  else
    *out = *read_selector(reader, node);
  out->let = name;
  return out;
}

Window read_window(Reader& reader, const Node& node) {
  if (node.is_scalar()) {
    const auto named = by_name(reader, node);
    if (!named->windows.empty()) return named->windows.front();
    reader.error(node.at, "a window is [from, to] or the name of one");
    return {};
  }
  if (!node.is_list() || node.items.size() != 2) {
    reader.error(node.at, "a window is [from, to], not " + node.describe());
    return {};
  }
  return {read_edge(reader, node.items[0]), read_edge(reader, node.items[1])};
}

Edge read_edge(Reader& reader, const Node& node) {
  if (node.is_scalar()) {
    const std::string name = reader.text(node).value_or("");
    const auto let = reader.lets.find(name);
    if (let == reader.lets.end()) return mark_edge(reader, node, name);
    return {Edge::Kind::kFirst, {}, let->second};
  }
  if (const Node* mark = node.find("mark"); mark != nullptr && node.entries.size() == 1)
    return mark_edge(reader, *mark, reader.text(*mark).value_or(""));
  for (const char* const which : {"first", "last"}) {
    const Node* event = node.find(which);
    if (event == nullptr || node.entries.size() != 1) continue;
    const auto kind = which == std::string_view("first") ? Edge::Kind::kFirst : Edge::Kind::kLast;
    return {kind, {}, read_selector(reader, *event)};
  }
  if (!node.is_map())
    reader.error(node.at, "a mark or a selector was expected, not " + node.describe());
  return {Edge::Kind::kFirst, {}, node.is_map() ? read_selector(reader, node) : anything()};
}

std::shared_ptr<const Selector> within(std::shared_ptr<const Selector> selector, Window window) {
  auto out = std::make_shared<Selector>(*selector);
  out->windows.push_back(std::move(window));
  return out;
}

}  // namespace ktrial::harness
