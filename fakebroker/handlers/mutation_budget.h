// SPDX-License-Identifier: Apache-2.0
// What one request may change of the topics, by its client's controller_mutation_rate (KIP-599).
#pragma once

#include "fakebroker/request_context.h"
#include "protocol/errors.h"

#include <algorithm>
#include <cstdint>

namespace ktrial::fakebroker {

class MutationBudget {
 public:
  static constexpr const char* kWords = "The throttling quota has been exceeded.";

  // From this version on clients know THROTTLING_QUOTA_EXCEEDED; earlier ones are never refused.
  MutationBudget(RequestContext& ctx, std::int16_t strict_from)
      : ctx_(ctx), strict_(ctx.version() >= strict_from) {}

  // kThrottlingQuotaExceeded if so many partitions may not be made or deleted now.
  protocol::KafkaError take(std::size_t partitions) {
    // The controller counts, whichever broker was asked.
    const QuotaHolder who{ctx_.cluster.controller(), user_of(ctx_.principal), ctx_.client_id()};
    const auto count = static_cast<double>(partitions);
    MutationQuota& quota = ctx_.cluster.mutation_quota();
    const MutationQuota::Verdict verdict =
        strict_ ? quota.take_strictly(who, count, ctx_.now()) : quota.take(who, count, ctx_.now());
    throttle_ = verdict.throttle;
    return verdict.refused ? protocol::KafkaError::kThrottlingQuotaExceeded
                           : protocol::KafkaError::kNone;
  }
  // For the answer; the connection is muted as long.
  [[nodiscard]] std::int32_t throttle_ms() const {
    return static_cast<std::int32_t>(throttle_.count());
  }

 private:
  RequestContext& ctx_;
  bool strict_;
  Millis throttle_{0};
};

}  // namespace ktrial::fakebroker
