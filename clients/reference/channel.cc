// SPDX-License-Identifier: Apache-2.0
#include "clients/reference/channel.h"

#include "clients/reference/throttling.h"
#include "protocol/errors.h"
#include "protocol/header.h"
#include "protocol/messages/api_versions_request.h"
#include "protocol/messages/api_versions_response.h"
#include "protocol/messages/produce_request.h"

#include <cstdlib>

namespace ktrial::client {
namespace {

using protocol::ApiVersionsRequest;
using protocol::ApiVersionsResponse;

constexpr std::int16_t kNewestApiVersions = 4;

// Answers a request that will not be sent or answered; it may do anything to its channel.
void refuse(Request& request, const Error& error) {
  if (request.done) request.done(tl::unexpected<Error>(error), 0);
}

}  // namespace

Channel::Channel(Env& env, HostPort address, Millis setup_timeout, Observer observer)
    : env_(env),
      address_(std::move(address)),
      observer_(std::move(observer)),
      last_active_(env.clock.now()) {
  link_ = env_.dialer.dial(address_, *this);
  if (env.config.mutated(Mutant::kBelievesAnyLength)) splitter_.believe_any_length();
  if (env.config.mutated(Mutant::kSetupNeverTimesOut)) return;
  if (env.config.mutated(Mutant::kSetupImpatient)) setup_timeout /= 4;
  setup_timer_ = env_.timers.after(setup_timeout, [this] {
    down(DownReason::kNotReached, {Errc::kTimeout, "connection set-up timed out", {}},
         CloseKind::kFin);
  });
}

Channel::~Channel() {
  for (const auto timer :
       {setup_timer_, response_timer_, idle_timer_, close_timer_, hold_timer_, renewal_timer_}) {
    env_.timers.cancel(timer);
  }
}

void Channel::send(Request request) {
  if (state_ == State::kDown) return refuse(request, {Errc::kIo, "connection is closed", {}});
  queued_.push_back(std::move(request));
  if (state_ == State::kReady) flush();
}

void Channel::close(CloseKind kind, Nanos patience) {
  if (state_ == State::kDown) return;
  closing_ = true;
  close_kind_ = kind;
  if (load() > 0 && state_ == State::kReady && patience > Nanos::zero()) {
    close_timer_ = env_.timers.after(patience, [this] { close(close_kind_); });
    return;
  }
  down(DownReason::kClosed, {Errc::kIo, "connection closed", {}}, kind);
}

void Channel::link_up() {
  env_.timers.cancel(setup_timer_);
  state_ = State::kHandshake;
  if (speaks_http_) {
    constexpr std::string_view kHello = "GET / HTTP/1.1\r\nHost: kafka\r\n\r\n";
    link_->write({kHello.begin(), kHello.end()});
  }
  watch_idle();
  ask_versions(kNewestApiVersions);
}

void Channel::ask_versions(std::int16_t version) {
  ApiVersionsRequest message;
  message.client_software_name = "ktrial-reference";
  message.client_software_version = "0.1.0";
  Request request;
  request.api_key = ApiVersionsRequest::kApiKey;
  request.timeout = env_.config.request_timeout;
  request.encode = [message](std::int16_t chosen) {
    return protocol::encode_to_bytes(message, chosen);
  };
  request.done = [this](const Result<Slice>& body, std::int16_t sent) {
    if (body) versions_came(*body, sent);
  };
  transmit(std::move(request), version);
}

void Channel::versions_came(const Slice& body, std::int16_t version) {
  // A broker that does not know the version answers error 35 in version 0. Only the code, which
  // comes first in all versions, must be there: some leave the rest out.
  const int error = body.size() < 2 ? -1 : body.data()[0] << 8 | body.data()[1];
  if (error == code(protocol::KafkaError::kUnsupportedVersion) && version > 0) {
    std::int16_t known = 0;
    const auto refusal = protocol::decode<ApiVersionsResponse>(body, 0);
    for (const auto& api : refusal ? refusal->api_keys : decltype(refusal->api_keys)()) {
      if (api.api_key == ApiVersionsRequest::kApiKey) known = api.max_version;
    }
    return ask_versions(known < version ? known : std::int16_t{0});
  }
  const auto response = protocol::decode<ApiVersionsResponse>(body, version);
  if (!response) return unreadable(response.error().to_string());
  if (response->error_code != 0) {
    return down(DownReason::kNotReached,
                {Errc::kIo, "ApiVersions: error " + std::to_string(response->error_code), {}},
                CloseKind::kFin);
  }
  for (const auto& api : response->api_keys) {
    versions_[api.api_key] = {api.min_version, api.max_version};
  }
  if (env_.config.sasl) return begin_sasl();
  become_ready();
}

void Channel::become_ready() {
  state_ = State::kReady;
  if (observer_.ready) observer_.ready();
  if (state_ == State::kReady) flush();
}

void Channel::flush() {
  if (answering_ || authenticating_ || env_.clock.now() < held_until_) return;
  while (state_ == State::kReady && !queued_.empty() &&
         in_flight_.size() < env_.config.in_flight_limit()) {
    Request request = std::move(queued_.front());
    queued_.pop_front();
    const auto found = versions_.find(request.api_key);
    const std::int16_t version = found == versions_.end()
                                     ? std::int16_t{-1}
                                     : std::min(found->second.second, request.max_version);
    if (version < 0 || version < request.min_version || version < found->second.first) {
      refuse(request, {Errc::kUnsupported,
                       "the broker has no usable version of API " + std::to_string(request.api_key),
                       {}});
      continue;
    }
    transmit(std::move(request), version);
  }
}

void Channel::transmit(Request request, std::int16_t version) {
  Nanos patience = request.timeout;
  if (env_.config.mutated(Mutant::kRequestNeverTimesOut) ||
      env_.config.mutated(Mutant::kBelievesAnyLength))
    patience = std::chrono::hours(24);
  if (env_.config.mutated(Mutant::kRequestImpatient)) patience /= 2;
  InFlight sent{next_correlation_id_++, version, env_.clock.now() + patience, std::move(request)};
  protocol::Writer writer;
  writer.integer(std::int32_t{0});
  protocol::encode_request_header(
      {sent.request.api_key, version, sent.correlation_id, env_.config.client_id}, writer);
  const std::vector<std::uint8_t> body = sent.request.encode(version);
  writer.append(std::span<const std::uint8_t>(body));
  writer.patch_int32(0, static_cast<std::int32_t>(writer.size() - 4));
  put_on_wire(std::move(writer).take(), sent.request.api_key);
  last_active_ = env_.clock.now();
  if (!sent.request.expects_response) {
    if (sent.request.done) sent.request.done(Slice(), version);
    return;
  }
  in_flight_.push_back(std::move(sent));
  watch_response();
}

void Channel::put_on_wire(std::vector<std::uint8_t> frame, std::int16_t api_key) {
  if (!env_.config.mutated(Mutant::kInterleavedFrames)) return link_->write(std::move(frame));
  // What two threads without a lock would do: the next frame goes between two halves of this one.
  if (std::exchange(next_splits_, false)) {
    link_->write(std::move(frame));
    return link_->write(std::exchange(withheld_, {}));
  }
  next_splits_ = api_key == protocol::ProduceRequest::kApiKey;
  if (next_splits_) {
    const auto middle = frame.begin() + std::ssize(frame) / 2;
    withheld_.assign(middle, frame.end());
    frame.erase(middle, frame.end());
  }
  link_->write(std::move(frame));
}

void Channel::link_data(std::span<const std::uint8_t> bytes) {
  last_active_ = env_.clock.now();
  if (env_.config.mutated(Mutant::kAnyByteCounts)) have_more_patience();
  if (env_.config.mutated(Mutant::kOneReadOneAnswer)) splitter_ = FrameSplitter();
  splitter_.feed(bytes);
  while (state_ != State::kDown) {
    auto frame = splitter_.next();
    if (!frame) return unreadable(frame.error().message);
    if (!*frame) break;
    if (!answer(**frame)) return;
    if (env_.config.mutated(Mutant::kOneReadOneAnswer)) break;
  }
  if (state_ == State::kDown) return;
  if (closing_ && load() == 0) return close(close_kind_);
  if (once_ && used_ && load() == 0) return close(CloseKind::kFin);
  flush();
  if (state_ != State::kDown && observer_.answered) observer_.answered();
}

// What a broker sends is no answer: what was asked may have been done or not, as if the connection
// had been lost.
void Channel::unreadable(const std::string& why) {
  if (env_.config.mutated(Mutant::kDiesOfGarbage)) std::_Exit(1);
  down(DownReason::kLost, {Errc::kIo, why, {}}, CloseKind::kFin);
}

void Channel::have_more_patience() {
  for (InFlight& sent : in_flight_) sent.deadline = env_.clock.now() + sent.request.timeout;
  watch_response();
}

bool Channel::answer(const Slice& frame) {
  const auto broken = [this](const std::string& why) {
    unreadable(why);
    return false;
  };
  const bool trusts = env_.config.mutated(Mutant::kAnyAnswerWillDo);
  if (in_flight_.empty()) return trusts || broken("a response to no request");
  const std::int16_t key = in_flight_.front().request.api_key;
  const std::int16_t version = in_flight_.front().version;
  std::size_t offset = 0;
  const auto id = protocol::decode_response_header(
      frame, protocol::response_header_version(key, version), offset);
  if (!id) return broken(id.error().to_string());
  if (*id != in_flight_.front().correlation_id && !trusts)
    return broken("responses are out of order");
  InFlight answered = std::move(in_flight_.front());
  in_flight_.pop_front();
  watch_response();
  used_ = used_ || key == protocol::ProduceRequest::kApiKey;
  answering_ = true;
  if (answered.request.done) answered.request.done(frame.part(offset), version);
  answering_ = false;
  const auto reading = answered.request.reading;
  if (reading && reading->unreadable && env_.config.mutated(Mutant::kBelievesAnyCount))
    splitter_.make_room(SIZE_MAX);
  if (reading && reading->unreadable && !env_.config.mutated(Mutant::kSwallowsGarbage)) {
    in_flight_.push_front(std::move(answered));
    return broken(reading->unreadable->to_string());
  }
  if (reading && client_throttles(key, version)) hold_off(reading->throttle);
  return state_ != State::kDown;
}

// The broker reads nothing meanwhile: what is in flight has that much longer, too.
void Channel::hold_off(Millis time) {
  if (time <= Millis::zero() || state_ != State::kReady) return;
  if (env_.config.mutated(Mutant::kIgnoresThrottle)) return;
  held_until_ = std::max(held_until_, env_.clock.now() + time);
  for (InFlight& sent : in_flight_) sent.deadline += time;
  watch_response();
  env_.timers.cancel(hold_timer_);
  hold_timer_ = env_.timers.after(held_until_ - env_.clock.now(), [this] {
    hold_timer_ = 0;
    flush();
  });
}

void Channel::watch_response() {
  env_.timers.cancel(response_timer_);
  response_timer_ = 0;
  if (in_flight_.empty()) return;
  TimePoint earliest = TimePoint::max();
  for (const InFlight& sent : in_flight_) earliest = std::min(earliest, sent.deadline);
  response_timer_ = env_.timers.after(earliest - env_.clock.now(), [this] {
    down(state_ == State::kReady ? DownReason::kTimedOut : DownReason::kNotReached,
         {Errc::kTimeout, "no response in time", {}}, CloseKind::kFin);
  });
}

Nanos Channel::idle_limit() const {
  const Config& config = env_.config;
  if (config.mutated(Mutant::kIdleNeverClose) || config.passive_idle()) return Nanos(-1);
  if (config.mutated(Mutant::kIdleEager)) return Millis(500);
  if (config.idle < Millis::zero()) {
    return config.mutated(Mutant::kIdleIgnoresOff) ? Nanos(std::chrono::seconds(2)) : Nanos(-1);
  }
  if (config.mutated(Mutant::kIdleCloseEarly)) return Nanos(config.idle) / 2;
  if (config.mutated(Mutant::kIdleCloseSlack)) return Nanos(config.idle) * 13 / 10;
  if (config.mutated(Mutant::kIdleCloseLate)) return Nanos(config.idle) * 2;
  return config.idle;
}

void Channel::watch_idle() {
  const Nanos limit = idle_limit();
  if (limit < Nanos::zero()) return;
  const Nanos left = last_active_ + limit - env_.clock.now();
  idle_timer_ =
      env_.timers.after(std::max(left, Nanos(std::chrono::milliseconds(1))), [this, limit] {
        const bool idle = env_.clock.now() - last_active_ >= limit && load() == 0 && !idle_exempt_;
        if (env_.config.mutated(Mutant::kIdleDespiteTraffic))
          return down(DownReason::kIdle, {Errc::kIo, "idle", {}}, CloseKind::kFin);
        if (!idle) {
          if (env_.clock.now() - last_active_ >= limit) last_active_ = env_.clock.now();
          return watch_idle();
        }
        down(DownReason::kIdle, {Errc::kIo, "idle", {}},
             env_.config.mutated(Mutant::kIdleRst) ? CloseKind::kRst : CloseKind::kFin);
      });
}

void Channel::link_down(const std::string& why) {
  if (env_.config.mutated(Mutant::kDiesOfGarbage) && splitter_.in_the_middle()) std::_Exit(1);
  down(state_ == State::kReady ? DownReason::kLost : DownReason::kNotReached, {Errc::kIo, why, {}},
       CloseKind::kFin);
}

void Channel::down(DownReason reason, const Error& error, CloseKind kind) {
  if (state_ == State::kDown) return;
  state_ = State::kDown;
  for (auto* timer : {&setup_timer_, &response_timer_, &idle_timer_, &close_timer_, &hold_timer_}) {
    env_.timers.cancel(std::exchange(*timer, 0));
  }
  link_->close(kind);
  auto in_flight = std::exchange(in_flight_, {});
  auto queued = std::exchange(queued_, {});
  if (observer_.down) observer_.down(reason);
  if (env_.config.mutated(Mutant::kForgetsRequests)) return;
  for (InFlight& sent : in_flight) refuse(sent.request, error);
  for (Request& request : queued) refuse(request, error);
}

}  // namespace ktrial::client
