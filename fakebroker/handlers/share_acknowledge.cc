// SPDX-License-Identifier: Apache-2.0
// ShareAcknowledge (79), v1-2 (KIP-932): what became of records that a share session acquired.
#include "fakebroker/handlers/authorization.h"
#include "fakebroker/handlers/handlers.h"
#include "fakebroker/handlers/leadership.h"
#include "fakebroker/handlers/refusals.h"
#include "fakebroker/handlers/share_acknowledgements.h"
#include "fakebroker/state/shares.h"
#include "protocol/messages/share_acknowledge_request.h"
#include "protocol/messages/share_acknowledge_response.h"

namespace ktrial::fakebroker {
namespace {

using protocol::KafkaError;
using protocol::ShareAcknowledgeRequest;
using protocol::ShareAcknowledgeResponse;

constexpr std::int16_t kRenewFrom = 2;

ShareAcknowledgeResponse failed(KafkaError error) {
  ShareAcknowledgeResponse response;
  response.error_code = code(error);
  return response;
}

ShareAcknowledgeResponse answer(const AcknowledgeResults& results) {
  ShareAcknowledgeResponse response;
  for (const auto& [target, fault] : results) {
    if (response.responses.empty() || response.responses.back().topic_id != target.topic_id)
      response.responses.emplace_back().topic_id = target.topic_id;
    auto& partition = response.responses.back().partitions.emplace_back();
    partition.partition_index = target.partition;
    partition.error_code = code(fault.error);
    if (!fault.message.empty()) partition.error_message = fault.message;
  }
  return response;
}

}  // namespace

Reply share_acknowledge(RequestContext& ctx, const ShareAcknowledgeRequest& request) {
  if (!is_share_identity(request.group_id, request.member_id))
    return failed(KafkaError::kInvalidRequest);
  if (!may_group(ctx, AclOperation::kRead, *request.group_id))
    return failed(KafkaError::kGroupAuthorizationFailed);
  ShareSessions& sessions = ctx.cluster.shares().sessions(ctx.broker);
  const KafkaError error =
      sessions.resume(*request.group_id, *request.member_id, request.share_session_epoch);
  if (error != KafkaError::kNone) return failed(error);
  const Acknowledger who{*request.group_id, *request.member_id, ctx.version() >= kRenewFrom,
                         request.is_renew_ack};
  ShareAcknowledgeResponse response = answer(acknowledge(ctx, who, acknowledgements_of(request)));
  response.acquisition_lock_timeout_ms =
      static_cast<std::int32_t>(ctx.cluster.share_settings(*request.group_id).record_lock.count());
  if (request.share_session_epoch == ShareSessions::kClose)
    ctx.cluster.shares().close_session(ctx.broker, *request.group_id, *request.member_id);
  return response;
}

Reply refuse_share_acknowledge(RequestContext&, const ShareAcknowledgeRequest& request,
                               std::int16_t error) {
  AcknowledgeResults results;
  for (const auto& [target, batches] : acknowledgements_of(request))
    results[target] = {static_cast<KafkaError>(error)};
  return answer(results);
}

}  // namespace ktrial::fakebroker
