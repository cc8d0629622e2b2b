// SPDX-License-Identifier: Apache-2.0
// ApiVersions (18), v0-5: the registry as clients see it, and the cluster's features (KIP-584).
// From v5 on a client says whom it means to have reached (KIP-1242).
#include "fakebroker/handlers/handlers.h"
#include "fakebroker/handlers/refusals.h"
#include "fakebroker/handlers/registry.h"
#include "fakebroker/releases/releases.h"
#include "fakebroker/request_context.h"
#include "fakebroker/security/authentication.h"
#include "protocol/messages/api_versions_request.h"
#include "protocol/messages/api_versions_response.h"

#include <algorithm>
#include <string_view>

namespace ktrial::fakebroker {
namespace {

using protocol::ApiVersionsRequest;
using protocol::ApiVersionsResponse;
using protocol::KafkaError;

constexpr std::int16_t kNamesSoftwareFrom = 3;
constexpr std::int16_t kZeroMinimumFrom = 4;

bool is_alphanumeric(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

// KIP-511: letters, digits, dots and dashes, with a letter or digit at both ends.
bool is_valid_software(std::string_view text) {
  if (text.empty() || !is_alphanumeric(text.front()) || !is_alphanumeric(text.back())) return false;
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return is_alphanumeric(c) || c == '-' || c == '.'; });
}

// From v5 on: a broker's id says nothing without its cluster's.
bool half_names_whom(const ApiVersionsRequest& request) {
  return !request.cluster_id && request.node_id != -1;
}

bool meant_another(const RequestContext& ctx, const ApiVersionsRequest& request) {
  const bool other_cluster =
      request.cluster_id && *request.cluster_id != ctx.cluster.spec().cluster_id;
  return other_cluster || (request.node_id != -1 && request.node_id != ctx.broker);
}

const Release* release_of(RequestContext& ctx) {
  const Node* const node = ctx.cluster.find_node(ctx.broker);
  return node == nullptr ? nullptr : node->release;
}

void add_api(ApiVersionsResponse& response, const ApiRow& row) {
  auto& api = response.api_keys.emplace_back();
  api.api_key = row.key;
  api.min_version = row.advertised_min;
  api.max_version = row.max;
}

void add_features(ApiVersionsResponse& response, const Features& features, std::int16_t version) {
  response.finalized_features_epoch = features.epoch();
  for (const Feature& feature : features.supported()) {
    // KAFKA-17492: a client of before v4 takes a minimum of 0 for a fault.
    if (feature.min == 0 && version < kZeroMinimumFrom) continue;
    auto& supported = response.supported_features.emplace_back();
    supported.name = feature.name;
    supported.min_version = feature.min;
    supported.max_version = feature.max;
  }
  for (const auto& [name, level] : features.finalized()) {
    auto& finalized = response.finalized_features.emplace_back();
    finalized.name = name;
    finalized.min_version_level = level;
    finalized.max_version_level = level;
  }
}

}  // namespace

Reply api_versions(RequestContext& ctx, const ApiVersionsRequest& request) {
  ApiVersionsResponse response;
  const bool named = is_valid_software(request.client_software_name) &&
                     is_valid_software(request.client_software_version);
  if (ctx.version() >= kNamesSoftwareFrom && !named) {
    response.error_code = code(KafkaError::kInvalidRequest);
    return response;
  }
  if (half_names_whom(request)) {
    response.error_code = code(KafkaError::kInvalidRequest);
    return response;
  }
  if (meant_another(ctx, request)) {
    response.error_code = code(KafkaError::kRebootstrapRequired);
    return response;
  }
  if (ctx.authentication != nullptr) ctx.authentication->saw_api_versions();
  ctx.cluster.telemetry().note_software(ctx.connection, request.client_software_name,
                                        request.client_software_version);
  const Release* const release = release_of(ctx);
  for (const ApiRow& row : registry()) {
    if (!is_offered(row, ctx.cluster.spec())) continue;
    if (const auto here = offered(row, release)) add_api(response, *here);
  }
  if (release == nullptr || release->has_features())
    add_features(response, ctx.cluster.features(), ctx.version());
  return response;
}

Reply api_versions_unsupported(const Release* release) {
  ApiVersionsResponse response;
  response.error_code = code(KafkaError::kUnsupportedVersion);
  const ApiRow& row = *find_row(ApiVersionsRequest::kApiKey);
  add_api(response, offered(row, release).value_or(row));
  return Reply(std::move(response)).at_version(0);
}

// UNSUPPORTED_VERSION comes as from a broker that is too old for the version.
Reply refuse_api_versions(RequestContext& ctx, const ApiVersionsRequest&, std::int16_t error) {
  if (error == code(KafkaError::kUnsupportedVersion))
    return api_versions_unsupported(release_of(ctx));
  ApiVersionsResponse response;
  response.error_code = error;
  return response;
}

}  // namespace ktrial::fakebroker
