// SPDX-License-Identifier: Apache-2.0
// Channel: one connection to a broker. Asks ApiVersions first, authenticates itself if it is to,
// then pipelines requests up to a
// limit and matches their responses in order; sends nothing for as long as a response's throttle
// time asks for (KIP-219); closes itself when it is idle for too long, when a
// response is overdue, or when it cannot be set up in time.
#pragma once

#include "clients/reference/backoff.h"
#include "clients/reference/frame_splitter.h"
#include "clients/reference/link.h"
#include "clients/reference/request.h"

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>

namespace ktrial::client {

// What a client's state machines share.
struct Env {
  const Clock& clock;
  TimerService& timers;
  Dialer& dialer;
  Rng& rng;
  const Config& config;
};

enum class DownReason : std::uint8_t {
  kNotReached,  // never became ready
  kLost,        // closed by the peer, reset, or broken
  kTimedOut,    // a response was overdue
  kIdle,        // closed by the client's own idle limit
  kClosed,      // close()
};

class Channel final : private LinkListener {
 public:
  struct Observer {
    std::function<void()> ready = {};
    // Something was, and what waited for that has been sent.
    std::function<void()> answered = {};
    // The channel does nothing more; it must not be destroyed before this returns.
    std::function<void(DownReason)> down = {};
  };

  Channel(Env& env, HostPort address, Millis setup_timeout, Observer observer);
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;
  ~Channel() override;

  // Queued until the channel is ready; fails if it goes down before the response.
  void send(Request request);
  // Sends what is in flight its answer first, for at most `patience`.
  void close(CloseKind kind, Nanos patience = Nanos::zero());
  void never_idle() { idle_exempt_ = true; }
  // Mutants: an HTTP request goes first; the connection closes after a Produce.
  void speak_http() { speaks_http_ = true; }
  void use_once() { once_ = true; }

  [[nodiscard]] bool ready() const { return state_ == State::kReady; }
  [[nodiscard]] bool is_down() const { return state_ == State::kDown; }
  [[nodiscard]] std::size_t load() const { return queued_.size() + in_flight_.size(); }
  [[nodiscard]] const HostPort& address() const { return address_; }

 private:
  enum class State : std::uint8_t { kConnecting, kHandshake, kReady, kDown };
  struct InFlight {
    std::int32_t correlation_id = 0;
    std::int16_t version = 0;
    TimePoint deadline;
    Request request;
  };

  void link_up() override;
  void link_data(std::span<const std::uint8_t> bytes) override;
  void link_down(const std::string& why) override;

  void ask_versions(std::int16_t version);
  void versions_came(const Slice& body, std::int16_t version);
  void become_ready();
  // channel_sasl.cc
  void begin_sasl();
  void authenticate();
  void authenticated(const Slice& body, std::int16_t version);
  void sasl_failed(const std::string& why);

  void flush();
  void transmit(Request request, std::int16_t version);
  void put_on_wire(std::vector<std::uint8_t> frame, std::int16_t api_key);
  bool answer(const Slice& frame);
  void unreadable(const std::string& why);
  void have_more_patience();
  void hold_off(Millis time);
  void watch_response();
  void watch_idle();
  [[nodiscard]] Nanos idle_limit() const;
  void down(DownReason reason, const Error& error, CloseKind kind);

  Env& env_;
  HostPort address_;
  Observer observer_;
  State state_ = State::kConnecting;
  std::unique_ptr<Link> link_;
  FrameSplitter splitter_;
  std::map<std::int16_t, std::pair<std::int16_t, std::int16_t>> versions_;
  std::deque<Request> queued_;
  std::deque<InFlight> in_flight_;
  std::int32_t next_correlation_id_ = 0;
  TimePoint last_active_;
  TimerService::Id setup_timer_ = 0;
  TimerService::Id response_timer_ = 0;
  TimerService::Id idle_timer_ = 0;
  TimerService::Id close_timer_ = 0;
  TimerService::Id hold_timer_ = 0;
  TimerService::Id renewal_timer_ = 0;
  TimePoint held_until_ = {};
  bool answering_ = false;       // nothing is sent before the answer's throttle time is known
  bool authenticating_ = false;  // likewise, before the broker has agreed
  bool idle_exempt_ = false;
  bool speaks_http_ = false;
  bool once_ = false;
  bool used_ = false;         // for a Produce
  bool next_splits_ = false;  // the frame before is written to its half
  std::vector<std::uint8_t> withheld_;
  bool closing_ = false;
  CloseKind close_kind_ = CloseKind::kFin;
};

}  // namespace ktrial::client
