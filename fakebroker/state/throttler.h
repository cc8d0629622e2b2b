// SPDX-License-Identifier: Apache-2.0
// Throttler: holds clients to their byte rates (KIP-124, KIP-219). Who a limit is for is looked up
// as Kafka does: user and client id together, then the user, then the client id, each by name
// before the default; whoever falls under the same one shares it, on each broker by itself.
#pragma once

#include "fakebroker/state/client_quotas.h"
#include "fakebroker/state/rate_window.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>

namespace ktrial::fakebroker {

struct QuotaHolder {
  int broker = 0;
  std::string_view user = {};
  std::string_view client_id = {};
};

class Throttler {
 public:
  static constexpr std::string_view kProducer = "producer_byte_rate";
  static constexpr std::string_view kConsumer = "consumer_byte_rate";

  explicit Throttler(const ClientQuotas& quotas) : quotas_(quotas) {}

  // Quota, broker, and the user and client id that share the limit.
  using Key = std::tuple<std::string, int, std::string, std::string>;
  struct Limit {
    Key key;
    double bound;
  };
  // What holds for somebody; nothing without a limit.
  [[nodiscard]] static std::optional<Limit> find(const ClientQuotas& quotas, std::string_view quota,
                                                 const QuotaHolder& who);
  // Whether anybody's bytes count at all.
  [[nodiscard]] bool limits(std::string_view quota, const QuotaHolder& who) const {
    return find(quotas_, quota, who).has_value();
  }
  // The most that may be in one answer: what the whole window allows. More would be held back each
  // time and never sent.
  [[nodiscard]] static std::int64_t most_bytes(const ClientQuotas& quotas, std::string_view quota,
                                               const QuotaHolder& who);
  // Counts the bytes; how long the channel is to be muted, zero if the rate allows them.
  Millis charge(std::string_view quota, const QuotaHolder& who, double bytes, TimePoint now);
  // For what was not sent after all.
  void refund(std::string_view quota, const QuotaHolder& who, double bytes, TimePoint now);

 private:
  const ClientQuotas& quotas_;
  std::map<Key, RateWindow> windows_;
};

}  // namespace ktrial::fakebroker
