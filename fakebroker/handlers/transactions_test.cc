// SPDX-License-Identifier: Apache-2.0
// End to end: transactions as a producer and a read_committed consumer see them.
#include "fakebroker/state/transactions.h"

#include "fakebroker/cluster_for_test.h"
#include "fakebroker/groups_for_test.h"
#include "fakebroker/requests_for_test.h"
#include "protocol/messages/add_offsets_to_txn_request.h"
#include "protocol/messages/add_offsets_to_txn_response.h"
#include "protocol/messages/add_partitions_to_txn_request.h"
#include "protocol/messages/add_partitions_to_txn_response.h"
#include "protocol/messages/describe_producers_request.h"
#include "protocol/messages/describe_producers_response.h"
#include "protocol/messages/describe_transactions_request.h"
#include "protocol/messages/describe_transactions_response.h"
#include "protocol/messages/end_txn_request.h"
#include "protocol/messages/end_txn_response.h"
#include "protocol/messages/init_producer_id_request.h"
#include "protocol/messages/init_producer_id_response.h"
#include "protocol/messages/list_offsets_request.h"
#include "protocol/messages/list_offsets_response.h"
#include "protocol/messages/list_transactions_request.h"
#include "protocol/messages/list_transactions_response.h"
#include "protocol/messages/txn_offset_commit_request.h"
#include "protocol/messages/txn_offset_commit_response.h"
#include "protocol/messages/write_txn_markers_request.h"
#include "protocol/messages/write_txn_markers_response.h"

#include <gtest/gtest.h>

namespace ktrial::fakebroker {
namespace {

using namespace protocol;  // NOLINT: this file is little else than messages

struct TransactionsApi : testing::Test {
  explicit TransactionsApi(ClusterSpec spec = spec_for_test(1)) : cluster(std::move(spec)) {}

  ClusterForTest cluster;
  ClientForTest client{cluster.broker(1)};
  ProducerIdentity who;

