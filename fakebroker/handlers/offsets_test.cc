// SPDX-License-Identifier: Apache-2.0
// End to end: OffsetCommit, OffsetFetch, OffsetDelete.
#include "fakebroker/cluster_for_test.h"
#include "fakebroker/groups_for_test.h"
#include "fakebroker/requests_for_test.h"
#include "protocol/consumer_protocol.h"
#include "protocol/messages/offset_delete_request.h"
#include "protocol/messages/offset_delete_response.h"

#include <gtest/gtest.h>

namespace ktrial::fakebroker {
namespace {

using protocol::KafkaError;
using protocol::OffsetFetchRequest;
using protocol::OffsetFetchResponse;

struct OffsetsTest : testing::Test {
  ClusterForTest cluster{spec_for_test(1)};
  ClientForTest client{cluster.broker(1)};

  protocol::Uuid topic_id(const std::string& topic = "t") {
    return client.call<protocol::MetadataResponse>(a_metadata(topic), 12).topics.at(0).topic_id;
  }
  KafkaError delete_offset(const std::string& topic, std::int32_t partition,
                           const std::string& group = "g") {
    protocol::OffsetDeleteRequest request;
    request.group_id = group;
    auto& entry = request.topics.emplace_back();
    entry.name = topic;
    entry.partitions.emplace_back().partition_index = partition;
    const auto response = client.call<protocol::OffsetDeleteResponse>(request, 0);
    return response.topics.empty() ? error_of(response)
                                   : error_of(response.topics[0].partitions.at(0));
  }
};

TEST_F(OffsetsTest, WhatIsCommittedInAnyVersionIsFetchedInEvery) {
  const protocol::Uuid id = topic_id();
  for (std::int16_t version = 2; version <= 10; ++version) {
    EXPECT_EQ(commit(client,
                     {.offset = version, .metadata = "m" + std::to_string(version), .topic_id = id},
                     version),
              KafkaError::kNone)
        << version;
    for (std::int16_t fetching = 1; fetching <= 10; ++fetching) {
      const auto fetched = fetch_offset(client, fetching, {.topic_id = id});
      EXPECT_EQ(fetched.error, KafkaError::kNone) << fetching;
      EXPECT_EQ(fetched.offset, version) << fetching;
      EXPECT_EQ(fetched.metadata, "m" + std::to_string(version)) << fetching;
      // The epoch came with v6 of the one and v5 of the other.
      EXPECT_EQ(fetched.leader_epoch, version >= 6 && fetching >= 5 ? 3 : -1) << fetching;
    }
  }
}

TEST_F(OffsetsTest, AGroupThatIsNotThereHasCommittedNothing) {
  const protocol::Uuid id = topic_id();
  for (std::int16_t version = 1; version <= 10; ++version) {
    const auto fetched = fetch_offset(client, version, {.group = "none", .topic_id = id});
    EXPECT_EQ(fetched.error, KafkaError::kNone) << version;
    EXPECT_EQ(fetched.offset, -1) << version;
    EXPECT_EQ(fetched.metadata, "") << version;
  }
}

TEST_F(OffsetsTest, NoListMeansAllAndAnEmptyOneNone) {
  commit(client, {.offset = 5, .partition = 0});
  commit(client, {.offset = 6, .partition = 1});
  OffsetFetchRequest request;
  request.group_id = "g";
  EXPECT_TRUE(client.call<OffsetFetchResponse>(request, 7).topics.empty());
  request.topics.reset();
  for (std::int16_t version = 2; version <= 7; ++version) {
    const auto all = client.call<OffsetFetchResponse>(request, version);
    ASSERT_EQ(all.topics.size(), 1U) << version;
    ASSERT_EQ(all.topics[0].partitions.size(), 2U) << version;
    EXPECT_EQ(all.topics[0].partitions[1].committed_offset, 6) << version;
  }
  request.groups.emplace_back().group_id = "g";
  EXPECT_TRUE(client.call<OffsetFetchResponse>(request, 8).groups.at(0).topics.empty());
  request.groups[0].topics.reset();
  for (std::int16_t version = 8; version <= 10; ++version) {
    const auto all = client.call<OffsetFetchResponse>(request, version).groups.at(0);
    ASSERT_EQ(all.topics.size(), 1U) << version;
    EXPECT_EQ(all.topics[0].partitions.size(), 2U) << version;
  }
  EXPECT_EQ(client.call<OffsetFetchResponse>(request, 10).groups.at(0).topics.at(0).topic_id,
            topic_id());
}

TEST_F(OffsetsTest, ManyGroupsAreAnsweredOneByOne) {
  commit(client, {.offset = 5, .group = "g"});
  commit(client, {.offset = 6, .group = "h"});
  OffsetFetchRequest request;
  for (const char* const group : {"h", "g", "none"}) {
    auto& entry = request.groups.emplace_back();
    entry.group_id = group;
    entry.topics.reset();
  }
  const auto groups = client.call<OffsetFetchResponse>(request, 8).groups;
  ASSERT_EQ(groups.size(), 3U);
  EXPECT_EQ(groups[0].group_id, "h");
  EXPECT_EQ(groups[0].topics.at(0).partitions.at(0).committed_offset, 6);
  EXPECT_EQ(groups[1].topics.at(0).partitions.at(0).committed_offset, 5);
  EXPECT_TRUE(groups[2].topics.empty());
  EXPECT_EQ(error_of(groups[2]), KafkaError::kNone);
}

TEST_F(OffsetsTest, WhatIsNotThereCannotBeCommitted) {
  EXPECT_EQ(commit(client, {.topic = "none"}), KafkaError::kUnknownTopicOrPartition);
  EXPECT_EQ(commit(client, {.partition = 2}), KafkaError::kUnknownTopicOrPartition);
  EXPECT_EQ(commit(client, {}, 10), KafkaError::kUnknownTopicId);
  EXPECT_EQ(fetch_offset(client, 10).error, KafkaError::kUnknownTopicId);
}

TEST_F(OffsetsTest, MetadataHasALimit) {
  EXPECT_EQ(commit(client, {.metadata = std::string(4096, 'm')}), KafkaError::kNone);
  EXPECT_EQ(commit(client, {.metadata = std::string(4097, 'm')}),
            KafkaError::kOffsetMetadataTooLarge);
}

TEST_F(OffsetsTest, OnlyMembersOfTheGenerationCommit) {
  EXPECT_EQ(commit(client, {.member = "somebody", .generation = 1}),
            KafkaError::kIllegalGeneration);
  EXPECT_EQ(commit(client, {.member = "somebody", .generation = 1}, 9),
            KafkaError::kGroupIdNotFound);
  MemberForTest member(cluster);
  member.join();
  EXPECT_EQ(commit(client, {.offset = 5, .member = member.id, .generation = 1}),
            KafkaError::kRebalanceInProgress);
  member.sync({member.id});
  EXPECT_EQ(commit(client, {.offset = 5, .member = member.id, .generation = 1}), KafkaError::kNone);
  EXPECT_EQ(commit(client, {.offset = 6, .member = member.id, .generation = 2}),
            KafkaError::kIllegalGeneration);
  EXPECT_EQ(commit(client, {.offset = 6, .member = "somebody", .generation = 1}),
            KafkaError::kUnknownMemberId);
  EXPECT_EQ(commit(client, {.offset = 6}), KafkaError::kUnknownMemberId);
  EXPECT_EQ(fetch_offset(client, 7).offset, 5);
}

TEST_F(OffsetsTest, OffsetsGoWithTheirTopic) {
  ASSERT_TRUE(cluster->create_topic({.name = "short-lived"}));
  commit(client, {.offset = 5, .topic = "short-lived"});
  ASSERT_TRUE(cluster->delete_topic("short-lived"));
  ASSERT_TRUE(cluster->create_topic({.name = "short-lived"}));
  EXPECT_EQ(fetch_offset(client, 7, {.topic = "short-lived"}).offset, -1);
}

TEST_F(OffsetsTest, OffsetsOfATopicThatNobodyReadsAreDeleted) {
  commit(client, {.offset = 5, .partition = 0});
  commit(client, {.offset = 6, .partition = 1});
  EXPECT_EQ(delete_offset("t", 0), KafkaError::kNone);
  EXPECT_EQ(fetch_offset(client, 7).offset, -1);
  EXPECT_EQ(fetch_offset(client, 7, {.partition = 1}).offset, 6);
  EXPECT_EQ(delete_offset("none", 0), KafkaError::kUnknownTopicOrPartition);
  EXPECT_EQ(delete_offset("t", 9), KafkaError::kUnknownTopicOrPartition);
  EXPECT_EQ(delete_offset("t", 0, "none"), KafkaError::kGroupIdNotFound);
}

TEST_F(OffsetsTest, OffsetsOfATopicThatIsReadAreKept) {
  protocol::ConsumerProtocolSubscription subscription;
  subscription.topics = {"t"};
  protocol::JoinGroupRequest request;
  request.group_id = "g";
  request.session_timeout_ms = 10'000;
  request.protocol_type = "consumer";
  request.protocols.push_back(
      {.name = "range", .metadata = Slice(encode_subscription(subscription, 1))});
  commit(client, {.offset = 5});
  EXPECT_EQ(error_of(client.call<protocol::JoinGroupResponse>(request, 3)), KafkaError::kNone);
  EXPECT_EQ(delete_offset("t", 0), KafkaError::kGroupSubscribedToTopic);
  EXPECT_EQ(fetch_offset(client, 7).offset, 5);
}

TEST_F(OffsetsTest, WhatOtherKindsOfGroupsReadIsNotKnown) {
  protocol::JoinGroupRequest request;
  request.group_id = "g";
  request.session_timeout_ms = 10'000;
  request.protocol_type = "connect";
  request.protocols.emplace_back().name = "eager";
  client.call<protocol::JoinGroupResponse>(request, 3);
  EXPECT_EQ(delete_offset("t", 0), KafkaError::kNonEmptyGroup);
}

}  // namespace
}  // namespace ktrial::fakebroker
