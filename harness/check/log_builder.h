// SPDX-License-Identifier: Apache-2.0
// LogBuilder: event logs by hand, for tests. Times are milliseconds from the first packet; every
// event gets the next packet number. The log is a clean capture until a test spoils it.
#pragma once

#include "capture/event_log.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

namespace ktrial::harness {

class LogBuilder {
 public:
  LogBuilder() {
    log_.stats.dropped = 0;
    log_.stats.first_ns = kEpoch;
    log_.stats.last_ns = kEpoch;
    note(0, "layout",
         {{"bootstrap", {"127.1.0.1:9092"}},
          {"coordinator", 3},
          {"topics", {{"t", {{"leaders", {1, 2, 3}}}}}}});
  }

  LogBuilder& note(double ms, std::string type, boost::json::object data = {}) {
    add(ms, std::move(type), -1, -1, std::move(data));
    return *this;
  }
  LogBuilder& mark(double ms, const std::string& name) {
    return note(ms, "mark", {{"name", name}});
  }
  LogBuilder& call(double ms, const std::string& name, int n, boost::json::object end = {}) {
    note(ms, "call.begin", {{"call", name}, {"n", n}, {"client", "c1"}});
    end["call"] = name;
    end["n"] = n;
    end["client"] = "c1";
    if (!end.contains("unsupported")) end.emplace("ok", true);
    return note(ms + 1, "call.end", std::move(end));
  }

  // A SYN and the handshake; the id of the connection comes back.
  int open(double ms, int broker, std::vector<std::string> roles = {}) {
    const int id = attempt(ms, broker, std::move(roles));
    capture::Connection& conn = connection(id);
    conn.open_packet = add(ms, "conn.open", id, broker, {});
    conn.open_ns = ns(ms);
    return id;
  }
  int attempt(double ms, int broker, std::vector<std::string> roles = {}) {
    capture::Connection conn;
    conn.id = static_cast<int>(log_.connections.size());
    conn.broker = broker;
    conn.client = "127.0.0.1:" + std::to_string(40000 + conn.id);
    conn.server = "127.1.0." + std::to_string(broker) + ":9092";
    conn.roles = std::move(roles);
    conn.from_start = true;
    conn.attempt_ns = ns(ms);
    log_.connections.push_back(conn);
    connection(conn.id).attempt_packet = add(ms, "conn.attempt", conn.id, broker, {});
    return conn.id;
  }
  LogBuilder& refuse(double ms, int id) {
    capture::Connection& conn = connection(id);
    conn.broker_rst_ns = ns(ms);
    conn.closer = "broker";
    conn.close_kind = "refused";
    conn.broker_end_packet = add(ms, "conn.refused", id, conn.broker, {{"by", "broker"}});
    return *this;
  }
  LogBuilder& request(double ms, int id, const std::string& api, boost::json::object fields = {}) {
    return message(ms, id, "req", api, std::move(fields));
  }
  LogBuilder& response(double ms, int id, const std::string& api, boost::json::object fields = {}) {
    return message(ms, id, "resp", api, std::move(fields));
  }
  LogBuilder& exchange(double ms, int id, const std::string& api, boost::json::object fields = {}) {
    request(ms, id, api, std::move(fields));
    return response(ms + 0.1, id, api);
  }
  LogBuilder& fin(double ms, int id, const std::string& by) {
    capture::Connection& conn = connection(id);
    const bool client = by == "client";
    (client ? conn.client_fin_ns : conn.broker_fin_ns) = ns(ms);
    const auto packet = add(ms, "conn.fin", id, conn.broker, {{"by", by}});
    (client ? conn.client_end_packet : conn.broker_end_packet) = packet;
    if (conn.closer.empty()) {
      conn.closer = by;
      conn.close_kind = "half";
      conn.pending_data = conn.requests > conn.responses;
    }
    if (conn.client_fin_ns && conn.broker_fin_ns) close(ms, id, "fin");
    return *this;
  }
  LogBuilder& rst(double ms, int id, const std::string& by) {
    capture::Connection& conn = connection(id);
    const bool client = by == "client";
    (client ? conn.client_rst_ns : conn.broker_rst_ns) = ns(ms);
    const auto packet = add(ms, "conn.rst", id, conn.broker, {{"by", by}});
    (client ? conn.client_end_packet : conn.broker_end_packet) = packet;
    if (conn.closer.empty()) conn.closer = by;
    close(ms, id, "rst");
    return *this;
  }
  // FIN of one side, answered at once.
  LogBuilder& close_by(double ms, int id, const std::string& by) {
    fin(ms, id, by);
    return fin(ms + 0.1, id, by == "client" ? "broker" : "client");
  }

  capture::Connection& connection(int id) { return log_.connections[static_cast<std::size_t>(id)]; }
  capture::EventLog& log() { return log_; }
  // Sorted, as the analyser leaves it.
  [[nodiscard]] capture::EventLog build() const {
    capture::EventLog out = log_;
    std::stable_sort(out.events.begin(), out.events.end(),
                     [](const auto& a, const auto& b) { return a.at_ns < b.at_ns; });
    return out;
  }

  static std::int64_t ns(double ms) { return kEpoch + std::llround(ms * 1e6); }

 private:
  static constexpr std::int64_t kEpoch = 1'700'000'000'000'000'000;

  std::uint64_t add(double ms, std::string type, int conn, int broker, boost::json::object data) {
    capture::Event event;
    event.at_ns = ns(ms);
    event.packet = ++packets_;
    event.type = std::move(type);
    event.conn = conn;
    event.broker = broker;
    event.data = std::move(data);
    log_.stats.packets = packets_;
    log_.stats.last_ns = std::max(log_.stats.last_ns, event.at_ns);
    log_.events.push_back(std::move(event));
    return packets_;
  }

  LogBuilder& message(double ms, int id, const std::string& type, const std::string& api,
                      boost::json::object fields) {
    capture::Connection& conn = connection(id);
    boost::json::object data{{"api", api}, {"version", 1}};
    data["fields"] = std::move(fields);
    const auto packet = add(ms, type, id, conn.broker, std::move(data));
    if (!conn.first_payload_ns) conn.first_payload_ns = ns(ms);
    conn.last_payload_ns = ns(ms);
    conn.last_payload_packet = packet;
    if (type == "req") {
      ++conn.requests;
      if (!conn.used_api(api)) conn.apis.push_back(api);
    } else {
      ++conn.responses;
    }
    return *this;
  }

  void close(double ms, int id, const std::string& kind) {
    capture::Connection& conn = connection(id);
    conn.closed_ns = ns(ms);
    conn.close_kind = kind;
    add(ms, "conn.closed", id, conn.broker, {{"by", conn.closer}, {"kind", kind}});
  }

  capture::EventLog log_;
  std::uint64_t packets_ = 0;
};

}  // namespace ktrial::harness
