// SPDX-License-Identifier: Apache-2.0
// What ShareFetch and ShareAcknowledge have in common: acknowledgements by partition, checked and
// then applied.
#pragma once

#include "fakebroker/request_context.h"
#include "fakebroker/state/share_partition.h"
#include "fakebroker/state/share_sessions.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ktrial::fakebroker {

using Acknowledgements = std::map<ShareTarget, std::vector<ShareAcknowledgement>>;
using AcknowledgeResults = std::map<ShareTarget, ShareFault>;

// Of either request.
template <class Request>
Acknowledgements acknowledgements_of(const Request& request) {
  Acknowledgements all;
  for (const auto& topic : request.topics) {
    for (const auto& partition : topic.partitions) {
      auto& batches = all[{topic.topic_id, partition.partition_index}];
      batches.clear();
      for (const auto& batch : partition.acknowledgement_batches)
        batches.push_back({batch.first_offset, batch.last_offset, batch.acknowledge_types});
    }
  }
  return all;
}

struct Acknowledger {
  const std::string& group;
  const std::string& member;
  bool knows_renew = false;  // from v2 on
  bool renews = false;       // and means to
};
AcknowledgeResults acknowledge(RequestContext& ctx, const Acknowledger& who,
                               const Acknowledgements& all);

// Group and member ids that a share request must have.
bool is_share_identity(const std::optional<std::string>& group,
                       const std::optional<std::string>& member);

}  // namespace ktrial::fakebroker
