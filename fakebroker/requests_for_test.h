// SPDX-License-Identifier: Apache-2.0
// Requests that many tests send.
#pragma once

#include "fakebroker/batches_for_test.h"
#include "fakebroker/client_for_test.h"
#include "protocol/messages/fetch_request.h"
#include "protocol/messages/fetch_response.h"
#include "protocol/messages/metadata_request.h"
#include "protocol/messages/metadata_response.h"
#include "protocol/messages/produce_request.h"
#include "protocol/messages/produce_response.h"

#include <cstdint>
#include <string>

namespace ktrial::fakebroker {

inline protocol::ProduceRequest a_produce(const Slice& records, std::int16_t acks = 1,
                                          std::int32_t partition = 0,
                                          const std::string& topic = "t") {
  protocol::ProduceRequest request;
  request.acks = acks;
  request.timeout_ms = 1000;
  auto& data = request.topic_data.emplace_back();
  data.name = topic;
  auto& partition_data = data.partition_data.emplace_back();
  partition_data.index = partition;
  partition_data.records = records;
  return request;
}

struct FetchForTest {
  std::int64_t offset = 0;
  std::int32_t partition = 0;
  std::int32_t max_wait_ms = 0;
  std::int32_t min_bytes = 1;
  std::int32_t max_bytes = 1 << 20;
  std::int32_t partition_max_bytes = 1 << 20;
  std::int32_t leader_epoch = -1;
  std::int32_t session_id = 0;
  std::int32_t session_epoch = -1;
  std::string topic = "t";
};

inline protocol::FetchRequest a_fetch(const FetchForTest& of = {}) {
  protocol::FetchRequest request;
  request.max_wait_ms = of.max_wait_ms;
  request.min_bytes = of.min_bytes;
  request.max_bytes = of.max_bytes;
  request.session_id = of.session_id;
  request.session_epoch = of.session_epoch;
  auto& topic = request.topics.emplace_back();
  topic.topic = of.topic;
  auto& partition = topic.partitions.emplace_back();
  partition.partition = of.partition;
  partition.fetch_offset = of.offset;
  partition.partition_max_bytes = of.partition_max_bytes;
  partition.current_leader_epoch = of.leader_epoch;
  return request;
}

inline protocol::MetadataRequest a_metadata(const std::string& topic = "t", bool create = false) {
  protocol::MetadataRequest request;
  request.topics->emplace_back().name = topic;
  request.allow_auto_topic_creation = create;
  return request;
}

inline protocol::produce_response::PartitionProduceResponse produce(
    ClientForTest& client, const protocol::ProduceRequest& request, std::int16_t version = 9) {
  return client.call<protocol::ProduceResponse>(request, version)
      .responses.at(0)
      .partition_responses.at(0);
}
inline protocol::fetch_response::PartitionData fetch(ClientForTest& client, const FetchForTest& of,
                                                     std::int16_t version = 12) {
  return client.call<protocol::FetchResponse>(a_fetch(of), version)
      .responses.at(0)
      .partitions.at(0);
}

}  // namespace ktrial::fakebroker
