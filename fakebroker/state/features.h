// SPDX-License-Identifier: Apache-2.0
// Features (KIP-584): which levels the brokers support and which one the cluster has settled on.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ktrial::fakebroker {

struct Feature {
  std::string_view name;
  std::int16_t min, max;
};

// FeatureUpdate.UpgradeType
enum class FeatureUpgrade : std::int8_t { kUpgrade = 1, kSafeDowngrade = 2, kUnsafeDowngrade = 3 };

class Features {
 public:
  Features(bool consumer_groups, bool share_groups);

  [[nodiscard]] std::span<const Feature> supported() const { return supported_; }
  // A feature at level 0 is not among them.
  [[nodiscard]] const std::map<std::string, std::int16_t, std::less<>>& finalized() const {
    return finalized_;
  }
  [[nodiscard]] std::int64_t epoch() const { return epoch_; }

  // What the controller says against it; nothing if it may be.
  [[nodiscard]] std::optional<std::string> fault_of(const std::string& name, std::int16_t level,
                                                    FeatureUpgrade upgrade, int controller) const;
  void finalize(const std::map<std::string, std::int16_t>& levels);

 private:
  std::vector<Feature> supported_;
  std::map<std::string, std::int16_t, std::less<>> finalized_;
  std::int64_t epoch_ = 1;
};

}  // namespace ktrial::fakebroker
