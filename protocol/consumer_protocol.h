// SPDX-License-Identifier: Apache-2.0
// What members of a classic consumer group tell one another inside JoinGroup and SyncGroup: a
// version, then the message in that version. Data of a newer version than we know is read as the
// newest known, as the Java client does: later versions only append.
#pragma once

#include <cstdint>
#include <vector>

#include "common/result.h"
#include "common/slice.h"
#include "protocol/messages/consumer_protocol_assignment.h"
#include "protocol/messages/consumer_protocol_subscription.h"

namespace ktrial::protocol {

std::vector<std::uint8_t> encode_subscription(const ConsumerProtocolSubscription& subscription, std::int16_t version);
Result<ConsumerProtocolSubscription> decode_subscription(const Slice& metadata);

std::vector<std::uint8_t> encode_assignment(const ConsumerProtocolAssignment& assignment, std::int16_t version);
// No bytes at all are an empty assignment: that is what a member without one gets.
Result<ConsumerProtocolAssignment> decode_assignment(const Slice& assignment);

}  // namespace ktrial::protocol
