// SPDX-License-Identifier: Apache-2.0
// End to end: requests that no usual client sends, answered as a real broker does (differential/).
#include "fakebroker/cluster_for_test.h"
#include "fakebroker/requests_for_test.h"
#include "protocol/errors.h"
#include "protocol/messages/create_partitions_request.h"
#include "protocol/messages/create_partitions_response.h"
#include "protocol/messages/create_topics_request.h"
#include "protocol/messages/create_topics_response.h"
#include "protocol/messages/delete_topics_request.h"
#include "protocol/messages/delete_topics_response.h"
#include "protocol/messages/end_txn_request.h"
#include "protocol/messages/end_txn_response.h"
#include "protocol/messages/list_offsets_request.h"
#include "protocol/messages/list_offsets_response.h"

#include <gtest/gtest.h>

namespace ktrial::fakebroker {
namespace {

using namespace protocol;

struct StrangeRequests : testing::Test {
  ClusterForTest cluster;
  ClientForTest client{cluster.broker(1)};

  std::int16_t create(const create_topics_request::CreatableTopic& topic) {
    CreateTopicsRequest request;
    request.topics.push_back(topic);
    return client.call<CreateTopicsResponse>(request, 7).topics.at(0).error_code;
  }
};

TEST_F(StrangeRequests, BytesBehindTheBodyAreIgnored) {
  auto body = encode_to_bytes(a_metadata(), 9);
  body.insert(body.end(), {1, 2, 3});
  const auto id = client.send_body(MetadataRequest::kApiKey, 9, body);
  EXPECT_EQ(client.receive<MetadataResponse>(id, 9).topics.size(), 1U);
}

TEST_F(StrangeRequests, TopicIdsCountInMetadataFromTwelveOn) {
  auto request = a_metadata();
  request.topics->at(0).topic_id = client.call<MetadataResponse>(request, 12).topics.at(0).topic_id;
  const auto refused = client.call<MetadataResponse>(request, 11);
  EXPECT_TRUE(refused.brokers.empty());
  EXPECT_EQ(refused.topics.at(0).error_code, code(KafkaError::kInvalidRequest));
  request.topics->emplace_back().name = "u";  // without an id, beside one with
  EXPECT_EQ(client.call<MetadataResponse>(request, 12).topics.size(), 1U);
}

TEST_F(StrangeRequests, AnUnknownIsolationLevelIsAFaultOfTheServer) {
  auto request = a_fetch();
  request.isolation_level = 5;
  const auto old = client.call<FetchResponse>(request, 12);
  EXPECT_EQ(old.error_code, code(KafkaError::kUnknownServerError));
  EXPECT_EQ(old.responses.at(0).partitions.at(0).error_code, old.error_code);
  request.topics[0].topic_id =
      client.call<MetadataResponse>(a_metadata(), 12).topics.at(0).topic_id;
  EXPECT_TRUE(client.call<FetchResponse>(request, 13).responses.empty());
}

TEST_F(StrangeRequests, WhatIsNotThereIsToldLastInAFetch) {
  auto request = a_fetch();
  request.topics[0].partitions.insert(request.topics[0].partitions.begin(),
                                      request.topics[0].partitions[0]);
  request.topics[0].partitions[0].partition = 9;
  const auto partitions = client.call<FetchResponse>(request, 12).responses.at(0).partitions;
  ASSERT_EQ(partitions.size(), 2U);
  EXPECT_EQ(partitions[1].partition_index, 9);
}

TEST_F(StrangeRequests, APartitionNamedTwiceInListOffsetsIsRefusedOnce) {
  ListOffsetsRequest request;
  auto& topic = request.topics.emplace_back();
  topic.name = "t";
  topic.partitions.resize(2);
  request.topics.emplace_back().name = "u";  // without partitions: not answered
  const auto response = client.call<ListOffsetsResponse>(request, 7);
  ASSERT_EQ(response.topics.size(), 1U);
  ASSERT_EQ(response.topics[0].partitions.size(), 1U);
  EXPECT_EQ(response.topics[0].partitions[0].error_code, code(KafkaError::kInvalidRequest));
}

TEST_F(StrangeRequests, NobodyCoordinatesTheTransactionWithoutAName) {
  const auto response = client.call<EndTxnResponse>(EndTxnRequest{}, 4);
  EXPECT_EQ(response.error_code, code(KafkaError::kInvalidRequest));
}

TEST_F(StrangeRequests, AManualAssignmentMustBeWholeAndPossible) {
  create_topics_request::CreatableTopic topic;
  topic.name = "manual";
  topic.num_partitions = -1;
  topic.replication_factor = -1;
  topic.assignments.resize(1);
  EXPECT_EQ(create(topic), code(KafkaError::kInvalidReplicaAssignment));
  topic.assignments[0].broker_ids = {9};
  EXPECT_EQ(create(topic), code(KafkaError::kInvalidReplicaAssignment));
  topic.assignments[0].broker_ids = {1};
  topic.num_partitions = 1;
  EXPECT_EQ(create(topic), code(KafkaError::kInvalidRequest));
  topic.num_partitions = -1;
  EXPECT_EQ(create(topic), 0);
}

TEST_F(StrangeRequests, NamesThatDifferInDotsAndUnderscoresCollide) {
  create_topics_request::CreatableTopic topic;
  topic.name = "a.b";
  topic.num_partitions = 1;
  topic.replication_factor = 1;
  EXPECT_EQ(create(topic), 0);
  topic.name = "a_b";
  EXPECT_EQ(create(topic), code(KafkaError::kInvalidTopicException));
}

TEST_F(StrangeRequests, ATopicDeletedTwiceInOneRequestStays) {
  DeleteTopicsRequest request;
  request.topics.resize(2);
  for (auto& topic : request.topics) topic.name = "t";
  const auto response = client.call<DeleteTopicsResponse>(request, 6);
  ASSERT_EQ(response.responses.size(), 1U);
  EXPECT_EQ(response.responses[0].error_code, code(KafkaError::kInvalidRequest));
  EXPECT_EQ(client.call<MetadataResponse>(a_metadata(), 9).topics.at(0).error_code, 0);
}

TEST_F(StrangeRequests, NewPartitionsNeedAsManyAssignments) {
  CreatePartitionsRequest request;
  auto& topic = request.topics.emplace_back();
  topic.name = "t";
  topic.count = 4;
  topic.assignments.emplace().emplace_back().broker_ids = {1};
  const auto results = client.call<CreatePartitionsResponse>(request, 3).results;
  EXPECT_EQ(results.at(0).error_code, code(KafkaError::kInvalidReplicaAssignment));
}

}  // namespace
}  // namespace ktrial::fakebroker
