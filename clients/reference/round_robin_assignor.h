// SPDX-License-Identifier: Apache-2.0
// The round-robin assignor: all partitions of all topics in order, one each to the members in
// turn, who are passed over for topics they do not subscribe to.
#pragma once

#include "clients/reference/assignor.h"

namespace ktrial::client {

class RoundRobinAssignor final : public Assignor {
 public:
  [[nodiscard]] std::string_view name() const override { return "roundrobin"; }
  [[nodiscard]] Assignment assign(const Subscriptions& subscriptions,
                                  const PartitionCounts& partitions) const override;
};

}  // namespace ktrial::client
