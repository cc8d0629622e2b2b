// SPDX-License-Identifier: Apache-2.0
// ListPartitionReassignments (46), v0 (KIP-455): reassignments under way, of which there are none:
// each is done before AlterPartitionReassignments is answered.
#include "fakebroker/handlers/handlers.h"
#include "fakebroker/request_context.h"
#include "protocol/messages/list_partition_reassignments_request.h"
#include "protocol/messages/list_partition_reassignments_response.h"

namespace ktrial::fakebroker {

Reply list_partition_reassignments(RequestContext&,
                                   const protocol::ListPartitionReassignmentsRequest&) {
  protocol::ListPartitionReassignmentsResponse response;
  response.error_message = std::nullopt;
  return response;
}

}  // namespace ktrial::fakebroker
