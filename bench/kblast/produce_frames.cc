// SPDX-License-Identifier: Apache-2.0
#include "bench/kblast/produce_frames.h"

#include "common/rng.h"
#include "protocol/errors.h"
#include "protocol/messages/init_producer_id_request.h"
#include "protocol/messages/init_producer_id_response.h"
#include "protocol/messages/metadata_request.h"
#include "protocol/messages/metadata_response.h"
#include "protocol/messages/produce_request.h"
#include "protocol/messages/produce_response.h"
#include "protocol/record_batch_builder.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <thread>

namespace ktrial::bench {
namespace {

using protocol::MetadataRequest;
using protocol::MetadataResponse;
using protocol::ProduceRequest;
using protocol::ProduceResponse;
using protocol::ProducerState;

// Versions that all contestants speak.
constexpr std::int16_t kProduceVersion = 9;
constexpr std::int16_t kMetadataVersion = 8;
constexpr std::int16_t kInitProducerIdVersion = 2;
constexpr int kTries = 100;
constexpr std::chrono::milliseconds kPause(100);

MetadataRequest asking_for(const std::string& topic) {
  MetadataRequest request;
  request.topics.emplace().emplace_back().name = topic;
  request.allow_auto_topic_creation = true;
  return request;
}

// Nothing until all partitions are led, and by one broker.
std::optional<Endpoint> leader_in(const MetadataResponse& answer, std::int32_t partitions) {
  if (answer.topics.empty() || answer.topics.front().error_code != 0) return std::nullopt;
  const auto& found = answer.topics.front().partitions;
  if (std::ssize(found) < partitions) return std::nullopt;
  const std::int32_t leader = found.front().leader_id;
  for (const auto& one : found) {
    if (one.partition_index < partitions && one.leader_id != leader) return std::nullopt;
  }
  for (const auto& broker : answer.brokers) {
    if (broker.node_id == leader)
      return Endpoint{broker.host == "localhost" ? "127.0.0.1" : broker.host,
                      static_cast<std::uint16_t>(broker.port)};
  }
  return std::nullopt;
}

std::vector<std::uint8_t> batch_of(const ProduceLoad& load, const ProducerState& producer) {
  Rng rng(1, "kblast");
  std::vector<std::uint8_t> value(load.record_bytes);
  for (auto& byte : value) byte = static_cast<std::uint8_t>(rng());
  const auto now = std::chrono::duration_cast<std::chrono::milliseconds>(
                       std::chrono::system_clock::now().time_since_epoch())
                       .count();
  protocol::RecordBatchBuilder builder;
  for (std::size_t i = 0; i < load.records; ++i) builder.append(now, std::nullopt, value);
  return *builder.finish(producer);
}

std::vector<std::uint8_t> request_of(const ProduceLoad& load, std::int32_t partition,
                                     std::span<const std::uint8_t> batch) {
  ProduceRequest request;
  request.acks = load.idempotent ? -1 : 1;
  request.timeout_ms = 10'000;
  auto& topic = request.topic_data.emplace_back();
  topic.name = load.topic;
  auto& data = topic.partition_data.emplace_back();
  data.index = partition;
  data.records = Slice(std::vector<std::uint8_t>(batch.begin(), batch.end()));
  return frame_of(request, kProduceVersion);
}

Result<void> check_answer(std::span<const std::uint8_t> answer) {
  const Slice frame(std::shared_ptr<const std::uint8_t[]>(), answer);
  const auto body = body_of(ProduceRequest::kApiKey, kProduceVersion, frame);
  if (!body) return tl::unexpected(body.error());
  const auto response = protocol::decode<ProduceResponse>(*body, kProduceVersion);
  if (!response) return tl::unexpected(response.error());
  for (const auto& topic : response->responses) {
    for (const auto& partition : topic.partition_responses) {
      if (partition.error_code != 0)
        return fail(Errc::kIo, "refused with " +
                                   std::string(protocol::name(
                                       static_cast<protocol::KafkaError>(partition.error_code))));
    }
  }
  return {};
}

Result<ProducerState> new_producer(KafkaSocket& broker) {
  protocol::InitProducerIdRequest request;
  request.transaction_timeout_ms = 60'000;
  const auto answer =
      broker.call<protocol::InitProducerIdResponse>(request, kInitProducerIdVersion);
  if (!answer) return tl::unexpected(answer.error());
  if (answer->error_code != 0) return fail(Errc::kIo, "no producer id");
  return ProducerState{answer->producer_id, answer->producer_epoch, 0};
}

}  // namespace

Result<Endpoint> leader_of(const Endpoint& bootstrap, const ProduceLoad& load) {
  auto socket = KafkaSocket::connect(bootstrap);
  if (!socket) return tl::unexpected(socket.error());
  for (int i = 0; i < kTries; ++i) {
    const auto answer = socket->call<MetadataResponse>(asking_for(load.topic), kMetadataVersion);
    if (!answer) return tl::unexpected(answer.error());
    if (const auto leader = leader_in(*answer, load.partitions)) return *leader;
    std::this_thread::sleep_for(kPause);
  }
  return fail(Errc::kTimeout, "no broker leads all partitions of the topic", load.topic);
}

Result<ReplayPlan> produce_plan(KafkaSocket& broker, const ProduceLoad& load) {
  ProducerState producer;
  if (load.idempotent) {
    auto made = new_producer(broker);
    if (!made) return tl::unexpected(made.error());
    producer = *made;
  }
  const std::vector<std::uint8_t> batch = batch_of(load, producer);
  ReplayPlan plan;
  plan.window = load.window;
  // A frame per request that may be on its way, and each partition equally often.
  const auto partitions = static_cast<std::size_t>(load.partitions);
  const std::size_t rounds = load.idempotent ? (load.window + partitions - 1) / partitions : 1;
  for (std::size_t i = 0; i < rounds * partitions; ++i)
    plan.frames.push_back(request_of(load, static_cast<std::int32_t>(i % partitions), batch));
  plan.check = [](std::uint64_t, std::span<const std::uint8_t> answer) {
    return check_answer(answer);
  };
  if (!load.idempotent) return plan;
  const auto& first = plan.frames.front();
  const auto at = std::search(first.begin(), first.end(), batch.begin(), batch.end());
  const auto offset = static_cast<std::size_t>(at - first.begin());
  plan.prepare = [producer, offset, size = batch.size(), partitions, records = load.records](
                     std::uint64_t n, std::span<std::uint8_t> frame) {
    ProducerState state = producer;
    state.base_sequence = static_cast<std::int32_t>(n / partitions * records % (1ULL << 31U));
    (void)protocol::set_producer_state(frame.subspan(offset, size), state);
  };
  return plan;
}

}  // namespace ktrial::bench
