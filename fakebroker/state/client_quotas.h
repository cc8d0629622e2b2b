// SPDX-License-Identifier: Apache-2.0
// Client quotas: limits by user, client id and IP address (KIP-546), kept and filtered. Who is held
// to them: throttler.h.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ktrial::fakebroker {

// Entity type to name; without a name it is the default of the type.
using QuotaEntity = std::map<std::string, std::optional<std::string>>;
using Quotas = std::map<std::string, double>;

struct QuotaFilter {
  QuotaEntity exact;
  std::vector<std::string> types;  // with any name
  bool strict = false;             // no other types
};

struct QuotaChange {
  std::string key;
  std::optional<double> value;  // none: remove
};

class ClientQuotas {
 public:
  // What is wrong with the entity, or with a new value of it; nothing if it may be.
  [[nodiscard]] static std::optional<std::string> fault_of(const QuotaEntity& entity);
  [[nodiscard]] static std::optional<std::string> fault_of(const QuotaEntity& entity,
                                                           const std::string& key, double value);

  void alter(const QuotaEntity& entity, const std::vector<QuotaChange>& changes);
  [[nodiscard]] std::map<QuotaEntity, Quotas> find(const QuotaFilter& filter) const;

 private:
  std::map<QuotaEntity, Quotas> quotas_;
};

}  // namespace ktrial::fakebroker
