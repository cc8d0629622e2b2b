// SPDX-License-Identifier: Apache-2.0
#include "fakebroker/state/client_quotas.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>
#include <string_view>

namespace ktrial::fakebroker {
namespace {

enum class Type { kInt, kLong, kDouble };
struct Key {
  std::string_view name;
  Type type;
};
constexpr auto kOfClients = std::to_array<Key>({
    {"producer_byte_rate", Type::kLong},
    {"consumer_byte_rate", Type::kLong},
    {"request_percentage", Type::kDouble},
    {"controller_mutation_rate", Type::kDouble},
});
constexpr auto kOfAddresses = std::to_array<Key>({{"connection_creation_rate", Type::kInt}});

std::optional<std::string> fault_of_value(const Key& key, double value) {
  if (!(value > 0)) return fmt::format("Quota {} must be greater than 0", key.name);
  if (key.type == Type::kDouble) return std::nullopt;
  const bool is_int = key.type == Type::kInt;
  const double most = is_int ? std::numeric_limits<std::int32_t>::max()
                             : static_cast<double>(std::numeric_limits<std::int64_t>::max());
  if (value > most) {
    return fmt::format("Proposed value for {} is too large for {}.", key.name,
                       is_int ? "an INT" : "a LONG");
  }
  if (std::fabs(std::fmod(value, 1.0)) > 1e-6)
    return fmt::format("{} cannot be a fractional value.", key.name);
  return std::nullopt;
}

// Names are not looked up: what looks like one is taken for one.
bool is_address(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == ':' || c == '-';
  });
}

bool matches(const QuotaEntity& entity, const QuotaFilter& filter) {
  if (filter.strict && entity.size() != filter.exact.size() + filter.types.size()) return false;
  for (const auto& [type, name] : filter.exact) {
    const auto found = entity.find(type);
    if (found == entity.end() || found->second != name) return false;
  }
  return std::all_of(filter.types.begin(), filter.types.end(),
                     [&entity](const std::string& type) { return entity.contains(type); });
}

}  // namespace

std::optional<std::string> ClientQuotas::fault_of(const QuotaEntity& entity) {
  if (entity.empty()) return "Invalid empty client quota entity";
  for (const auto& [type, name] : entity) {
    if (type != "user" && type != "client-id" && type != "ip")
      return "Unhandled client quota entity type: " + type;
    if (name && name->empty()) return fmt::format("Empty {} not supported", type);
  }
  const auto ip = entity.find("ip");
  if (ip == entity.end()) return std::nullopt;
  if (entity.size() > 1) {
    return "Invalid quota entity combination, IP entity shouldnot be combined with User or "
           "ClientId";
  }
  if (ip->second && !is_address(*ip->second))
    return fmt::format("{} is not a valid IP or resolvable host.", *ip->second);
  return std::nullopt;
}

std::optional<std::string> ClientQuotas::fault_of(const QuotaEntity& entity, const std::string& key,
                                                  double value) {
  const std::span<const Key> keys =
      entity.contains("ip") ? std::span<const Key>(kOfAddresses) : std::span<const Key>(kOfClients);
  const auto found = std::find_if(keys.begin(), keys.end(),
                                  [&key](const Key& known) { return known.name == key; });
  if (found == keys.end()) return "Invalid configuration key " + key;
  return fault_of_value(*found, value);
}

void ClientQuotas::alter(const QuotaEntity& entity, const std::vector<QuotaChange>& changes) {
  Quotas& quotas = quotas_[entity];
  for (const QuotaChange& change : changes) {
    if (change.value) {
      quotas[change.key] = *change.value;
    } else {
      quotas.erase(change.key);
    }
  }
  if (quotas.empty()) quotas_.erase(entity);
}

std::map<QuotaEntity, Quotas> ClientQuotas::find(const QuotaFilter& filter) const {
  std::map<QuotaEntity, Quotas> found;
  for (const auto& [entity, quotas] : quotas_) {
    if (matches(entity, filter)) found.emplace(entity, quotas);
  }
  return found;
}

}  // namespace ktrial::fakebroker
