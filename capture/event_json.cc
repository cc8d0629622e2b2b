// SPDX-License-Identifier: Apache-2.0
#include "capture/event_json.h"

#include <cmath>
#include <limits>
#include <string_view>
#include <utility>

namespace ktrial::capture {

namespace json = boost::json;

namespace {

double seconds(std::int64_t at_ns, std::int64_t first_ns) {
  return static_cast<double>(at_ns - first_ns) / 1e9;
}

// Reads members, remembering the first that is missing or of another type.
class Members {
 public:
  explicit Members(const json::object& object) : object_(object) {}

  template <class T>
  T integer(std::string_view name) {
    const json::value* value = object_.if_contains(name);
    if (value == nullptr) return bad<T>(name);
    boost::system::error_code error;
    const T out = value->to_number<T>(error);
    return error ? bad<T>(name) : out;
  }
  std::string text(std::string_view name) {
    const json::value* value = object_.if_contains(name);
    if (value == nullptr || !value->is_string()) return bad<std::string>(name);
    return std::string(std::string_view(value->get_string()));
  }
  bool flag(std::string_view name) {
    const json::value* value = object_.if_contains(name);
    if (value == nullptr || !value->is_bool()) return bad<bool>(name);
    return value->get_bool();
  }
  std::vector<std::string> texts(std::string_view name) {
    std::vector<std::string> out;
    const json::value* value = object_.if_contains(name);
    if (value == nullptr || !value->is_array()) return bad<std::vector<std::string>>(name);
    for (const json::value& each : value->get_array()) {
      if (!each.is_string()) return bad<std::vector<std::string>>(name);
      out.emplace_back(std::string_view(each.get_string()));
    }
    return out;
  }
  std::int64_t time(std::string_view name, std::int64_t first_ns) {
    const json::value* value = object_.if_contains(name);
    constexpr double kLimit = 4e9;  // seconds
    if (value == nullptr || !value->is_number()) return bad<std::int64_t>(name);
    const double at = value->to_number<double>();
    if (!std::isfinite(at) || std::abs(at) > kLimit) return bad<std::int64_t>(name);
    return first_ns + std::llround(at * 1e9);
  }
  std::optional<std::int64_t> optional_time(std::string_view name, std::int64_t first_ns) {
    if (object_.if_contains(name) == nullptr) return std::nullopt;
    return time(name, first_ns);
  }
  template <class T>
  Result<T> done(T value) const {
    if (bad_.empty()) return value;
    return fail(Errc::kMalformed, "member '" + bad_ + "' is missing or of the wrong type");
  }
  [[nodiscard]] const json::object& object() const { return object_; }

