// SPDX-License-Identifier: Apache-2.0
#include "capture/flow.h"

#include "capture/body_json.h"
#include "protocol/api_info.h"

#include <utility>

namespace ktrial::capture {

namespace {
// Two taps see one packet within this time; a retransmission comes later, and differs.
constexpr std::int64_t kCopyWindowNs = 2'000'000;
}  // namespace

void Flow::SideSink::data(std::span<const std::uint8_t> bytes) {
  Connection& facts = flow_.facts();
  (side_ == Side::kClient ? facts.client_bytes : facts.broker_bytes) += bytes.size();
  flow_.conversation_.data(side_, bytes, flow_.context_.log.now());
}

void Flow::SideSink::missing(std::uint64_t length, Missing why) {
  Connection& facts = flow_.facts();
  (side_ == Side::kClient ? facts.client_bytes : facts.broker_bytes) += length;
  if (why == Missing::kLost) {
    ++facts.gaps;
    auto data = flow_.by(side_);
    data["bytes"] = length;
    flow_.emit("tcp.gap", std::move(data));
  }
  flow_.conversation_.missing(side_, length);
}

Flow::Flow(AnalysisContext& context, const Endpoint& client, const Endpoint& broker)
    : context_(context),
      id_(context.log.add_connection().id),
      client_endpoint_(client),
      client_(*this, Side::kClient, context.options.max_held_bytes),
      broker_(*this, Side::kBroker, context.options.max_held_bytes),
      conversation_(*this, context.options.limits) {
  Connection& connection = facts();
  connection.client = client.to_string();
  connection.server = broker.to_string();
  connection.broker = context.directory.broker_at(broker).value_or(-1);
}

boost::json::object Flow::by(Side side) const { return {{"by", to_string(side)}}; }

void Flow::emit(std::string_view type, boost::json::object data) {
  Event event;
  event.at_ns = context_.log.now().at_ns;
  event.packet = context_.log.now().packet;
  event.type = type;
  event.conn = id_;
  event.broker = facts().broker;
  event.data = std::move(data);
  context_.log.emit(std::move(event));
}

bool Flow::is_copy(Half& half, std::uint64_t tag) {
  const std::int64_t now = context_.log.now().at_ns;
  for (std::size_t i = 0; i < half.tags.size(); ++i) {
    if (half.tags[i] != tag || half.tag_ns[i] == 0) continue;
    const std::int64_t apart = now - half.tag_ns[i];
    if (apart >= -kCopyWindowNs && apart <= kCopyWindowNs) return true;
  }
  half.tags[half.next_tag] = tag;
  half.tag_ns[half.next_tag] = now;
  half.next_tag = (half.next_tag + 1) % half.tags.size();
  return false;
}

bool Flow::is_other_attempt(const TcpView& syn) const { return !syn_seen_ || isn_ != syn.seq; }

void Flow::packet(const TcpView& tcp) {
  if (finished_) return;
  const Side from = tcp.source == client_endpoint_ ? Side::kClient : Side::kBroker;
  if (is_copy(half(from), tcp.copy_tag)) return;
  if (tcp.syn) {
    syn(tcp, from);
    return;
  }
  if (tcp.rst) {
    rst(from);
    return;
  }
  if (!syn_seen_ && !syn_ack_seen_ && !client_.stream.started() && !broker_.stream.started())
    conversation_.start_in_the_middle();
  open_if_acknowledged(tcp, from);
  payload(tcp, from);
  if (tcp.fin) fin(tcp, from);
  if (tcp.has_ack) {
    Half& peer = half(from == Side::kClient ? Side::kBroker : Side::kClient);
    // The capture lacks the SYN-ACK: the acknowledgement tells where the answers begin.
    if (syn_seen_ && !peer.stream.started()) peer.stream.start(tcp.ack - 1);
    peer.stream.acknowledged(tcp.ack, peer.sink);
  }
  if (closed_ && !client_.stream.has_hole() && !broker_.stream.has_hole()) finish();
}

void Flow::syn(const TcpView& tcp, Side from) {
  const Moment& now = context_.log.now();
  Connection& connection = facts();
  if (!tcp.has_ack && from == Side::kClient) {
    if (syn_seen_) {
      ++connection.syn_retransmissions;
      return;
    }
    syn_seen_ = true;
    isn_ = tcp.seq;
    client_.stream.start(tcp.seq);
    connection.from_start = true;
    connection.attempt_ns = now.at_ns;
    connection.attempt_packet = now.packet;
    context_.roles.attempt(connection, context_.directory.is_bootstrap(tcp.destination));
    emit("conn.attempt", {{"client", connection.client}, {"server", connection.server}});
    return;
  }
  if (!tcp.has_ack || from != Side::kBroker || syn_ack_seen_) return;
  syn_ack_seen_ = true;
  broker_.stream.start(tcp.seq);
  if (!client_.stream.started()) client_.stream.start(tcp.ack - 1);
}

void Flow::open_if_acknowledged(const TcpView& tcp, Side from) {
  if (open_ || closed_ || !(syn_ack_seen_ || syn_seen_)) return;
  // The client's acknowledgement completes the handshake; a capture that lacks it shows the
  // connection open by its payload.
  if (!(syn_ack_seen_ && from == Side::kClient && tcp.has_ack) && tcp.payload_length == 0) return;
  open_ = true;
  Connection& connection = facts();
  connection.open_ns = context_.log.now().at_ns;
  connection.open_packet = context_.log.now().packet;
  emit("conn.open");
}

void Flow::payload(const TcpView& tcp, Side from) {
  Half& sender = half(from);
  const auto kind = sender.stream.segment(tcp.seq, tcp.payload, tcp.payload_length, sender.sink);
  Connection& connection = facts();
  switch (kind) {
    case Stream::Segment::kEmpty:
      return;
    case Stream::Segment::kKeepalive:
      if (tcp.fin || closed_) return;
      ++connection.keepalive_probes;
      emit("tcp.keepalive", by(from));
      return;
    case Stream::Segment::kRetransmission:
      ++connection.retransmissions;
      return;
    case Stream::Segment::kNew:
    case Stream::Segment::kHeld:
      break;
  }
  const Moment& now = context_.log.now();
  if (!connection.first_payload_ns) connection.first_payload_ns = now.at_ns;
  connection.last_payload_ns = now.at_ns;
  connection.last_payload_packet = now.packet;
}

void Flow::first_end(Side side, std::string_view kind) {
  const Moment& now = context_.log.now();
  Connection& connection = facts();
  auto& end_packet =
      side == Side::kClient ? connection.client_end_packet : connection.broker_end_packet;
  if (end_packet == 0) end_packet = now.packet;
  if (!connection.closer.empty()) return;
  connection.closer = to_string(side);
  connection.close_kind = kind;
  connection.pending_data = conversation_.outstanding() > 0;
}

void Flow::fin(const TcpView& tcp, Side from) {
  Half& sender = half(from);
  const bool news = sender.stream.fin(tcp.seq, tcp.payload_length);
  if (!news || closed_ || sender.fin) return;
  sender.fin = true;
  Connection& connection = facts();
  (from == Side::kClient ? connection.client_fin_ns : connection.broker_fin_ns) =
      context_.log.now().at_ns;
  first_end(from, "half");
  emit("conn.fin", by(from));
  if (client_.fin && broker_.fin) closed();
}

void Flow::rst(Side from) {
  if (closed_) return;
  Connection& connection = facts();
  auto& when = from == Side::kClient ? connection.client_rst_ns : connection.broker_rst_ns;
  if (!when) when = context_.log.now().at_ns;
  if (from == Side::kBroker && syn_seen_ && !syn_ack_seen_ && !open_) {
    first_end(from, "refused");
    closed_ = true;
    emit("conn.refused", by(from));
    finish();
    return;
  }
  first_end(from, "rst");
  emit("conn.rst", by(from));
  closed();
  finish();
}

void Flow::closed() {
  closed_ = true;
  Connection& connection = facts();
  connection.closed_ns = context_.log.now().at_ns;
  if (connection.close_kind == "half") connection.close_kind = "fin";
  emit("conn.closed", {{"by", connection.closer}, {"kind", connection.close_kind}});
}

void Flow::finish() {
  if (finished_) return;
  finished_ = true;
  client_.stream.finish(client_.sink);
  broker_.stream.finish(broker_.sink);
  conversation_.finish();
}

void Flow::request(const RequestSeen& seen, const Moment& moment) {
  Connection& connection = facts();
  ++connection.requests;
  const auto* api = protocol::find_api(seen.key);
  const std::string_view name = api != nullptr ? api->name : std::string_view{};
  context_.roles.request(connection, name, seen.client_id);
  boost::json::object data;
  data.reserve(9);
  if (api != nullptr) {
    data["api"] = name;
  } else {
    data["api"] = "Unknown(" + std::to_string(seen.key) + ")";
  }
  data["key"] = seen.key;
  data["version"] = seen.version;
  data["correlation_id"] = seen.correlation_id;
  if (seen.has_client_id) {
    data["client_id"] = seen.client_id;
  } else {
    data["client_id"] = nullptr;
  }
  data["bytes"] = seen.bytes;
  if (seen.expects_response) {
    data["outstanding"] = conversation_.outstanding();
  } else {
    data["no_response"] = true;
  }
  if (context_.options.decode_bodies)
    add_request_fields(data, seen.key, seen.version, seen.body, seen.complete);
  static_cast<void>(moment);
  emit("req", std::move(data));
}

void Flow::response(const ResponseSeen& seen, const Moment& moment) {
  Connection& connection = facts();
  ++connection.responses;
  const auto* api = protocol::find_api(seen.key);
  boost::json::object data;
  data.reserve(10);
  if (!seen.matched) {
    data["unmatched"] = true;
    if (!connection.from_start) {
      // Its request may lie before the capture.
    } else {
      problem("broker's response with correlation id " + std::to_string(seen.correlation_id) +
                  " answers no request",
              moment);
    }
  } else if (api != nullptr) {
    data["api"] = api->name;
  } else {
    data["api"] = "Unknown(" + std::to_string(seen.key) + ")";
  }
  if (seen.matched) {
    data["key"] = seen.key;
    data["version"] = seen.version;
  }
  data["correlation_id"] = seen.correlation_id;
  data["bytes"] = seen.bytes;
  if (seen.matched) {
    data["request_packet"] = seen.request.packet;
    data["latency_ms"] = static_cast<double>(moment.at_ns - seen.request.at_ns) / 1e6;
    const bool metadata = api != nullptr && api->name == "Metadata";
    if (metadata && !connection.client_ids.empty())
      context_.roles.metadata_answered(connection.client_ids.back(), moment.at_ns);
    const bool learn = metadata && !context_.directory.has_layout();
    if (context_.options.decode_bodies || learn) {
      add_response_fields(data, seen.key, seen.version, seen.body, seen.complete);
      const auto* fields = data.if_contains("fields");
      if (learn && fields != nullptr && fields->is_object() &&
          context_.directory.metadata(fields->get_object())) {
        for (Connection& each : context_.log.log().connections) {
          if (each.broker >= 0) continue;
          if (const auto server = Endpoint::parse(each.server))
            each.broker = context_.directory.broker_at(*server).value_or(-1);
        }
      }
      if (!context_.options.decode_bodies) data.erase("fields");
    }
  }
  emit("resp", std::move(data));
}

void Flow::unanswered(std::int16_t key, std::int32_t correlation_id, const Moment& request) {
  ++facts().unanswered;
  if (finished_) return;
  problem("request with API key " + std::to_string(key) + " and correlation id " +
              std::to_string(correlation_id) + " of packet " + std::to_string(request.packet) +
              " was passed over: a later one is answered",
          context_.log.now());
}

void Flow::tls(Side side, const Moment&) {
  facts().tls = true;
  emit("tls.hello", by(side));
}

void Flow::sasl_token(Side side, std::uint32_t bytes, const Moment&) {
  auto data = by(side);
  data["bytes"] = bytes;
  emit("sasl.token", std::move(data));
}

void Flow::problem(std::string text, const Moment& moment) {
  context_.log.problem(moment, id_, text);
  emit("stream.problem", {{"text", std::move(text)}});
}

}  // namespace ktrial::capture
