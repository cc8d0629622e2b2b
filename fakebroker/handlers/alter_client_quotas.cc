// SPDX-License-Identifier: Apache-2.0
// AlterClientQuotas (49), v0-1 (KIP-546).
#include "fakebroker/handlers/handlers.h"
#include "fakebroker/handlers/refusals.h"
#include "fakebroker/request_context.h"
#include "protocol/messages/alter_client_quotas_request.h"
#include "protocol/messages/alter_client_quotas_response.h"

#include <algorithm>
#include <set>

namespace ktrial::fakebroker {
namespace {

using protocol::AlterClientQuotasRequest;
using protocol::AlterClientQuotasResponse;
using protocol::KafkaError;
using protocol::alter_client_quotas_request::EntryData;

QuotaEntity entity_of(const EntryData& entry) {
  QuotaEntity entity;
  for (const auto& part : entry.entity) entity[part.entity_type] = part.entity_name;
  return entity;
}

// As the broker's messages have it.
std::string to_string(const QuotaEntity& entity) {
  std::string text;
  for (const auto& [type, name] : entity) {
    if (!text.empty()) text += ", ";
    text += type + '=' + name.value_or("null");
  }
  return "ClientQuotaEntity(entries={" + text + "})";
}

std::optional<std::string> alter(RequestContext& ctx, const EntryData& entry,
                                 const QuotaEntity& entity, bool seen, bool validate_only) {
  std::set<std::string> keys;
  for (const auto& op : entry.ops) keys.insert(op.key);
  if (seen || keys.size() < entry.ops.size())
    return "Ignoring duplicate entity " + to_string(entity);
  if (auto fault = ClientQuotas::fault_of(entity)) return fault;
  std::vector<QuotaChange> changes;
  for (const auto& op : entry.ops) {
    if (!op.remove) {
      if (auto fault = ClientQuotas::fault_of(entity, op.key, op.value)) return fault;
    }
    changes.push_back({op.key, op.remove ? std::nullopt : std::optional(op.value)});
  }
  if (!validate_only) ctx.cluster.client_quotas().alter(entity, changes);
  return std::nullopt;
}

template <class FaultOf>
AlterClientQuotasResponse answer(const AlterClientQuotasRequest& request, FaultOf fault_of) {
  AlterClientQuotasResponse response;
  for (const EntryData& entry : request.entries) {
    auto& result = response.entries.emplace_back();
    fault_of(entry, result);
    for (const auto& part : entry.entity) {
      auto& named = result.entity.emplace_back();
      named.entity_type = part.entity_type;
      named.entity_name = part.entity_name;
    }
  }
  return response;
}

}  // namespace

Reply alter_client_quotas(RequestContext& ctx, const AlterClientQuotasRequest& request) {
  std::set<QuotaEntity> seen;
  return answer(request, [&](const EntryData& entry, auto& result) {
    const QuotaEntity entity = entity_of(entry);
    const bool twice = !seen.insert(entity).second;
    result.error_message = alter(ctx, entry, entity, twice, request.validate_only);
    result.error_code = result.error_message ? code(KafkaError::kInvalidRequest) : std::int16_t{0};
  });
}

Reply refuse_alter_client_quotas(RequestContext&, const AlterClientQuotasRequest& request,
                                 std::int16_t error) {
  return answer(request, [error](const EntryData&, auto& result) {
    result.error_code = error;
    result.error_message = std::nullopt;
  });
}

}  // namespace ktrial::fakebroker
