// SPDX-License-Identifier: Apache-2.0
// One TCP connection: its life cycle (attempt, open, refused, FIN, RST, closed, keepalives) and
// its two ordered streams, joined to the Kafka conversation they carry. Writes events and keeps
// the Connection's facts.
#pragma once

#include "capture/analyzer.h"
#include "capture/broker_directory.h"
#include "capture/conversation.h"
#include "capture/link_layer.h"
#include "capture/log_writer.h"
#include "capture/roles.h"
#include "capture/stream.h"

#include <array>
#include <cstdint>
#include <unordered_set>

namespace ktrial::capture {

// What all flows of one analysis share.
struct AnalysisContext {
  const AnalyzerOptions& options;
  LogWriter& log;
  BrokerDirectory& directory;
  Roles& roles;
};

class Flow final : private ConversationSink {
 public:
  Flow(AnalysisContext& context, const Endpoint& client, const Endpoint& broker);

  void packet(const TcpView& tcp);
  // No more packets of this connection: a new one took its 4-tuple, or the capture ended.
  void finish();

  [[nodiscard]] int id() const { return id_; }
  // Whether a SYN with this number starts a new connection rather than repeating this one's.
  [[nodiscard]] bool is_other_attempt(const TcpView& syn) const;

 private:
  class SideSink final : public StreamSink {
   public:
    SideSink(Flow& flow, Side side) : flow_(flow), side_(side) {}
    void data(std::span<const std::uint8_t> bytes) override;
    void missing(std::uint64_t length, Missing why) override;

   private:
    Flow& flow_;
    Side side_;
  };
  struct Half {
    Half(Flow& flow, Side side, std::size_t max_held) : sink(flow, side), stream(max_held) {}
    SideSink sink;
    Stream stream;
    bool fin = false;
    // Copies of the last packets, to recognise one packet seen at two taps.
    std::array<std::uint64_t, 4> tags{};
    std::array<std::int64_t, 4> tag_ns{};
    std::size_t next_tag = 0;
  };

  void request(const RequestSeen& request, const Moment& moment) override;
  void response(const ResponseSeen& response, const Moment& moment) override;
  void unanswered(std::int16_t key, std::int32_t correlation_id, const Moment& request) override;
  void tls(Side by, const Moment& moment) override;
  void sasl_token(Side by, std::uint32_t bytes, const Moment& moment) override;
  void problem(std::string text, const Moment& moment) override;

  [[nodiscard]] Half& half(Side side) { return side == Side::kClient ? client_ : broker_; }
  [[nodiscard]] Connection& facts() { return context_.log.connection(id_); }
  bool is_copy(Half& half, std::uint64_t tag);
  void syn(const TcpView& tcp, Side from);
  void open_if_acknowledged(const TcpView& tcp, Side from);
  void payload(const TcpView& tcp, Side from);
  void fin(const TcpView& tcp, Side from);
  void rst(Side from);
  void first_end(Side by, std::string_view kind);
  void closed();
  void emit(std::string_view type, boost::json::object data = {});
  boost::json::object by(Side side) const;

  AnalysisContext& context_;
  int id_;
  Endpoint client_endpoint_;
  Half client_, broker_;
  Conversation conversation_;
  std::uint32_t isn_ = 0;
  bool syn_seen_ = false, syn_ack_seen_ = false, open_ = false, closed_ = false, finished_ = false;
};

}  // namespace ktrial::capture
