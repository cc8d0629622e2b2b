// SPDX-License-Identifier: Apache-2.0
// The range assignor: a topic's partitions in order, in as equal runs as can be, to its members in
// order.
#pragma once

#include "clients/reference/assignor.h"

namespace ktrial::client {

class RangeAssignor final : public Assignor {
 public:
  [[nodiscard]] std::string_view name() const override { return "range"; }
  [[nodiscard]] Assignment assign(const Subscriptions& subscriptions,
                                  const PartitionCounts& partitions) const override;
};

}  // namespace ktrial::client
