// SPDX-License-Identifier: Apache-2.0
#include "fakebroker/state/throttler.h"

#include <algorithm>
#include <array>
#include <limits>

namespace ktrial::fakebroker {
namespace {

using Name = std::optional<std::string>;

// The entities that may limit somebody, the first of them that has the quota does.
struct Candidate {
  QuotaEntity entity;
  bool by_user;
  bool by_client;
};

std::array<Candidate, 8> candidates(const std::string& user, const std::string& client) {
  const auto both = [](Name of_user, Name of_client) {
    return Candidate{
        {{"user", std::move(of_user)}, {"client-id", std::move(of_client)}}, true, true};
  };
  return {both(user, client),
          both(user, std::nullopt),
          Candidate{{{"user", user}}, true, false},
          both(std::nullopt, client),
          both(std::nullopt, std::nullopt),
          Candidate{{{"user", std::nullopt}}, true, false},
          Candidate{{{"client-id", client}}, false, true},
          Candidate{{{"client-id", std::nullopt}}, false, true}};
}

}  // namespace

std::optional<Throttler::Limit> Throttler::find(const ClientQuotas& quotas, std::string_view quota,
                                                const QuotaHolder& who) {
  const std::map<QuotaEntity, Quotas> all = quotas.find({});
  if (all.empty()) return std::nullopt;
  const std::string key(quota);
  const std::string user(who.user);
  const std::string client(who.client_id);
  for (const Candidate& candidate : candidates(user, client)) {
    const auto entity = all.find(candidate.entity);
    if (entity == all.end()) continue;
    const auto bound = entity->second.find(key);
    if (bound == entity->second.end()) continue;
    return Limit{
        {key, who.broker, candidate.by_user ? user : "", candidate.by_client ? client : ""},
        bound->second};
  }
  return std::nullopt;
}

std::int64_t Throttler::most_bytes(const ClientQuotas& quotas, std::string_view quota,
                                   const QuotaHolder& who) {
  constexpr double kMost = std::numeric_limits<std::int32_t>::max();
  const auto limit = find(quotas, quota, who);
  if (!limit) return static_cast<std::int64_t>(kMost);
  const double seconds = (RateWindow::kSamples - 1) * RateWindow::kSample.count() / 1'000.0;
  return static_cast<std::int64_t>(std::min(limit->bound * seconds, kMost));
}

Millis Throttler::charge(std::string_view quota, const QuotaHolder& who, double bytes,
                         TimePoint now) {
  const auto limit = find(quotas_, quota, who);
  if (!limit) return Millis(0);
  RateWindow& window = windows_[limit->key];
  window.record(bytes, now);
  return window.excess(limit->bound, now);
}

void Throttler::refund(std::string_view quota, const QuotaHolder& who, double bytes,
                       TimePoint now) {
  const auto limit = find(quotas_, quota, who);
  if (limit) windows_[limit->key].record(-bytes, now);
}

}  // namespace ktrial::fakebroker
