// SPDX-License-Identifier: Apache-2.0
// WriteTxnMarkers (27), v1-2: a request of coordinators, and of an administrator who ends a hanging
// transaction (KIP-664).
#include "fakebroker/handlers/handlers.h"
#include "fakebroker/handlers/leadership.h"
#include "fakebroker/handlers/refusals.h"
#include "fakebroker/state/transaction_marker.h"
#include "protocol/messages/write_txn_markers_request.h"
#include "protocol/messages/write_txn_markers_response.h"

namespace ktrial::fakebroker {
namespace {

using protocol::KafkaError;
using protocol::WriteTxnMarkersRequest;
using protocol::WriteTxnMarkersResponse;
using protocol::write_txn_markers_request::WritableTxnMarker;

KafkaError write(RequestContext& ctx, const WritableTxnMarker& marker, const std::string& name,
                 std::int32_t index) {
  Partition* const partition = ctx.cluster.topics().find_partition(name, index);
  if (partition == nullptr) return KafkaError::kUnknownTopicOrPartition;
  if (const KafkaError error = check_leader(ctx, *partition); error != KafkaError::kNone)
    return error;
  write_marker(*partition, {marker.producer_id, marker.producer_epoch}, marker.transaction_result,
               marker.coordinator_epoch, ctx.cluster.clock().wall_ms());
  ctx.cluster.fetch_waiters().touch(partition->serial);
  return KafkaError::kNone;
}

template <class Error>
WriteTxnMarkersResponse answer(const WriteTxnMarkersRequest& request, Error error_of) {
  WriteTxnMarkersResponse response;
  for (const WritableTxnMarker& marker : request.markers) {
    auto& result = response.markers.emplace_back();
    result.producer_id = marker.producer_id;
    for (const auto& topic : marker.topics) {
      auto& topic_result = result.topics.emplace_back();
      topic_result.name = topic.name;
      for (const std::int32_t index : topic.partition_indexes) {
        auto& one = topic_result.partitions.emplace_back();
        one.partition_index = index;
        one.error_code = error_of(marker, topic.name, index);
      }
    }
  }
  return response;
}

}  // namespace

Reply write_txn_markers(RequestContext& ctx, const WriteTxnMarkersRequest& request) {
  return answer(request,
                [&ctx](const WritableTxnMarker& marker, const std::string& topic,
                       std::int32_t index) { return code(write(ctx, marker, topic, index)); });
}

Reply refuse_write_txn_markers(RequestContext&, const WriteTxnMarkersRequest& request,
                               std::int16_t error) {
  return answer(request, [error](const auto&, const auto&, auto) { return error; });
}

}  // namespace ktrial::fakebroker
