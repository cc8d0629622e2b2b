// SPDX-License-Identifier: Apache-2.0
// The event log: what the packets say happened, in order. The analyser writes it, checks read it,
// reports draw it. Everything a verdict needs is in the capture, so a log can be made again from
// the pcapng alone: steps, driver calls and broker actions are in-band UDP notes (note.h).
#pragma once

#include <boost/json.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ktrial::capture {

// Event types. From packets: conn.attempt (SYN, deduplicated over retransmissions), conn.open
// (handshake complete), conn.refused, conn.fin {by}, conn.rst {by}, conn.closed {by, kind} (both
// FINs or one RST seen), tcp.gap {by, bytes} (bytes that the capture lacks), tcp.keepalive {by},
// tls.hello {by}, sasl.token {by, bytes} (only after SaslHandshake v0), stream.problem {text}
// (bytes that are no Kafka, an answer to nothing), req, resp.
// From notes: mark, call.begin, call.end, driver.event, driver.error, broker.act, layout,
// host.stall, socket.table, driver.memory, ...: whatever "e" says.
struct Event {
  std::int64_t at_ns = 0;    // capture clock, nanoseconds since 1970
  std::uint64_t packet = 0;  // 1-based number in the capture, as Wireshark counts
  std::string type;
  int conn = -1;    // index into EventLog::connections, -1 if none
  int broker = -1;  // broker id, -1 if none or unknown
  // req/resp: api (name), key, version, correlation_id, client_id, bytes (frame size without the
  //   length prefix), fields (decoded body, names as Kafka's JSON: camelCase); req also has
  //   outstanding: the connection's requests without an answer, this one among them; resp has
  //   request_packet, latency_ms and, if one is there, error (the first non-zero error code) with
  //   error_name; a response whose request was not seen has unmatched: true instead of an api.
  //   A body that could not be decoded gives undecoded: reason in place of fields.
  // conn.*: by ("client" | "broker"). Notes: the note's own members.
  boost::json::object data;
};

struct Connection {
  int id = 0;          // index; printed as conn#id
  std::string client;  // "127.0.0.1:40112"
  std::string server;  // "127.0.1.2:9092"
  int broker = -1;
  // bootstrap: dialled before the client's first Metadata answer, at a bootstrap address.
  // leader: carried Produce, Fetch or ListOffsets. coordinator: carried group requests.
  std::vector<std::string> roles;
  std::vector<std::string> apis;  // in order of first use
  std::optional<std::int64_t> attempt_ns, open_ns, first_payload_ns, last_payload_ns, closed_ns;
  std::optional<std::int64_t> client_fin_ns, broker_fin_ns, client_rst_ns, broker_rst_ns;
  std::uint64_t attempt_packet = 0, open_packet = 0, last_payload_packet = 0;
  std::uint64_t client_end_packet = 0, broker_end_packet = 0;  // first FIN or RST of each side
  std::string closer;  // who ended it first: "client", "broker" or ""
  // "fin" (ended by FINs, or by RST after the closer's FIN), "rst", "refused" (never open;
  // closed_ns stays empty), "half" (one side sent FIN, the other nothing yet), "" = still open.
  std::string close_kind;
  bool pending_data = false;  // a request was unanswered when the first FIN or RST was seen
  std::uint32_t syn_retransmissions = 0, retransmissions = 0, keepalive_probes = 0, gaps = 0;
  std::uint64_t client_bytes = 0, broker_bytes = 0;
  std::uint32_t requests = 0, responses = 0;
  std::uint32_t unanswered = 0;         // requests that wanted a response and got none by the end
  std::vector<std::string> client_ids;  // in order of first use
  bool tls = false;
  bool from_start = false;  // the SYN was captured

  [[nodiscard]] bool has_role(std::string_view role) const;
  [[nodiscard]] bool used_api(std::string_view api) const;
};

struct CaptureStats {
  std::uint64_t packets = 0;
  std::optional<std::uint64_t> dropped;  // absent: the capture did not say (a precondition fails)
  std::int64_t first_ns = 0, last_ns = 0;
  std::vector<std::string> problems;    // bytes that are no Kafka, malformed frames, with packet
  std::uint64_t problems_left_out = 0;  // beyond the first few hundred
};

struct EventLog {
  // By at_ns, then packet. While a capture runs the log only grows at its end, except that stamps
  // which run backwards by a few packets are put in their place.
  std::vector<Event> events;
  std::vector<Connection> connections;
  CaptureStats stats;
};

}  // namespace ktrial::capture
