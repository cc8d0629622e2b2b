// SPDX-License-Identifier: Apache-2.0
#include "fakebroker/state/throttler.h"

#include <array>

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

std::optional<Throttler::Limit> Throttler::find(std::string_view quota,
                                                const QuotaHolder& who) const {
  const std::map<QuotaEntity, Quotas> all = quotas_.find({});
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

Millis Throttler::charge(std::string_view quota, const QuotaHolder& who, double bytes,
                         TimePoint now) {
  const auto limit = find(quota, who);
  if (!limit) return Millis(0);
  RateWindow& window = windows_[limit->key];
  window.record(bytes, now);
  return window.excess(limit->bound, now);
}

void Throttler::refund(std::string_view quota, const QuotaHolder& who, double bytes,
                       TimePoint now) {
  const auto limit = find(quota, who);
  if (limit) windows_[limit->key].record(-bytes, now);
}

}  // namespace ktrial::fakebroker
