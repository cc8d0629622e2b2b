// SPDX-License-Identifier: Apache-2.0
#include "fakebroker/state/features.h"

#include <fmt/core.h>

#include <algorithm>

namespace ktrial::fakebroker {
namespace {

constexpr std::string_view kMetadata = "metadata.version";

}  // namespace

// In order of name.
Features::Features(bool consumer_groups, bool share_groups) {
  if (consumer_groups) supported_.push_back({"group.version", 0, 1});
  supported_.push_back({kMetadata, 7, 33});
  if (share_groups) supported_.push_back({"share.version", 0, 2});
  supported_.push_back({"transaction.version", 0, 2});
  for (const Feature& feature : supported_) finalized_.emplace(feature.name, feature.max);
}

std::optional<std::string> Features::fault_of(const std::string& name, std::int16_t level,
                                              FeatureUpgrade upgrade, int controller) const {
  const auto fault = [&](const std::string& why) {
    return fmt::format("Invalid update version {} for feature {}. {}", level, name, why);
  };
  if (upgrade < FeatureUpgrade::kUpgrade || upgrade > FeatureUpgrade::kUnsafeDowngrade)
    return fault("The controller does not support the given upgrade type.");
  if (level < 0) return fault("A feature version cannot be less than 0.");
  const auto all = supported();
  const auto known =
      std::find_if(all.begin(), all.end(), [&](const Feature& one) { return one.name == name; });
  if (known == all.end())
    return fault(fmt::format("Local controller {} does not support this feature.", controller));
  if (level < known->min || level > known->max) {
    return fault(fmt::format("Local controller {} only supports versions {}-{}", controller,
                             known->min, known->max));
  }
  const auto set = finalized_.find(name);
  const std::int16_t present = set == finalized_.end() ? std::int16_t{0} : set->second;
  if (level < present && upgrade == FeatureUpgrade::kUpgrade) {
    return fault(
        "Can't downgrade the version of this feature without setting the upgrade type to either "
        "safe or unsafe downgrade.");
  }
  if (level > present && upgrade != FeatureUpgrade::kUpgrade)
    return fault("Can't downgrade to a newer version.");
  // What was written at the higher level could be lost; no release has dared it yet.
  if (name == kMetadata && level < present) {
    return fmt::format("Invalid metadata.version {}. {}", level,
                       upgrade == FeatureUpgrade::kUnsafeDowngrade
                           ? "Unsafe metadata downgrade is not supported in this version."
                           : "Refusing to perform the requested downgrade because it might delete "
                             "metadata information.");
  }
  return std::nullopt;
}

void Features::finalize(const std::map<std::string, std::int16_t>& levels) {
  for (const auto& [name, level] : levels) {
    if (level == 0) {
      finalized_.erase(name);
    } else {
      finalized_[name] = level;
    }
  }
  ++epoch_;
}

}  // namespace ktrial::fakebroker
