// SPDX-License-Identifier: Apache-2.0
// Authentication: where a connection of a SASL listener stands: which requests it may send, its
// exchange, its session's end and its re-authentication (KIP-43, KIP-152, KIP-368). Decides;
// answers are the handlers' (sasl_handshake.cc, sasl_authenticate.cc) and the connection's.
#pragma once

#include "common/clock.h"
#include "fakebroker/security/sasl_server.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ktrial::fakebroker {

class Authentication {
 public:
  // sasl.server.max.receive.size: until it is authenticated, a client sends no longer frame.
  static constexpr std::int64_t kMostBytes = 524'288;

  // `mechanisms`: those of the listener. All that is referred to must outlive this.
  Authentication(const SaslBackends& backends, const std::vector<std::string>& mechanisms);

  // What to do with a request: take it, close the connection, or answer ILLEGAL_SASL_STATE, after
  // the delay of failures, and close.
  enum class Admission : std::uint8_t { kAdmitted, kClose, kIllegalState };
  [[nodiscard]] Admission admit(std::int16_t api_key) const;
  // The next frame is no request but a token: the handshake was of version 0.
  [[nodiscard]] bool takes_raw_tokens() const;
  // After a handshake that changes the mechanism: whatever comes next fails, without an answer.
  [[nodiscard]] bool fails_next() const { return state_ == State::kFailsNext; }

  void saw_api_versions();

  enum class HandshakeOutcome : std::uint8_t { kAccepted, kUnsupported, kIllegalState, kClose };
  HandshakeOutcome handshake(const std::string& mechanism, std::int16_t version);
  [[nodiscard]] const std::vector<std::string>& mechanisms() const { return mechanisms_; }

  struct Step {
    enum class Kind : std::uint8_t { kGoesOn, kFailed, kClose, kIllegalState };
    Kind kind;
    std::string bytes;    // for the client; of a failure: what it is told
    bool at_once = true;  // of a failure in a raw exchange: no delay before the close
    std::int64_t session_lifetime_ms = 0;
  };
  Step authenticate(std::string_view token);

  // Nothing more is taken, and the connection is closed once what was written is out.
  void fail(std::string why);
  [[nodiscard]] bool failed() const { return state_ == State::kFailed; }
  [[nodiscard]] bool complete() const { return state_ == State::kComplete; }
  [[nodiscard]] const std::string& failure() const { return failure_; }
  [[nodiscard]] Millis failure_delay() const { return backends_.spec.failure_delay; }

  // "User:alice"; User:ANONYMOUS before the first success.
  [[nodiscard]] const std::string& principal() const { return principal_; }
  [[nodiscard]] const std::string& mechanism() const { return mechanism_; }
  [[nodiscard]] bool session_expired() const;

 private:
  enum class State : std::uint8_t {
    kInitial,
    kHandshakeOnly,  // after ApiVersions
    kExchange,
    kComplete,
    kFailsNext,
    kFailed,
  };
  void finish(Step& step);
  [[nodiscard]] bool reauthenticating() const { return !principal_mechanism_.empty(); }

  SaslBackends backends_;
  std::vector<std::string> mechanisms_;
  State state_ = State::kInitial;
  std::unique_ptr<SaslServer> server_;
  bool raw_ = false;
  std::string mechanism_;
  std::string principal_;
  std::string principal_mechanism_;  // by which principal_ was authenticated
  std::optional<TimePoint> session_end_;
  std::optional<TimePoint> reauthentication_began_;
  std::string failure_;
};

}  // namespace ktrial::fakebroker
