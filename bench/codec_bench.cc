// SPDX-License-Identifier: Apache-2.0
// The generated codec on the messages that carry a load: metadata of many partitions, and produce
// and fetch with their records, which must cost the same whatever their size.
#include <benchmark/benchmark.h>

#include <string>
#include <utility>
#include <vector>

#include <boost/json.hpp>

#include "protocol/api_info.h"
#include "protocol/messages/fetch_request.h"
#include "protocol/messages/fetch_response.h"
#include "protocol/messages/heartbeat_request.h"
#include "protocol/messages/metadata_response.h"
#include "protocol/messages/produce_request.h"
#include "protocol/reader.h"

namespace {

using namespace ktrial;
using namespace ktrial::protocol;

constexpr int kPartitions = 1000;
constexpr int kPerTopic = 10;

MetadataResponse make_metadata() {
  MetadataResponse response;
  for (int id = 0; id < 12; ++id) {
    metadata_response::MetadataResponseBroker broker;
    broker.node_id = id;
    broker.host = "broker-" + std::to_string(id) + ".example.org";
    broker.port = 9092;
    response.brokers.push_back(std::move(broker));
  }
  response.cluster_id = "bench-cluster";
  for (int i = 0; i < kPartitions / kPerTopic; ++i) {
    metadata_response::MetadataResponseTopic topic;
    topic.name = "orders-" + std::to_string(i);
    for (int p = 0; p < kPerTopic; ++p) {
      metadata_response::MetadataResponsePartition partition;
      partition.partition_index = p;
      partition.leader_id = p % 12;
      partition.replica_nodes = {p % 12, (p + 1) % 12, (p + 2) % 12};
      partition.isr_nodes = partition.replica_nodes;
      topic.partitions.push_back(std::move(partition));
    }
    response.topics.push_back(std::move(topic));
  }
  return response;
}

ProduceRequest make_produce() {
  ProduceRequest request;
  request.acks = -1;
  request.timeout_ms = 30'000;
  produce_request::TopicProduceData topic;
  topic.name = "orders";
  for (int p = 0; p < kPerTopic; ++p) {
    produce_request::PartitionProduceData partition;
    partition.index = p;
    partition.records = Slice(std::vector<std::uint8_t>(16'384));
    topic.partition_data.push_back(std::move(partition));
  }
  request.topic_data.push_back(std::move(topic));
  return request;
}

FetchRequest make_fetch_request() {
  FetchRequest request;
  for (int i = 0; i < 10; ++i) {
    fetch_request::FetchTopic topic;
    topic.topic_id.bytes[0] = static_cast<std::uint8_t>(i);
    topic.partitions.resize(kPerTopic);
    request.topics.push_back(std::move(topic));
  }
  return request;
}

FetchResponse make_fetch_response() {
  FetchResponse response;
  for (int i = 0; i < 10; ++i) {
    fetch_response::FetchableTopicResponse topic;
    topic.topic_id.bytes[0] = static_cast<std::uint8_t>(i);
    for (int p = 0; p < kPerTopic; ++p) {
      fetch_response::PartitionData partition;
      partition.partition_index = p;
      partition.records = Slice(std::vector<std::uint8_t>(16'384));
      topic.partitions.push_back(std::move(partition));
    }
    response.responses.push_back(std::move(topic));
  }
  return response;
}

template <class Message>
void encode_message(benchmark::State& state, const Message& message, std::int16_t version) {
  Writer writer;
  std::vector<Splice> splices;
  writer.collect_splices(&splices);
  for (auto _ : state) {
    writer.clear();
    splices.clear();
    encode(message, version, writer);
    benchmark::DoNotOptimize(writer.span().data());
  }
  state.counters["bytes"] = static_cast<double>(writer.size());
}

template <class Message>
void decode_message(benchmark::State& state, const Message& message, std::int16_t version) {
  const Slice body(encode_to_bytes(message, version));
  for (auto _ : state) {
    auto decoded = decode<Message>(body, version);
    benchmark::DoNotOptimize(decoded);
  }
  state.counters["bytes"] = static_cast<double>(body.size());
}

template <class Message>
void show_message(benchmark::State& state, const Message& message, std::int16_t version) {
  for (auto _ : state) {
    auto shown = to_json(message, version);
    benchmark::DoNotOptimize(shown);
  }
}

}  // namespace

BENCHMARK_CAPTURE(encode_message, Metadata_v8_1000_partitions, make_metadata(), 8);
BENCHMARK_CAPTURE(encode_message, Metadata_v12_1000_partitions, make_metadata(), 12);
BENCHMARK_CAPTURE(decode_message, Metadata_v8_1000_partitions, make_metadata(), 8);
BENCHMARK_CAPTURE(decode_message, Metadata_v12_1000_partitions, make_metadata(), 12);
BENCHMARK_CAPTURE(show_message, Metadata_v12_1000_partitions, make_metadata(), 12);
BENCHMARK_CAPTURE(encode_message, Produce_v9_10_batches, make_produce(), 9);
BENCHMARK_CAPTURE(decode_message, Produce_v9_10_batches, make_produce(), 9);
BENCHMARK_CAPTURE(encode_message, FetchRequest_v16_100_partitions, make_fetch_request(), 16);
BENCHMARK_CAPTURE(decode_message, FetchRequest_v16_100_partitions, make_fetch_request(), 16);
BENCHMARK_CAPTURE(encode_message, FetchResponse_v16_100_batches, make_fetch_response(), 16);
BENCHMARK_CAPTURE(decode_message, FetchResponse_v16_100_batches, make_fetch_response(), 16);
BENCHMARK_CAPTURE(decode_message, Heartbeat_v4, HeartbeatRequest{}, 4);

BENCHMARK_MAIN();
