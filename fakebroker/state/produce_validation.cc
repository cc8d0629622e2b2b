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

bool is_known(Codec codec) { return static_cast<int>(codec) <= static_cast<int>(Codec::kZstd); }

Check check_form(const Slice& records, const BatchHeader& header, std::int16_t version) {
  // CompressionType.forId throws, which is no ApiException: the client sees a server error.
  if (!is_known(header.codec()) && version < kFirstZstdVersion)
    return Fault{KafkaError::kUnknownServerError, "Unknown compression type"};
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
    return Fault{KafkaError::kMessageTooLarge, {}};  // Kafka logs why, and does not tell
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
  if (header.producer_id >= 0 && header.producer_epoch < 0)
    return Fault{KafkaError::kInvalidProducerEpoch, {}};
  if (header.producer_id >= 0 && header.base_sequence < 0) {
    return Fault{
        KafkaError::kInvalidRecord,
        fmt::format("Invalid sequence number {} or epoch {} in a record batch with a producer id",
                    header.base_sequence, header.producer_epoch)};
  }
  if (header.producer_id < 0 && header.transactional()) {
    return Fault{KafkaError::kInvalidRecord, "Transactional records without a producer id"};
  }
  if (!is_known(header.codec()))
    return Fault{KafkaError::kUnknownServerError, "Unknown compression type"};
  if (header.codec() != Codec::kNone && header.base_offset != 0)
    return Fault{KafkaError::kInvalidRecord, "Compressed records must count from offset 0"};
  return std::nullopt;
}

Fault unreadable(const Error& error, const Slice& records) {
  if (records.empty() || error.code == Errc::kTruncated) {
    return {KafkaError::kInvalidRecord,
            "Produce requests must contain one whole record batch per partition"};
  }
  // A magic that was once, not one that nobody knows.
  if (error.code == Errc::kUnsupported && protocol::magic_of(records) >= 0 &&
      protocol::magic_of(records) < 2) {
    return {KafkaError::kInvalidRecord,
            "Produce requests are only allowed to contain record batches with magic version 2"};
  }
  return {KafkaError::kCorruptMessage, "Unreadable batch: " + error.message};
}

}  // namespace

ValidatedBatch validate_form(const Slice& records, std::int16_t version) {
  const auto header = protocol::read_batch_header(records.span());
  if (!header) {
    Fault fault = unreadable(header.error(), records);
    return {fault.error, std::move(fault.message), {}};
  }
  if (Check fault = check_form(records, *header, version))
    return {fault->error, std::move(fault->message), *header};
  return {KafkaError::kNone, {}, *header};
}

ValidatedBatch validate_produce(const Slice& records, std::int16_t version,
                                std::int64_t max_message_bytes) {
  ValidatedBatch batch = validate_form(records, version);
  if (batch.error != KafkaError::kNone) return batch;
  Check fault = check_integrity(records, batch.header, max_message_bytes);
  if (!fault) fault = check_content(batch.header);
  if (fault) return {fault->error, std::move(fault->message), batch.header};
  return batch;
}

}  // namespace ktrial::fakebroker
