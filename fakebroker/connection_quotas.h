// SPDX-License-Identifier: Apache-2.0
// ConnectionQuotas: how many connections a broker has, from where, and how fast they come, against
// what its configs allow (KIP-402, KIP-612). It counts and decides; the listener waits and the
// cluster closes. Limits of single listeners (listener.name.NAME.max.connections) are not known.
#pragma once

#include "common/clock.h"
#include "common/result.h"
#include "fakebroker/state/configs.h"
#include "fakebroker/state/rate_window.h"

#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <string_view>

namespace ktrial::fakebroker {

struct ConnectionLimits {
  static constexpr std::int64_t kNone = std::numeric_limits<std::int32_t>::max();  // as in Kafka
  static constexpr std::string_view kOverrides = "max.connections.per.ip.overrides";

  std::int64_t most = kNone;                       // max.connections
  std::int64_t most_per_ip = kNone;                // max.connections.per.ip
  std::map<std::string, std::int64_t> of_ip = {};  // max.connections.per.ip.overrides
  std::int64_t most_per_second = kNone;            // max.connection.creation.rate

  // What holds on the broker now.
  static ConnectionLimits of(const Configs& configs, int broker);
  // "127.0.0.1:5,::1:7": addresses; names are not looked up, but for localhost. kInvalidArgument
  // tells what is none.
  static Result<std::map<std::string, std::int64_t>> read_overrides(std::string_view text);
};

class ConnectionQuotas {
 public:
  explicit ConnectionQuotas(ConnectionLimits limits) : limits_(std::move(limits)) {}

  void set_limits(ConnectionLimits limits) { limits_ = std::move(limits); }

  // One came; how long it is to wait for the rate to fall to what is allowed, at most a second.
  Millis arrived(TimePoint now);
  // Whether it may be taken in; else it waits until another goes.
  [[nodiscard]] bool has_room() const { return count_ < limits_.most; }
  // Counts it; false if its address has as many as it may: then it is to be closed.
  bool take(const std::string& address);
  // One that was taken has gone.
  void leave(const std::string& address);
  // So many are to be closed: the limit was lowered.
  [[nodiscard]] std::int64_t excess() const { return count_ - limits_.most; }
  [[nodiscard]] std::int64_t count() const { return count_; }

 private:
  ConnectionLimits limits_;
  RateWindow rate_;
  std::map<std::string, std::int64_t> by_address_;
  std::int64_t count_ = 0;
};

}  // namespace ktrial::fakebroker
