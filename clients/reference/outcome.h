// SPDX-License-Identifier: Apache-2.0
// What the client's users see of records and failures.
#pragma once

#include "common/result.h"
#include "common/slice.h"
#include "protocol/errors.h"
#include "protocol/record.h"

#include <compare>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ktrial::client {

struct TopicPartition {
  std::string topic = {};
  std::int32_t partition = 0;
  auto operator<=>(const TopicPartition&) const = default;
};

// `code`: a name of Kafka's error table, or one of the client's own such as TIMED_OUT.
struct ClientError {
  std::string code = {};
  bool retriable = false;
  std::string message = {};
};

inline ClientError client_error(std::int16_t kafka_code) {
  const auto error = static_cast<protocol::KafkaError>(kafka_code);
  return {std::string(protocol::name(error)), protocol::retriable(error), "answered by the broker"};
}

inline ClientError client_error(const Error& error) {
  const bool timed_out = error.code == Errc::kTimeout;
  const bool transport = error.code == Errc::kIo;
  return {timed_out   ? "TIMED_OUT"
          : transport ? "NETWORK_EXCEPTION"
                      : std::string(to_string(error.code)),
          timed_out || transport, error.to_string()};
}

struct OutRecord {
  std::string topic = {};
  std::optional<std::int32_t> partition = {};
  std::optional<std::string> key = {};
  std::optional<std::string> value = {};
  std::vector<std::pair<std::string, std::string>> headers = {};
};

struct Place {
  TopicPartition at = {};
  std::int64_t offset = -1;
};

// Runs on the client's I/O thread.
using DeliveryCallback = std::function<void(const tl::expected<Place, ClientError>&)>;

struct InRecord {
  TopicPartition at = {};
  std::int64_t offset = 0;
  std::optional<Slice> key = {};
  std::optional<Slice> value = {};
  std::int64_t timestamp = -1;
  std::vector<protocol::RecordHeader> headers = {};
};

}  // namespace ktrial::client
