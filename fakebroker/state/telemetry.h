// SPDX-License-Identifier: Apache-2.0
// Telemetry (KIP-714): which metrics a client is to push how often, by the subscriptions that are
// configured, and the checks of what it pushes. Pushes are counted, not read. Each broker keeps its
// clients for itself.
#pragma once

#include "common/clock.h"
#include "fakebroker/state/configs.h"
#include "protocol/errors.h"
#include "protocol/uuid.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace ktrial::fakebroker {

// What subscriptions may ask of a client.
struct TelemetryClient {
  int broker = 0;
  std::uint64_t connection = 0;
  protocol::Uuid instance;
  std::string client_id;
  std::string address;
};

struct TelemetrySubscription {
  std::int32_t id = 0;
  std::int32_t push_interval_ms = 0;
  std::vector<std::string> metrics;  // in order; "*" alone: all
};

struct TelemetryPush {
  std::int32_t subscription = 0;
  bool terminating = false;
  std::int8_t compression = 0;
  std::size_t bytes = 0;
};

class Telemetry {
 public:
  static constexpr std::int32_t kMaxBytes = 1 << 20;  // telemetry.max.bytes

  Telemetry(Clock& clock, const Configs& configs) : clock_(clock), configs_(configs) {}

  // From ApiVersions, for subscriptions that ask for it.
  void note_software(std::uint64_t connection, std::string name, std::string version);
  // Clients are told of it when they next ask.
  void subscriptions_changed() { ++version_; }

  // An id for a client that has none.
  [[nodiscard]] protocol::Uuid next_instance();
  // kThrottlingQuotaExceeded if it asked or pushed less than an interval ago.
  protocol::KafkaError subscribe(const TelemetryClient& client, TelemetrySubscription& answer);
  protocol::KafkaError push(const TelemetryClient& client, const TelemetryPush& push);

  struct Pushed {
    std::uint64_t pushes = 0;
    std::uint64_t bytes = 0;
  };
  [[nodiscard]] const Pushed& pushed() const { return pushed_; }

 private:
  struct Instance {
    std::uint64_t connection = 0;
    std::uint64_t version = 0;
    TelemetrySubscription subscription;
    std::optional<TimePoint> asked;
    std::optional<TimePoint> pushed;
    protocol::KafkaError last_error = protocol::KafkaError::kNone;  // of a push
    bool terminating = false;
  };
  Instance& instance_of(const TelemetryClient& client);
  [[nodiscard]] TelemetrySubscription subscription_of(const TelemetryClient& client) const;
  [[nodiscard]] bool is_meant(const TelemetryClient& client, const std::string& subscription) const;
  [[nodiscard]] std::optional<std::string> attribute(const TelemetryClient& client,
                                                     std::string_view name) const;
  [[nodiscard]] protocol::KafkaError check(Instance& instance, const TelemetryPush& push) const;
  void forget_idle();

  Clock& clock_;
  const Configs& configs_;
  std::uint64_t version_ = 0;
  std::uint64_t last_instance_ = 0;
  Pushed pushed_;
  std::map<std::pair<int, protocol::Uuid>, Instance> instances_;
  std::map<std::uint64_t, std::pair<std::string, std::string>> software_;  // by connection
};

}  // namespace ktrial::fakebroker
