// SPDX-License-Identifier: Apache-2.0
// End to end: share groups (KIP-932), from joining to describing what was read. What is expected
// was answered by a Kafka 4.4 broker.
#include "fakebroker/cluster_for_test.h"
#include "fakebroker/groups_for_test.h"
#include "fakebroker/requests_for_test.h"
#include "fakebroker/state/share_partition.h"
#include "protocol/messages/alter_share_group_offsets_request.h"
#include "protocol/messages/alter_share_group_offsets_response.h"
#include "protocol/messages/delete_groups_request.h"
#include "protocol/messages/delete_groups_response.h"
#include "protocol/messages/delete_share_group_offsets_request.h"
#include "protocol/messages/delete_share_group_offsets_response.h"
#include "protocol/messages/describe_share_group_offsets_request.h"
#include "protocol/messages/describe_share_group_offsets_response.h"
#include "protocol/messages/list_groups_request.h"
#include "protocol/messages/list_groups_response.h"
#include "protocol/messages/share_acknowledge_request.h"
#include "protocol/messages/share_acknowledge_response.h"
#include "protocol/messages/share_fetch_request.h"
#include "protocol/messages/share_fetch_response.h"
#include "protocol/messages/share_group_describe_request.h"
#include "protocol/messages/share_group_describe_response.h"
#include "protocol/messages/share_group_heartbeat_request.h"
#include "protocol/messages/share_group_heartbeat_response.h"

#include <gtest/gtest.h>

#include <array>
#include <tuple>

namespace ktrial::fakebroker {
namespace {

using protocol::KafkaError;
using protocol::ShareAcknowledgeRequest;
using protocol::ShareAcknowledgeResponse;
using protocol::ShareFetchRequest;
using protocol::ShareFetchResponse;
using Acquired = std::vector<std::array<std::int64_t, 3>>;  // first, last, delivery count

Acquired acquired(const ShareFetchResponse& response) {
  Acquired all;
  for (const auto& topic : response.responses) {
    for (const auto& partition : topic.partitions) {
      for (const auto& range : partition.acquired_records)
        all.push_back({range.first_offset, range.last_offset, range.delivery_count});
    }
  }
  return all;
}

struct ShareGroupsApiTest : testing::Test {
  ClusterForTest cluster{spec_for_test(1)};
  ClientForTest client{cluster.broker(1)};
  ClientForTest other{cluster.broker(1)};
  protocol::Uuid topic_id =
      client.call<protocol::MetadataResponse>(a_metadata(), 12).topics.at(0).topic_id;