  void init() {
    InitProducerIdRequest request;
    request.transactional_id = "tx";
    request.transaction_timeout_ms = 60'000;
    const auto response = client.call<InitProducerIdResponse>(request, 4);
    ASSERT_EQ(response.error_code, 0);
    who = {response.producer_id, response.producer_epoch};
  }
  KafkaError add(std::int32_t partition = 0, const std::string& topic = "t") {
    AddPartitionsToTxnRequest request;
    request.v3_and_below_transactional_id = "tx";
    request.v3_and_below_producer_id = who.id;
    request.v3_and_below_producer_epoch = who.epoch;
    auto& wanted = request.v3_and_below_topics.emplace_back();
    wanted.name = topic;
    wanted.partitions = {partition};
    const auto response = client.call<AddPartitionsToTxnResponse>(request, 3);
    return static_cast<KafkaError>(response.results_by_topic_v3_and_below.at(0)
                                       .results_by_partition.at(0)
                                       .partition_error_code);
  }
  ProduceRequest records(std::int32_t sequence, std::size_t count = 1) {
    BatchForTest of;
    of.timestamps.assign(count, 1000);
    of.producer = {who.id, who.epoch, sequence};
    of.options.transactional = true;
    ProduceRequest request = a_produce(a_batch(of), -1);
    request.transactional_id = "tx";
    return request;
  }
  KafkaError send(std::int32_t sequence, std::int16_t version = 11) {
    return error_of(produce(client, records(sequence), version));
  }
  EndTxnResponse end(bool commit, std::int16_t version = 4) {
    EndTxnRequest request;
    request.transactional_id = "tx";
    request.producer_id = who.id;
    request.producer_epoch = who.epoch;
    request.committed = commit;
    return client.call<EndTxnResponse>(request, version);
  }
  fetch_response::PartitionData fetch_committed(std::int64_t offset = 0, int max_wait_ms = 0) {
    FetchRequest request = a_fetch({.offset = offset, .max_wait_ms = max_wait_ms});
    request.isolation_level = 1;
    return client.call<FetchResponse>(request, 12).responses.at(0).partitions.at(0);
  }
  // Until the markers are there.
  fetch_response::PartitionData fetch_when_ended(std::int64_t offset) {
    auto data = fetch_committed(offset, 5'000);
    while (data.last_stable_offset < data.high_watermark) data = fetch_committed(offset, 10);
    return data;
  }
  static std::vector<BatchHeader> batches(const fetch_response::PartitionData& data) {
    std::vector<BatchHeader> headers;
    Slice rest = data.records.value_or(Slice());
    while (!rest.empty()) {
      headers.push_back(read_batch_header(rest.span()).value());
      rest = rest.part(headers.back().total_size());
    }
    return headers;
  }
  std::int64_t latest(bool committed) {
    ListOffsetsRequest request;
    request.isolation_level = committed ? 1 : 0;
    auto& topic = request.topics.emplace_back();
    topic.name = "t";
    topic.partitions.emplace_back().timestamp = -1;
    return client.call<ListOffsetsResponse>(request, 7).topics.at(0).partitions.at(0).offset;
  }
};

TEST_F(TransactionsApi, WhatIsNotDecidedIsNotReadAsCommitted) {
  init();
  EXPECT_EQ(add(), KafkaError::kNone);
  EXPECT_EQ(send(0), KafkaError::kNone);
  const auto open = fetch_committed();
  EXPECT_TRUE(batches(open).empty());
  EXPECT_EQ(open.last_stable_offset, 0);
  EXPECT_EQ(open.high_watermark, 1);
  EXPECT_EQ(batches(fetch(client, {})).size(), 1U);
  EXPECT_EQ(latest(true), 0);
  EXPECT_EQ(latest(false), 1);

  EXPECT_EQ(end(true).error_code, 0);
  const auto decided = fetch_when_ended(0);
  const auto headers = batches(decided);
  ASSERT_EQ(headers.size(), 2U);
  EXPECT_TRUE(headers[1].control());
  EXPECT_TRUE(headers[1].transactional());
  EXPECT_EQ(headers[1].producer_id, who.id);
  EXPECT_EQ(headers[1].base_sequence, -1);
  EXPECT_TRUE(decided.aborted_transactions->empty());
  EXPECT_EQ(latest(true), 2);
}

TEST_F(TransactionsApi, AnAbortedOneIsToldWithItsFirstOffset) {
  init();
  produce(client, a_produce(a_batch()));
  add();
  send(0);
  EXPECT_EQ(end(false).error_code, 0);
  const auto data = fetch_when_ended(1);
  ASSERT_EQ(data.aborted_transactions->size(), 1U);
  EXPECT_EQ(data.aborted_transactions->at(0).producer_id, who.id);
  EXPECT_EQ(data.aborted_transactions->at(0).first_offset, 1);
  EXPECT_FALSE(fetch(client, {}).aborted_transactions);
}

TEST_F(TransactionsApi, RecordsOfAPartitionThatWasNotAddedAreRefused) {
  init();
  EXPECT_EQ(send(0, 10), KafkaError::kInvalidTxnState);
  EXPECT_EQ(send(0, 11), KafkaError::kTransactionAbortable);
  ProduceRequest nobodys = records(0);
  nobodys.transactional_id.reset();
  EXPECT_EQ(error_of(produce(client, nobodys, 11)),
            KafkaError::kTransactionalIdAuthorizationFailed);
  EXPECT_EQ(add(7), KafkaError::kUnknownTopicOrPartition);
}

TEST_F(TransactionsApi, InTheSecondVersionSendingAddsThePartitionAndEndingGivesANewEpoch) {
  init();
  EXPECT_EQ(send(0, 12), KafkaError::kNone);
  const auto ended = end(true, 5);
  EXPECT_EQ(ended.error_code, 0);
  EXPECT_EQ(ended.producer_epoch, who.epoch + 1);
  EXPECT_EQ(batches(fetch_when_ended(0)).size(), 2U);
  EXPECT_EQ(send(1, 12), KafkaError::kInvalidProducerEpoch);
  who.epoch = ended.producer_epoch;
  EXPECT_EQ(send(0, 12), KafkaError::kNone);
}

struct TransactionsBeforeTheirMarkers : TransactionsApi {
  static ClusterSpec markers_never_come() {
    ClusterSpec spec = spec_for_test(1);
    spec.transaction_marker_delay = std::chrono::hours(1);
    return spec;
  }
  TransactionsBeforeTheirMarkers() : TransactionsApi(markers_never_come()) {}
};

TEST_F(TransactionsBeforeTheirMarkers, WhatTheNextOneSendsIsNotTakenForTheEndedOnes) {
  init();
  EXPECT_EQ(send(0, 12), KafkaError::kNone);
  who.epoch = end(false, 5).producer_epoch;
  EXPECT_EQ(send(0, 12), KafkaError::kConcurrentTransactions);
  EXPECT_EQ(batches(fetch(client, {})).size(), 1U);
}

struct TransactionsSoonBeforeTheirMarkers : TransactionsApi {
  static ClusterSpec markers_come_soon() {
    ClusterSpec spec = spec_for_test(1);
    spec.transaction_marker_delay = Millis(30);
    return spec;
  }
  TransactionsSoonBeforeTheirMarkers() : TransactionsApi(markers_come_soon()) {}
};

TEST_F(TransactionsSoonBeforeTheirMarkers, WhatTheNextOneSendsWaitsForThem) {
  init();
  EXPECT_EQ(send(0, 12), KafkaError::kNone);
  who.epoch = end(false, 5).producer_epoch;
  EXPECT_EQ(send(0, 12), KafkaError::kNone);
}

TEST_F(TransactionsApi, AFencedProducerIsToldSoInTheWordsOfItsVersion) {
  init();
  const ProducerIdentity first = who;
  init();
  who = first;
  EXPECT_EQ(end(true, 1).error_code, code(KafkaError::kInvalidProducerEpoch));
  EXPECT_EQ(end(true, 4).error_code, code(KafkaError::kProducerFenced));
  EXPECT_EQ(add(), KafkaError::kProducerFenced);
}

TEST_F(TransactionsApi, OffsetsCountOnceTheTransactionCommits) {
  init();
  AddOffsetsToTxnRequest joins;
  joins.transactional_id = "tx";
  joins.producer_id = who.id;
  joins.producer_epoch = who.epoch;
  joins.group_id = "g";
  TxnOffsetCommitRequest commit;
  commit.transactional_id = "tx";
  commit.group_id = "g";
  commit.producer_id = who.id;
  commit.producer_epoch = who.epoch;
  auto& topic = commit.topics.emplace_back();
  topic.name = "t";
  topic.partitions.emplace_back().committed_offset = 42;
  const auto committing = [&] {
    return error_of(client.call<TxnOffsetCommitResponse>(commit, 4).topics.at(0).partitions.at(0));
  };
  const auto fetched = [&](bool stable) {
    OffsetFetchRequest request;
    request.group_id = "g";
    request.require_stable = stable;
    request.topics.emplace();
    auto& wanted = request.topics->emplace_back();
    wanted.name = "t";
    wanted.partition_indexes = {0};
    return client.call<OffsetFetchResponse>(request, 7).topics.at(0).partitions.at(0);
  };
  EXPECT_EQ(committing(), KafkaError::kTransactionAbortable);
  EXPECT_EQ(client.call<AddOffsetsToTxnResponse>(joins, 3).error_code, 0);
  EXPECT_EQ(committing(), KafkaError::kNone);
  EXPECT_EQ(fetched(false).committed_offset, -1);
  EXPECT_EQ(error_of(fetched(true)), KafkaError::kUnstableOffsetCommit);
  EXPECT_EQ(end(true).error_code, 0);
  while (error_of(fetched(true)) == KafkaError::kUnstableOffsetCommit) {
  }
  EXPECT_EQ(fetched(true).committed_offset, 42);
}

TEST_F(TransactionsApi, AdministratorsSeeWhatIsGoingOnAndMayEndIt) {
  init();
  add();
  send(0);
  DescribeTransactionsRequest describe;
  describe.transactional_ids = {"tx", "other"};
  const auto described = client.call<DescribeTransactionsResponse>(describe, 0).transaction_states;
  EXPECT_EQ(described.at(0).transaction_state, "Ongoing");
  EXPECT_EQ(described.at(0).topics.at(0).partitions, (std::vector<std::int32_t>{0}));
  EXPECT_EQ(error_of(described.at(1)), KafkaError::kTransactionalIdNotFound);

  ListTransactionsRequest list;
  list.state_filters = {"Ongoing", "Curious"};
  list.transactional_id_pattern = "t.";
  const auto listed = client.call<ListTransactionsResponse>(list, 2);
  ASSERT_EQ(listed.transaction_states.size(), 1U);
  EXPECT_EQ(listed.transaction_states[0].transactional_id, "tx");
  EXPECT_EQ(listed.unknown_state_filters, (std::vector<std::string>{"Curious"}));
  list.transactional_id_pattern = "(";
  EXPECT_EQ(error_of(client.call<ListTransactionsResponse>(list, 2)),
            KafkaError::kInvalidRegularExpression);

  DescribeProducersRequest producers;
  auto& topic = producers.topics.emplace_back();
  topic.name = "t";
  topic.partition_indexes = {0};
  const auto active = [&] {
    return client.call<DescribeProducersResponse>(producers, 0)
        .topics.at(0)
        .partitions.at(0)
        .active_producers.at(0);
  };
  EXPECT_EQ(active().producer_id, who.id);
  EXPECT_EQ(active().last_sequence, 0);
  EXPECT_EQ(active().current_txn_start_offset, 0);

  WriteTxnMarkersRequest markers;
  auto& marker = markers.markers.emplace_back();
  marker.producer_id = who.id;
  marker.producer_epoch = who.epoch;
  auto& ended = marker.topics.emplace_back();
  ended.name = "t";
  ended.partition_indexes = {0, 9};
  const auto written =
      client.call<WriteTxnMarkersResponse>(markers, 1).markers.at(0).topics.at(0).partitions;
  EXPECT_EQ(error_of(written.at(0)), KafkaError::kNone);
  EXPECT_EQ(error_of(written.at(1)), KafkaError::kUnknownTopicOrPartition);
  EXPECT_EQ(active().current_txn_start_offset, -1);
}

}  // namespace
}  // namespace ktrial::fakebroker
