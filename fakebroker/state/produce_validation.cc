// SPDX-License-Identifier: Apache-2.0
#include "fakebroker/state/produce_validation.h"

#include <fmt/core.h>

#include <optional>

namespace ktrial::fakebroker {
namespace {

using protocol::BatchHeader;
using protocol::KafkaError;

constexpr std::int16_t kFirstZstdVersion = 7;

struct Fault {
  KafkaError error;
  std::string message;
};
using Check = std::optional<Fault>;

Check check_form(const Slice& records, const BatchHeader& header, std::int16_t version) {
  if (header.codec() == Codec::kZstd && version < kFirstZstdVersion) {
    return Fault{
        KafkaError::kUnsupportedCompressionType,
        fmt::format("Produce requests with version {} are not allowed to use ZStandard compression",
                    version)};
  }
  if (header.total_size() < records.size()) {
    return Fault{
        KafkaError::kInvalidRecord,
        fmt::format(
            "Produce requests with version {} are only allowed to contain exactly one record batch",
            version)};
  }
  return std::nullopt;
}

Check check_integrity(const Slice& records, const BatchHeader& header,
                      std::int64_t max_message_bytes) {
  if (static_cast<std::int64_t>(records.size()) > max_message_bytes) {
    return Fault{
        KafkaError::kMessageTooLarge,
        fmt::format(
            "The record batch size is {} bytes, which exceeds the maximum configured value of {}",
            records.size(), max_message_bytes)};
  }
  if (!protocol::crc_is_valid(records.span(), header))
    return Fault{KafkaError::kCorruptMessage, "Record is corrupt"};
  return std::nullopt;
}

Check check_content(const BatchHeader& header) {
  if (header.record_count <= 0 || header.last_offset_delta != header.record_count - 1) {
    return Fault{
        KafkaError::kInvalidRecord,
        fmt::format("Inconsistent batch offset range: last offset delta {}, record count {}",
                    header.last_offset_delta, header.record_count)};
  }
  if (header.control())
    return Fault{KafkaError::kInvalidRecord, "Clients are not allowed to write control records"};
  if (header.producer_id >= 0 && (header.base_sequence < 0 || header.producer_epoch < 0)) {
    return Fault{
        KafkaError::kInvalidRecord,
        fmt::format("Invalid sequence number {} or epoch {} in a record batch with a producer id",
                    header.base_sequence, header.producer_epoch)};
  }
  if (header.producer_id < 0 && header.transactional()) {
    return Fault{KafkaError::kInvalidRecord, "Transactional records without a producer id"};
  }
  if (header.log_append_time()) {
    return Fault{KafkaError::kInvalidTimestamp,
                 "Invalid timestamp type: producers must not set LogAppendTime"};
  }
  // CompressionType.forId throws, which is no ApiException: the client sees a server error.
  if (static_cast<int>(header.codec()) > static_cast<int>(Codec::kZstd)) {
    return Fault{KafkaError::kUnknownServerError, "Unknown compression type"};
  }
  return std::nullopt;
}

Fault unreadable(const Error& error, std::size_t size) {
  if (size == 0 || error.code == Errc::kTruncated) {
    return {KafkaError::kInvalidRecord,
            "Produce requests must contain one whole record batch per partition"};
  }
  if (error.code == Errc::kUnsupported) {
    return {KafkaError::kInvalidRecord,
            "Produce requests are only allowed to contain record batches with magic version 2"};
  }
  return {KafkaError::kCorruptMessage, error.message};
}

}  // namespace

ValidatedBatch validate_produce(const Slice& records, std::int16_t version,
                                std::int64_t max_message_bytes) {
  const auto header = protocol::read_batch_header(records.span());
  if (!header) {
    Fault fault = unreadable(header.error(), records.size());
    return {fault.error, std::move(fault.message), {}};
  }
  Check fault = check_form(records, *header, version);
  if (!fault) fault = check_integrity(records, *header, max_message_bytes);
  if (!fault) fault = check_content(*header);
  if (fault) return {fault->error, std::move(fault->message), *header};
  return {KafkaError::kNone, {}, *header};
}

}  // namespace ktrial::fakebroker
