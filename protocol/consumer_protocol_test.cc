// SPDX-License-Identifier: Apache-2.0
#include "protocol/consumer_protocol.h"

#include <gtest/gtest.h>

namespace ktrial::protocol {
namespace {

TEST(ConsumerProtocol, ASubscriptionCarriesItsVersion) {
  ConsumerProtocolSubscription subscription;
  subscription.topics = {"orders"};
  const Slice bytes(encode_subscription(subscription, 1));
  EXPECT_EQ(bytes.span()[1], 1);
  const auto decoded = decode_subscription(bytes);
  ASSERT_TRUE(decoded) << decoded.error().to_string();
  EXPECT_EQ(decoded->topics, subscription.topics);
}

TEST(ConsumerProtocol, ANewerVersionIsReadAsTheNewestKnown) {
  ConsumerProtocolSubscription subscription;
  subscription.topics = {"orders"};
  auto bytes = encode_subscription(subscription, ConsumerProtocolSubscription::kMaxVersion);
  bytes[1] = 99;
  bytes.push_back(7);  // a field of that version
  const auto decoded = decode_subscription(Slice(std::move(bytes)));
  ASSERT_TRUE(decoded) << decoded.error().to_string();
  EXPECT_EQ(decoded->topics, subscription.topics);
}

TEST(ConsumerProtocol, NoBytesAreAnEmptyAssignment) {
  const auto decoded = decode_assignment(Slice());
  ASSERT_TRUE(decoded);
  EXPECT_TRUE(decoded->assigned_partitions.empty());
}

TEST(ConsumerProtocol, AFaultSaysWhere) {
  const auto decoded = decode_assignment(Slice(std::vector<std::uint8_t>{0, 0, 0, 0, 0, 9}));
  ASSERT_FALSE(decoded);
  EXPECT_EQ(decoded.error().to_string(), "ConsumerProtocolAssignment v0 assignedPartitions at byte 6: length 9 exceeds the frame by 9");
}

}  // namespace
}  // namespace ktrial::protocol
