// SPDX-License-Identifier: Apache-2.0
#include "fakebroker/handlers/share_acknowledgements.h"

#include "fakebroker/handlers/authorization.h"
#include "fakebroker/state/groups.h"
#include "fakebroker/state/shares.h"

#include <algorithm>

namespace ktrial::fakebroker {
namespace {

using protocol::KafkaError;

constexpr std::size_t kLongestMemberId = 36;  // a UUID in hexadecimal

bool is_valid(const ShareAcknowledgement& batch, std::int64_t previous_last,
              const Acknowledger& who) {
  if (batch.first > batch.last || batch.first < previous_last || batch.types.empty()) return false;
  const auto offsets =
      static_cast<std::uint64_t>(batch.last) - static_cast<std::uint64_t>(batch.first) + 1;
  if (batch.types.size() > 1 && batch.types.size() != offsets) return false;
  return std::all_of(batch.types.begin(), batch.types.end(), [&](std::int8_t type) {
    return type >= kGap && (type <= kReject || (type == kRenew && who.knows_renew && who.renews));
  });
}

bool are_valid(const std::vector<ShareAcknowledgement>& batches, const Acknowledger& who) {
  std::int64_t previous_last = -1;
  for (const ShareAcknowledgement& batch : batches) {
    if (!is_valid(batch, previous_last, who)) return false;
    previous_last = batch.last;
  }
  return true;
}

ShareFault apply(RequestContext& ctx, const Acknowledger& who, const ShareTarget& target,
                 const std::vector<ShareAcknowledgement>& batches) {
  Shares& shares = ctx.cluster.shares();
  const Shares::Found found = shares.find(who.group, target);
  // A leader knows of the partitions that were fetched from it.
  if (found.shared == nullptr || !found.shared->is_open() ||
      found.partition->leader != ctx.broker) {
    return {KafkaError::kUnknownTopicOrPartition,
            "This server does not host this topic-partition."};
  }
  ShareFault fault =
      found.shared->acknowledge(who.member, batches, found.group->settings(), ctx.now());
  found.group->watch_locks(target.topic_id, target.partition);
  shares.changed(target);
  return fault;
}

}  // namespace

bool is_share_identity(const std::optional<std::string>& group,
                       const std::optional<std::string>& member) {
  return group && member && !member->empty() && member->size() <= kLongestMemberId;
}

AcknowledgeResults acknowledge(RequestContext& ctx, const Acknowledger& who,
                               const Acknowledgements& all) {
  AcknowledgeResults results;
  std::vector<ShareTarget> without_any;
  bool any = false;
  for (const auto& [target, batches] : all) {
    const Topic* const topic = ctx.cluster.topics().find(target.topic_id);
    if (topic == nullptr) {
      results[target] = {KafkaError::kUnknownTopicId};
    } else if (const KafkaError ruled = ctx.part_error(topic->name, target.partition);
               ruled != KafkaError::kNone && !batches.empty()) {
      results[target] = {ruled};
    } else if (!are_valid(batches, who)) {
      results[target] = {KafkaError::kInvalidRequest};
    } else if (!may_topic(ctx, AclOperation::kRead, topic->name)) {
      results[target] = {KafkaError::kTopicAuthorizationFailed};
    } else if (topic->partition(target.partition) == nullptr) {
      results[target] = {KafkaError::kUnknownTopicOrPartition};
    } else if (batches.empty()) {
      without_any.push_back(target);
    } else {
      any = true;
      results[target] = apply(ctx, who, target, batches);
    }
  }
  if (!any) return results;
  for (const ShareTarget& target : without_any) results[target] = {};
  return results;
}

}  // namespace ktrial::fakebroker