 private:
  template <class T>
  T bad(std::string_view name) {
    if (bad_.empty()) bad_ = name;
    return T{};
  }
  const json::object& object_;
  std::string bad_;
};

json::array texts(const std::vector<std::string>& list) {
  json::array out;
  for (const std::string& each : list) out.emplace_back(each);
  return out;
}

// One list of the optional times, for both directions.
template <class Fn>
void each_time(Fn&& fn) {
  fn("attempt", &Connection::attempt_ns);
  fn("open", &Connection::open_ns);
  fn("first_payload", &Connection::first_payload_ns);
  fn("last_payload", &Connection::last_payload_ns);
  fn("closed", &Connection::closed_ns);
  fn("client_fin", &Connection::client_fin_ns);
  fn("broker_fin", &Connection::broker_fin_ns);
  fn("client_rst", &Connection::client_rst_ns);
  fn("broker_rst", &Connection::broker_rst_ns);
}

template <class Fn>
void each_counter(Fn&& fn) {
  fn("attempt_packet", &Connection::attempt_packet);
  fn("open_packet", &Connection::open_packet);
  fn("last_payload_packet", &Connection::last_payload_packet);
  fn("client_end_packet", &Connection::client_end_packet);
  fn("broker_end_packet", &Connection::broker_end_packet);
  fn("syn_retransmissions", &Connection::syn_retransmissions);
  fn("retransmissions", &Connection::retransmissions);
  fn("keepalive_probes", &Connection::keepalive_probes);
  fn("gaps", &Connection::gaps);
  fn("client_bytes", &Connection::client_bytes);
  fn("broker_bytes", &Connection::broker_bytes);
  fn("requests", &Connection::requests);
  fn("responses", &Connection::responses);
  fn("unanswered", &Connection::unanswered);
}

}  // namespace

json::object to_json(const Event& event, std::int64_t first_ns) {
  json::object out;
  out["kind"] = "event";
  out["t"] = seconds(event.at_ns, first_ns);
  out["packet"] = event.packet;
  out["type"] = event.type;
  if (event.conn >= 0) out["conn"] = event.conn;
  if (event.broker >= 0) out["broker"] = event.broker;
  out["data"] = event.data;
  return out;
}

Result<Event> event_from_json(const json::object& line, std::int64_t first_ns) {
  Members in(line);
  Event event;
  event.at_ns = in.time("t", first_ns);
  event.packet = in.integer<std::uint64_t>("packet");
  event.type = in.text("type");
  if (line.contains("conn")) event.conn = in.integer<int>("conn");
  if (line.contains("broker")) event.broker = in.integer<int>("broker");
  if (const json::value* data = line.if_contains("data"); data != nullptr && data->is_object())
    event.data = data->get_object();
  return in.done(std::move(event));
}

json::object to_json(const Connection& connection, std::int64_t first_ns) {
  json::object out;
  out["kind"] = "connection";
  out["id"] = connection.id;
  out["client"] = connection.client;
  out["server"] = connection.server;
  out["broker"] = connection.broker;
  out["roles"] = texts(connection.roles);
  out["apis"] = texts(connection.apis);
  out["client_ids"] = texts(connection.client_ids);
  each_time([&](std::string_view name, auto member) {
    if (connection.*member) out[name] = seconds(*(connection.*member), first_ns);
  });
  out["closer"] = connection.closer;
  out["close_kind"] = connection.close_kind;
  out["pending_data"] = connection.pending_data;
  out["tls"] = connection.tls;
  out["from_start"] = connection.from_start;
  each_counter([&](std::string_view name, auto member) { out[name] = connection.*member; });
  return out;
}

Result<Connection> connection_from_json(const json::object& line, std::int64_t first_ns) {
  Members in(line);
  Connection connection;
  connection.id = in.integer<int>("id");
  connection.client = in.text("client");
  connection.server = in.text("server");
  connection.broker = in.integer<int>("broker");
  connection.roles = in.texts("roles");
  connection.apis = in.texts("apis");
  connection.client_ids = in.texts("client_ids");
  each_time([&](std::string_view name, auto member) {
    connection.*member = in.optional_time(name, first_ns);
  });
  connection.closer = in.text("closer");
  connection.close_kind = in.text("close_kind");
  connection.pending_data = in.flag("pending_data");
  connection.tls = in.flag("tls");
  connection.from_start = in.flag("from_start");
  each_counter([&](std::string_view name, auto member) {
    using T = std::remove_reference_t<decltype(connection.*member)>;
    connection.*member = in.integer<T>(name);
  });
  return in.done(std::move(connection));
}

json::object to_json(const CaptureStats& stats) {
  json::object out;
  out["kind"] = "capture";
  out["packets"] = stats.packets;
  if (stats.dropped) out["dropped"] = *stats.dropped;
  out["first_ns"] = stats.first_ns;
  out["last_ns"] = stats.last_ns;
  out["problems"] = texts(stats.problems);
  out["problems_left_out"] = stats.problems_left_out;
  return out;
}

Result<CaptureStats> stats_from_json(const json::object& line) {
  Members in(line);
  CaptureStats stats;
  stats.packets = in.integer<std::uint64_t>("packets");
  if (line.contains("dropped")) stats.dropped = in.integer<std::uint64_t>("dropped");
  stats.first_ns = in.integer<std::int64_t>("first_ns");
  stats.last_ns = in.integer<std::int64_t>("last_ns");
  stats.problems = in.texts("problems");
  stats.problems_left_out = in.integer<std::uint64_t>("problems_left_out");
  return in.done(std::move(stats));
}

}  // namespace ktrial::capture
