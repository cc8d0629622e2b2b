// SPDX-License-Identifier: Apache-2.0
// The sticky assignors (KIP-54, KIP-429): as balanced as subscriptions allow, and among such
// assignments one near to what the members had. The eager one learns that from user data, because
// its members have given everything up before they join; the cooperative one from what they still
// own, and it withholds what another member must give up first.
#pragma once

#include "clients/reference/assignor.h"

namespace ktrial::client {

class StickyAssignor final : public Assignor {
 public:
  [[nodiscard]] std::string_view name() const override { return "sticky"; }
  [[nodiscard]] std::vector<std::uint8_t> user_data(const std::vector<TopicPartition>& had,
                                                    std::int32_t generation) const override;
  [[nodiscard]] Assignment assign(const Subscriptions& subscriptions,
                                  const PartitionCounts& partitions) const override;
};

class CooperativeStickyAssignor final : public Assignor {
 public:
  [[nodiscard]] std::string_view name() const override { return "cooperative-sticky"; }
  [[nodiscard]] bool cooperative() const override { return true; }
  [[nodiscard]] std::vector<std::uint8_t> user_data(const std::vector<TopicPartition>& had,
                                                    std::int32_t generation) const override;
  [[nodiscard]] Assignment assign(const Subscriptions& subscriptions,
                                  const PartitionCounts& partitions) const override;
};

}  // namespace ktrial::client
