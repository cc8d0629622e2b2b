// SPDX-License-Identifier: Apache-2.0
// UpdateFeatures (57), v0-2 (KIP-584): all of the levels or, if one may not be, none. ApiVersions
// tells clients of them from then on.
#include "fakebroker/handlers/handlers.h"
#include "fakebroker/request_context.h"
#include "protocol/messages/update_features_request.h"
#include "protocol/messages/update_features_response.h"

namespace ktrial::fakebroker {
namespace {

using protocol::KafkaError;
using protocol::UpdateFeaturesRequest;
using protocol::UpdateFeaturesResponse;

constexpr std::int16_t kResultsUpTo = 1;

}  // namespace

Reply update_features(RequestContext& ctx, const UpdateFeaturesRequest& request) {
  Features& features = ctx.cluster.features();
  UpdateFeaturesResponse response;
  response.error_message = std::nullopt;
  std::map<std::string, std::int16_t> levels;
  for (const auto& update : request.feature_updates) {
    const auto upgrade = update.allow_downgrade ? FeatureUpgrade::kSafeDowngrade
                                                : static_cast<FeatureUpgrade>(update.upgrade_type);
    if (const auto fault = features.fault_of(update.feature, update.max_version_level, upgrade,
                                             ctx.cluster.controller())) {
      response.error_code = code(KafkaError::kInvalidUpdateVersion);
      response.error_message =
          "The update failed for all features since the following feature had an error: " + *fault;
      return response;
    }
    levels[update.feature] = update.max_version_level;
  }
  if (!request.validate_only) features.finalize(levels);
  if (ctx.version() > kResultsUpTo) return response;
  for (const auto& update : request.feature_updates) {
    auto& result = response.results.emplace_back();
    result.feature = update.feature;
    result.error_message = "NONE";  // Kafka names the error even so
  }
  return response;
}

}  // namespace ktrial::fakebroker
