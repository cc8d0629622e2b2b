// SPDX-License-Identifier: Apache-2.0
#include "fakebroker/state/mutation_quota.h"

#include <algorithm>
#include <cmath>

namespace ktrial::fakebroker {
namespace {

Millis time_to_fill(double tokens, double rate) {
  if (tokens >= 0) return Millis(0);
  // The field that carries it has 32 bits.
  return Millis(std::llround(std::min(-tokens / rate * 1'000, 2'147'483'647.0)));
}

}  // namespace

MutationQuota::Bucket& MutationQuota::bucket_of(const Throttler::Limit& limit, TimePoint now) {
  const double most = limit.bound * kBurstSeconds;
  const auto [found, is_new] = buckets_.try_emplace(limit.key, Bucket{most, now});
  Bucket& bucket = found->second;
  const double seconds = std::chrono::duration<double>(now - bucket.filled).count();
  bucket.tokens = std::min(most, bucket.tokens + limit.bound * seconds);
  bucket.filled = now;
  return bucket;
}

MutationQuota::Verdict MutationQuota::take_strictly(const QuotaHolder& who, double mutations,
                                                    TimePoint now) {
  const auto limit = Throttler::find(quotas_, kName, who);
  if (!limit) return {};
  Bucket& bucket = bucket_of(*limit, now);
  if (bucket.tokens < 0) return {time_to_fill(bucket.tokens, limit->bound), true};
  bucket.tokens -= mutations;
  return {};
}

MutationQuota::Verdict MutationQuota::take(const QuotaHolder& who, double mutations,
                                           TimePoint now) {
  const auto limit = Throttler::find(quotas_, kName, who);
  if (!limit) return {};
  Bucket& bucket = bucket_of(*limit, now);
  bucket.tokens -= mutations;
  return {time_to_fill(bucket.tokens, limit->bound), false};
}

}  // namespace ktrial::fakebroker
