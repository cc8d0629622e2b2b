// SPDX-License-Identifier: Apache-2.0
#include "harness/check/log_view.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>

namespace ktrial::harness {

namespace {

namespace json = boost::json;

std::string_view text(const json::object& data, std::string_view key) {
  const auto* value = data.if_contains(key);
  return value != nullptr && value->is_string() ? std::string_view(value->get_string())
                                                : std::string_view{};
}

std::int64_t integer(const json::value* value, std::int64_t otherwise) {
  return value != nullptr && value->is_int64() ? value->get_int64() : otherwise;
}
std::int64_t integer(const json::object& data, std::string_view key, std::int64_t otherwise) {
  return integer(data.if_contains(key), otherwise);
}

json::array texts(const std::vector<std::string>& list) {
  json::array out;
  for (const std::string& each : list) out.push_back(json::string(each));
  return out;
}

FieldValue present(json::value value) { return {true, false, std::move(value)}; }

// Sum of `count` over all record batches anywhere below.
std::int64_t record_count(const json::value& value) {
  std::int64_t sum = 0;
  if (const auto* list = value.if_array()) {
    for (const json::value& each : *list) sum += record_count(each);
  } else if (const auto* object = value.if_object()) {
    for (const auto& member : *object) {
      if (member.key() == "batches" && member.value().is_array()) {
        for (const json::value& batch : member.value().get_array())
          if (const auto* fields = batch.if_object()) sum += integer(*fields, "count", 0);
      } else {
        sum += record_count(member.value());
      }
    }
  }
  return sum;
}

struct CallMark {
  std::string_view client, call;  // client "": any
  std::int64_t n = 1;
  std::string_view edge;  // "begin" or "end"
};

// "send.begin", "send.2.begin", "c2.send.begin", "c2.send.2.begin".
std::optional<CallMark> parse_call_mark(std::string_view name) {
  std::vector<std::string_view> parts;
  std::size_t begin = 0;
  while (begin <= name.size()) {
    const std::size_t end = std::min(name.find('.', begin), name.size());
    parts.push_back(name.substr(begin, end - begin));
    begin = end + 1;
  }
  if (parts.size() < 2 || (parts.back() != "begin" && parts.back() != "end")) return std::nullopt;
  CallMark out;
  out.edge = parts.back();
  parts.pop_back();
  const std::string_view last = parts.back();
  std::int64_t n = 0;
  const auto [end, error] = std::from_chars(last.data(), last.data() + last.size(), n);
  if (error == std::errc() && end == last.data() + last.size() && parts.size() > 1) {
    out.n = n;
    parts.pop_back();
  }
  out.call = parts.back();
  parts.pop_back();
  if (parts.size() > 1) return std::nullopt;
  if (!parts.empty()) out.client = parts.front();
  return out;
}

}  // namespace

bool from_packet(const capture::Event& event) {
  constexpr std::array<std::string_view, 6> kPrefixes{"conn.", "req",  "resp",
                                                      "tcp.",  "tls.", "sasl."};
  return std::any_of(kPrefixes.begin(), kPrefixes.end(),
                     [&](std::string_view prefix) { return event.type.starts_with(prefix); });
}

const capture::Connection* LogView::connection(int id) const {
  if (id < 0 || static_cast<std::size_t>(id) >= log_.connections.size()) return nullptr;
  return &log_.connections[static_cast<std::size_t>(id)];
}

Moment LogView::start() const {
  return log_.events.empty() ? Moment{log_.stats.first_ns, 0} : moment_of(log_.events.front());
}

Moment LogView::end() const {
  Moment out{log_.stats.last_ns, 0};
  if (!log_.events.empty()) out = std::max(out, moment_of(log_.events.back()));
  return out;
}

std::optional<Moment> LogView::mark(std::string_view name) const {
  if (name == "start_of_case") return start();
  if (name == "end_of_case") {
    for (auto event = log_.events.rbegin(); event != log_.events.rend(); ++event)
      if (event->type == "case.end") return moment_of(*event);
    return end();
  }
  const auto call = parse_call_mark(name);
  std::int64_t seen = 0;
  for (const capture::Event& event : log_.events) {
    if (event.type == "mark" && text(event.data, "name") == name) return moment_of(event);
    if (!call || !event.type.starts_with("call.") ||
        std::string_view(event.type).substr(5) != call->edge ||
        text(event.data, "call") != call->call)
      continue;
    if (!call->client.empty() && text(event.data, "client") != call->client) continue;
    ++seen;
    // n counts per call name over all clients; with a client named, count its own.
    const std::int64_t n = call->client.empty() ? integer(event.data, "n", seen) : seen;
    if (n == call->n) return moment_of(event);
  }
  return std::nullopt;
}

FieldValue LogView::field(const capture::Event& event, std::string_view path) const {
  if (path == "broker") return present(event.broker);
  if (path == "conn") return present(event.conn);
  if (path == "packet") return present(event.packet);
  if (path == "event") return present(json::string(event.type));
  if (path.starts_with("conn.")) {
    const auto* conn = connection(event.conn);
    return conn != nullptr ? field(*conn, path.substr(5)) : FieldValue{};
  }
  if (path == "records" && !event.data.contains("records"))
    if (const auto* fields = event.data.if_contains("fields"))
      return present(record_count(*fields));
  FieldValue out = look_up(event.data, path);
  if (!out.found)
    if (const auto* fields = event.data.if_contains("fields");
        fields != nullptr && fields->is_object())
      out = look_up(fields->get_object(), path);
  return out;
}

FieldValue LogView::field(const capture::Connection& conn, std::string_view path) const {
  const auto seconds_of = [&](const std::optional<std::int64_t>& at) {
    if (!at) return FieldValue{};
    return present(static_cast<double>(*at - log_.stats.first_ns) / 1e9);
  };
  if (path == "id") return present(conn.id);
  if (path == "broker") return present(conn.broker);
  if (path == "client") return present(json::string(conn.client));
  if (path == "server") return present(json::string(conn.server));
  if (path == "roles") return present(texts(conn.roles));
  if (path == "apis") return present(texts(conn.apis));
  if (path == "first_api")
    return conn.apis.empty() ? FieldValue{} : present(json::string(conn.apis.front()));
  if (path == "client_ids") return present(texts(conn.client_ids));
  if (path == "closer") return present(json::string(conn.closer));
  if (path == "close_kind") return present(json::string(conn.close_kind));
  if (path == "pending_data") return present(conn.pending_data);
  if (path == "requests") return present(conn.requests);
  if (path == "responses") return present(conn.responses);
  if (path == "unanswered") return present(conn.unanswered);
  if (path == "syn_retransmissions") return present(conn.syn_retransmissions);
  if (path == "retransmissions") return present(conn.retransmissions);
  if (path == "keepalive_probes") return present(conn.keepalive_probes);
  if (path == "client_bytes") return present(conn.client_bytes);
  if (path == "broker_bytes") return present(conn.broker_bytes);
  if (path == "tls") return present(conn.tls);
  if (path == "attempt") return seconds_of(conn.attempt_ns);
  if (path == "open") return seconds_of(conn.open_ns);
  if (path == "closed") return seconds_of(conn.closed_ns);
  return {};
}

int LogView::leader(std::string_view topic, std::int64_t partition, Moment at) const {
  std::int64_t out = -1;
  const auto from_list = [&](const json::value* leaders, const json::object& whole) {
    if (leaders == nullptr || !leaders->is_array()) return;
    const auto& list = leaders->get_array();
    static_cast<void>(whole);
    if (partition >= 0 && static_cast<std::size_t>(partition) < list.size())
      out = integer(&list[static_cast<std::size_t>(partition)], -1);
  };
  for (const capture::Event& event : log_.events) {
    if (moment_of(event) > at) break;
    if (event.type == "layout") {
      const auto* topics = event.data.if_contains("topics");
      const auto* entry = topics != nullptr && topics->is_object()
                              ? topics->get_object().if_contains(topic)
                              : nullptr;
      if (entry != nullptr && entry->is_object())
        from_list(entry->get_object().if_contains("leaders"), entry->get_object());
    } else if (event.type == "broker.act" && text(event.data, "topic") == topic) {
      const std::string_view what = text(event.data, "do");
      if (what == "create_topic") from_list(event.data.if_contains("leaders"), event.data);
      if (what == "move_leader" && integer(event.data, "partition", -1) == partition)
        out = integer(event.data, "to", out);
    }
  }
  return static_cast<int>(out);
}

int LogView::coordinator(Moment at) const {
  std::int64_t out = -1;
  for (const capture::Event& event : log_.events) {
    if (moment_of(event) > at) break;
    if (event.type == "layout") out = integer(event.data, "coordinator", out);
    if (event.type == "broker.act" && text(event.data, "do") == "move_coordinator")
      out = integer(event.data, "to", out);
  }
  return static_cast<int>(out);
}

std::string LogView::topic_name(std::string_view topic_id) const {
  for (const capture::Event& event : log_.events) {
    if (event.type != "resp" || text(event.data, "api") != "Metadata") continue;
    const auto* fields = event.data.if_contains("fields");
    if (fields == nullptr || !fields->is_object()) continue;
    const auto* topics = fields->get_object().if_contains("topics");
    if (topics == nullptr || !topics->is_array()) continue;
    for (const json::value& each : topics->get_array()) {
      const auto* topic = each.if_object();
      if (topic != nullptr && text(*topic, "topicId") == topic_id)
        return std::string(text(*topic, "name"));
    }
  }
  return {};
}

std::string LogView::seconds(std::int64_t at_ns) const {
  std::array<char, 48> buffer{};
  const int size = std::snprintf(buffer.data(), buffer.size(), "%.6f",
                                 static_cast<double>(at_ns - log_.stats.first_ns) / 1e9);
  return {buffer.data(), static_cast<std::size_t>(size)};
}

std::string LogView::describe(const capture::Event& event) const {
  std::string out = event.type;
  if (event.type == "req" || event.type == "resp") {
    const std::string_view api = text(event.data, "api");
    out += " ";
    out += api.empty() ? "(unmatched)" : api;
    if (const auto* version = event.data.if_contains("version"))
      out += " v" + json::serialize(*version);
    if (const std::string_view error = text(event.data, "error_name"); !error.empty()) {
      out += " ";
      out += error;
    }
  } else {
    for (const std::string_view key : {"name", "call", "by", "kind", "do", "event"})
      if (const std::string_view value = text(event.data, key); !value.empty()) {
        out += " ";
        out += value;
      }
  }
  if (event.broker >= 0)
    out += (event.type == "resp" ? " from broker " : " to broker ") + std::to_string(event.broker);
  if (event.conn >= 0) out += ", conn#" + std::to_string(event.conn);
  return out;
}

std::string LogView::describe(const capture::Connection& conn) const {
  std::string out = "conn#" + std::to_string(conn.id) + " to ";
  out += conn.broker >= 0 ? "broker " + std::to_string(conn.broker) : conn.server;
  return out;
}

Evidence LogView::evidence(const capture::Event& event) const {
  return {event.packet, event.at_ns, event.conn, describe(event)};
}

}  // namespace ktrial::harness
