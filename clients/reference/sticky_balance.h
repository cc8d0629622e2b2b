// SPDX-License-Identifier: Apache-2.0
// The sticky assignors' algorithm. Loads are evened out by moving one partition along a path of
// members, each of which may take what the one before gives; when no path leads from a member to
// one with two partitions fewer, the assignment is as balanced as it can be.
#pragma once

#include "clients/reference/assignor.h"

namespace ktrial::client {

// Who has what to begin with: at most one owner each, all still subscribed and existing. Of two
// members that claim the same, the one of the later generation is right; of the same, neither.
std::map<TopicPartition, MemberKey> settle_claims(const Subscriptions& subscriptions,
                                                  const PartitionCounts& partitions);

// `subscriptions` whose `owned` and `generation` are what to stick to.
Assignment assign_sticky(const Subscriptions& subscriptions, const PartitionCounts& partitions);

}  // namespace ktrial::client
