// SPDX-License-Identifier: Apache-2.0
// MutationQuota: holds clients to controller_mutation_rate (KIP-599): a partition that is created
// or deleted costs a token of a bucket that fills with so many a second, up to eleven seconds'
// worth (controller.quota.window.num, controller.quota.window.size.seconds). It may be overdrawn
// once.
#pragma once

#include "common/clock.h"
#include "fakebroker/state/throttler.h"

#include <map>

namespace ktrial::fakebroker {

class MutationQuota {
 public:
  static constexpr std::string_view kName = "controller_mutation_rate";
  static constexpr double kBurstSeconds = 11;

  explicit MutationQuota(const ClientQuotas& quotas) : quotas_(quotas) {}

  // Zero, or how long until the client may come again.
  struct Verdict {
    Millis throttle{0};
    bool refused = false;
  };
  // Refuses what comes while the bucket is overdrawn; what overdraws it goes through.
  Verdict take_strictly(const QuotaHolder& who, double mutations, TimePoint now);
  // For clients that do not know THROTTLING_QUOTA_EXCEEDED: nothing is refused.
  Verdict take(const QuotaHolder& who, double mutations, TimePoint now);

 private:
  struct Bucket {
    double tokens = 0;
    TimePoint filled = {};
  };
  Bucket& bucket_of(const Throttler::Limit& limit, TimePoint now);

  const ClientQuotas& quotas_;
  std::map<Throttler::Key, Bucket> buckets_;
};

}  // namespace ktrial::fakebroker