  protocol::ShareGroupHeartbeatResponse beat(const std::string& member, std::int32_t epoch,
                                             bool subscribes = false) {
    protocol::ShareGroupHeartbeatRequest request;
    request.group_id = "g";
    request.member_id = member;
    request.member_epoch = epoch;
    if (subscribes) request.subscribed_topic_names = {"t"};
    return client.call<protocol::ShareGroupHeartbeatResponse>(request, 1);
  }
  ShareFetchRequest a_share_fetch(const std::string& member, std::int32_t epoch) const {
    ShareFetchRequest request;
    request.group_id = "g";
    request.member_id = member;
    request.share_session_epoch = epoch;
    request.min_bytes = 1;
    request.max_bytes = 1 << 20;
    request.max_records = 500;
    request.batch_size = 500;
    if (epoch != 0) return request;
    auto& topic = request.topics.emplace_back();
    topic.topic_id = topic_id;
    topic.partitions.emplace_back().partition_index = 0;
    return request;
  }
  ShareFetchResponse share_fetch(const std::string& member, std::int32_t epoch) {
    return client.call<ShareFetchResponse>(a_share_fetch(member, epoch), 2);
  }
  ShareAcknowledgeRequest an_acknowledgement(const std::string& member, std::int32_t epoch,
                                             std::int64_t first, std::int64_t last,
                                             std::int8_t type) const {
    ShareAcknowledgeRequest request;
    request.group_id = "g";
    request.member_id = member;
    request.share_session_epoch = epoch;
    auto& topic = request.topics.emplace_back();
    topic.topic_id = topic_id;
    auto& batch = topic.partitions.emplace_back().acknowledgement_batches.emplace_back();
    batch.first_offset = first;
    batch.last_offset = last;
    batch.acknowledge_types = {type};
    return request;
  }
  KafkaError acknowledge(const ShareAcknowledgeRequest& request, std::int16_t version = 2) {
    const auto response = client.call<ShareAcknowledgeResponse>(request, version);
    if (response.responses.empty()) return error_of(response);
    return error_of(response.responses.at(0).partitions.at(0));
  }
  void begin_at(std::int64_t offset) {
    protocol::AlterShareGroupOffsetsRequest request;
    request.group_id = "g";
    auto& topic = request.topics.emplace_back();
    topic.topic_name = "t";
    topic.partitions.emplace_back().start_offset = offset;
    const auto response = client.call<protocol::AlterShareGroupOffsetsResponse>(request, 0);
    ASSERT_EQ(error_of(response), KafkaError::kNone);
    ASSERT_EQ(error_of(response.responses.at(0).partitions.at(0)), KafkaError::kNone);
  }
  // The start offset and the lag.
  std::pair<std::int64_t, std::int64_t> offsets(std::int16_t version = 1) {
    protocol::DescribeShareGroupOffsetsRequest request;
    auto& group = request.groups.emplace_back();
    group.group_id = "g";
    auto& topic = group.topics.emplace().emplace_back();
    topic.topic_name = "t";
    topic.partitions = {0};
    const auto response =
        client.call<protocol::DescribeShareGroupOffsetsResponse>(request, version);
    const auto& shown = response.groups.at(0).topics.at(0).partitions.at(0);
    return {shown.start_offset, shown.lag};
  }
  void produce_three() { produce(client, a_produce(a_batch({.timestamps = {1, 2, 3}}))); }
};

TEST_F(ShareGroupsApiTest, RecordsAreAcquiredAcknowledgedAndDescribed) {
  produce_three();
  begin_at(0);
  EXPECT_EQ(offsets(), std::pair(0L, 3L));
  const auto fetched = share_fetch("a", 0);
  EXPECT_EQ(fetched.acquisition_lock_timeout_ms, 30'000);
  EXPECT_EQ(acquired(fetched), (Acquired{{0, 2, 1}}));
  EXPECT_FALSE(fetched.responses.at(0).partitions.at(0).records->empty());
  EXPECT_EQ(acknowledge(an_acknowledgement("a", 1, 0, 0, kAccept)), KafkaError::kNone);
  EXPECT_EQ(offsets(), std::pair(0L, 2L));
  EXPECT_EQ(offsets(0), std::pair(0L, -1L));
  EXPECT_EQ(acknowledge(an_acknowledgement("a", 2, 1, 2, kRelease)), KafkaError::kNone);
  EXPECT_EQ(acquired(share_fetch("a", 3)), (Acquired{{1, 2, 2}}));
}

TEST_F(ShareGroupsApiTest, AcknowledgementsTravelWithTheNextFetch) {
  produce_three();
  begin_at(0);
  share_fetch("a", 0);
  auto next = a_share_fetch("a", 1);
  auto& topic = next.topics.emplace_back();
  topic.topic_id = topic_id;
  auto& batch = topic.partitions.emplace_back().acknowledgement_batches.emplace_back();
  batch.last_offset = 2;
  batch.acknowledge_types = {kAccept};
  const auto answer = client.call<ShareFetchResponse>(next, 1);
  EXPECT_EQ(answer.responses.at(0).partitions.at(0).acknowledge_error_code, 0);
  EXPECT_EQ(offsets(), std::pair(0L, 0L));
}

TEST_F(ShareGroupsApiTest, AFetchWaitsForWhatIsProducedOrReleased) {
  begin_at(0);
  auto patient = a_share_fetch("a", 0);
  patient.max_wait_ms = 60'000;
  const auto first = client.send(patient, 2);
  EXPECT_TRUE(cluster.saw_request(ShareFetchRequest::kApiKey));
  produce(other, a_produce(a_batch()));
  EXPECT_EQ(acquired(client.receive<ShareFetchResponse>(first, 2)), (Acquired{{0, 0, 1}}));
  auto second = a_share_fetch("b", 0);
  second.max_wait_ms = 60'000;
  const auto waits = other.send(second, 2);
  EXPECT_EQ(acknowledge(an_acknowledgement("a", 1, 0, 0, kRelease)), KafkaError::kNone);
  EXPECT_EQ(acquired(other.receive<ShareFetchResponse>(waits, 2)), (Acquired{{0, 0, 2}}));
}

TEST_F(ShareGroupsApiTest, AConnectionThatGoesGivesItsRecordsBack) {
  produce_three();
  begin_at(0);
  auto gone = std::make_unique<ClientForTest>(cluster.broker(1));
  gone->call<ShareFetchResponse>(a_share_fetch("a", 0), 2);
  auto patient = a_share_fetch("b", 0);
  patient.max_wait_ms = 60'000;
  const auto waits = client.send(patient, 2);
  gone.reset();
  EXPECT_EQ(acquired(client.receive<ShareFetchResponse>(waits, 2)), (Acquired{{0, 2, 2}}));
}

TEST_F(ShareGroupsApiTest, SessionsHaveEpochs) {
  produce_three();
  begin_at(0);
  EXPECT_EQ(error_of(share_fetch("a", 1)), KafkaError::kShareSessionNotFound);
  EXPECT_EQ(error_of(share_fetch("a", -1)), KafkaError::kShareSessionNotFound);
  share_fetch("a", 0);
  EXPECT_EQ(error_of(share_fetch("a", 5)), KafkaError::kInvalidShareSessionEpoch);
  EXPECT_EQ(acknowledge(an_acknowledgement("a", 0, 0, 0, kAccept)),
            KafkaError::kInvalidShareSessionEpoch);
  EXPECT_EQ(acknowledge(an_acknowledgement("b", 1, 0, 0, kAccept)),
            KafkaError::kShareSessionNotFound);
  EXPECT_EQ(acknowledge(an_acknowledgement("a", -1, 0, 0, kAccept)), KafkaError::kNone);
  EXPECT_EQ(error_of(share_fetch("a", 1)), KafkaError::kShareSessionNotFound);
  EXPECT_EQ(acquired(share_fetch("b", 0)), (Acquired{{1, 2, 2}}));
}

TEST_F(ShareGroupsApiTest, RenewalsNeedVersionTwoAndTheFlag) {
  produce_three();
  begin_at(0);
  share_fetch("a", 0);
  auto renewal = an_acknowledgement("a", 1, 0, 2, kRenew);
  EXPECT_EQ(acknowledge(renewal), KafkaError::kInvalidRequest);
  renewal.share_session_epoch = 2;
  renewal.is_renew_ack = true;
  EXPECT_EQ(acknowledge(renewal), KafkaError::kNone);
  auto with_fetch = a_share_fetch("a", 3);
  with_fetch.is_renew_ack = true;
  EXPECT_EQ(error_of(client.call<ShareFetchResponse>(with_fetch, 2)), KafkaError::kInvalidRequest);
}

TEST_F(ShareGroupsApiTest, WhatIsNotThereIsTold) {
  produce_three();
  EXPECT_EQ(share_fetch("a", 0).responses.at(0).partitions.at(0).error_code,
            code(KafkaError::kUnknownServerError));  // nobody joined: nothing is initialized
  begin_at(0);
  auto unknown = a_share_fetch("a", 0);
  unknown.topics.at(0).topic_id = protocol::Uuid{.bytes = {9}};
  EXPECT_EQ(client.call<ShareFetchResponse>(unknown, 2).responses.at(0).partitions.at(0).error_code,
            code(KafkaError::kUnknownTopicId));
  auto beyond = a_share_fetch("a", 0);
  beyond.topics.at(0).partitions.at(0).partition_index = 7;
  EXPECT_EQ(client.call<ShareFetchResponse>(beyond, 2).responses.at(0).partitions.at(0).error_code,
            code(KafkaError::kUnknownTopicOrPartition));
  auto nobody = a_share_fetch("a", 0);
  nobody.group_id.reset();
  EXPECT_EQ(error_of(client.call<ShareFetchResponse>(nobody, 2)), KafkaError::kInvalidRequest);
}

TEST_F(ShareGroupsApiTest, MembersJoinAreDescribedListedAndLeave) {
  EXPECT_EQ(error_of(beat("a", 1)), KafkaError::kGroupIdNotFound);
  EXPECT_EQ(beat("a", 0, true).member_epoch, 2);
  protocol::ShareGroupDescribeRequest request;
  request.group_ids = {"g", "none"};
  request.include_authorized_operations = true;
  const auto described = client.call<protocol::ShareGroupDescribeResponse>(request, 1);
  const auto& group = described.groups.at(0);
  EXPECT_EQ(group.group_state, "Stable");
  EXPECT_EQ(group.assignor_name, "simple");
  EXPECT_EQ(group.authorized_operations, 3400);
  EXPECT_EQ(group.members.at(0).client_host, "/127.0.0.1");
  EXPECT_EQ(described.groups.at(1).error_message, "Group none not found.");
  protocol::ListGroupsRequest list;
  list.types_filter = {"Share"};
  EXPECT_EQ(client.call<protocol::ListGroupsResponse>(list, 5).groups.at(0).group_type, "share");
  protocol::DeleteGroupsRequest erase;
  erase.groups_names = {"g"};
  EXPECT_EQ(error_of(client.call<protocol::DeleteGroupsResponse>(erase, 2).results.at(0)),
            KafkaError::kNonEmptyGroup);
  EXPECT_EQ(beat("a", -1).member_epoch, -1);
  EXPECT_EQ(error_of(client.call<protocol::DeleteGroupsResponse>(erase, 2).results.at(0)),
            KafkaError::kNone);
}

TEST_F(ShareGroupsApiTest, OffsetsOfAGroupWithMembersStay) {
  beat("a", 0, true);
  protocol::AlterShareGroupOffsetsRequest alter;
  alter.group_id = "g";
  EXPECT_EQ(error_of(client.call<protocol::AlterShareGroupOffsetsResponse>(alter, 0)),
            KafkaError::kNonEmptyGroup);
  protocol::DeleteShareGroupOffsetsRequest erase;
  erase.group_id = "g";
  erase.topics.emplace_back().topic_name = "t";
  EXPECT_EQ(error_of(client.call<protocol::DeleteShareGroupOffsetsResponse>(erase, 0)),
            KafkaError::kNonEmptyGroup);
  beat("a", -1);
  const auto erased = client.call<protocol::DeleteShareGroupOffsetsResponse>(erase, 0);
  EXPECT_EQ(erased.responses.at(0).topic_id, topic_id);
  const auto again = client.call<protocol::DeleteShareGroupOffsetsResponse>(erase, 0);
  EXPECT_EQ(again.responses.at(0).error_message, "There is no offset information to delete.");
}

TEST_F(ShareGroupsApiTest, OtherProtocolsAreKeptOut) {
  beat("a", 0, true);
  EXPECT_EQ(commit(client, {.offset = 1}), KafkaError::kGroupIdNotFound);
  MemberForTest classic(cluster);
  EXPECT_EQ(error_of(classic.join()), KafkaError::kInconsistentGroupProtocol);
}

}  // namespace
}  // namespace ktrial::fakebroker
