// SPDX-License-Identifier: Apache-2.0
#include "fakebroker/differential/bytes_of.h"

#include "protocol/consumer_protocol.h"
#include "protocol/record_batch.h"
#include "protocol/record_batch_builder.h"

#include <charconv>
#include <limits>

namespace ktrial::fakebroker::differential {
namespace {

using boost::json::object;
using boost::json::value;
using Bytes = std::vector<std::uint8_t>;

std::string_view text_of(const value& from) {
  return from.is_string() ? std::string_view(from.get_string()) : std::string_view();
}

template <class Integer = std::int64_t>
Integer number(const object& from, std::string_view name, Integer otherwise) {
  const auto* const member = from.if_contains(name);
  if (member == nullptr) return otherwise;
  const std::string_view digits = text_of(*member);
  std::int64_t parsed = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), parsed);
  return static_cast<Integer>(parsed);
}

bool flag(const object& from, std::string_view name) {
  const auto* const member = from.if_contains(name);
  return member != nullptr && text_of(*member) == "true";
}

std::optional<Slice> slice_of(const value& from) {
  if (from.is_null()) return std::nullopt;
  auto bytes = bytes_of(from);
  return bytes ? Slice(std::move(*bytes)) : Slice();
}

std::optional<protocol::ByteView> view(const std::optional<Slice>& slice) {
  return slice ? std::optional(slice->span()) : std::nullopt;
}

// Writes what is wrong on purpose into a finished batch.
template <class Integer>
void overwrite(Bytes& batch, const object& from, std::string_view name, std::size_t at) {
  if (!from.contains(name)) return;
  protocol::store_be(batch.data() + at, number<Integer>(from, name, 0));
}

void spoil(Bytes& batch, const object& from) {
  namespace at = protocol::batch_at;
  if (flag(from, "logAppendTime")) {
    (void)protocol::set_log_append_time(batch, number(from, "timestamp", std::int64_t{1000}));
  }
  overwrite<std::int16_t>(batch, from, "attributes", at::kAttributes);
  overwrite<std::int32_t>(batch, from, "lastOffsetDelta", at::kLastOffsetDelta);
  overwrite<std::int64_t>(batch, from, "maxTimestamp", at::kMaxTimestamp);
  overwrite<std::int32_t>(batch, from, "count", at::kRecordCount);
  // What is written behind the checksum must agree with it, or every fault is a wrong checksum.
  const auto state = protocol::read_batch_header(batch);
  if (state) {
    (void)protocol::set_producer_state(
        batch, {state->producer_id, state->producer_epoch, state->base_sequence});
  }
  overwrite<std::int32_t>(batch, from, "length", at::kLength);
  overwrite<std::int8_t>(batch, from, "magic", at::kMagic);
  if (from.contains("crc")) batch[at::kCrc] ^= 0xffU;
  if (from.contains("cut")) {
    batch.resize(batch.size() - number<std::size_t>(from, "cut", 0));
  }
}

Result<Bytes> batch_of(const object& from) {
  protocol::BatchOptions options;
  if (const auto* const codec = from.if_contains("codec")) {
    const auto parsed = parse_codec(text_of(*codec));
    KTRIAL_TRY(parsed);
    options.codec = *parsed;
  }
  options.transactional = flag(from, "transactional");
  options.control = flag(from, "control");
  options.base_offset = number<std::int64_t>(from, "baseOffset", 0);
  options.partition_leader_epoch = number<std::int32_t>(from, "leaderEpoch", -1);
  protocol::RecordBatchBuilder builder(options);
  const auto timestamp = number<std::int64_t>(from, "timestamp", 1000);
  const auto* const keys = from.if_contains("keys");
  std::int64_t index = 0;
  for (const value& each : from.at("values").as_array()) {
    std::optional<Slice> key;
    if (keys != nullptr) key = slice_of(keys->as_array().at(static_cast<std::size_t>(index)));
    const std::optional<Slice> content = slice_of(each);
    builder.append(timestamp + index, view(key), view(content));
    ++index;
  }
  auto batch = builder.finish({.producer_id = number<std::int64_t>(from, "producerId", -1),
                               .producer_epoch = number<std::int16_t>(from, "producerEpoch", -1),
                               .base_sequence = number<std::int32_t>(from, "baseSequence", -1)});
  if (batch) spoil(*batch, from);
  return batch;
}

template <class TopicPartitions>
void read_partitions(const value* written, TopicPartitions& into) {
  if (written == nullptr || !written->is_object()) return;
  for (const auto& [topic, partitions] : written->get_object()) {
    auto& entry = into.emplace_back();
    entry.topic = topic;
    for (const value& partition : partitions.as_array()) {
      entry.partitions.push_back(std::stoi(std::string(text_of(partition))));
    }
  }
}

Bytes subscription_of(const object& from) {
  protocol::ConsumerProtocolSubscription subscription;
  for (const value& topic : from.at("subscription").as_array()) {
    subscription.topics.emplace_back(text_of(topic));
  }
  read_partitions(from.if_contains("ownedPartitions"), subscription.owned_partitions);
  subscription.generation_id = number<std::int32_t>(from, "generation", -1);
  return protocol::encode_subscription(subscription, number<std::int16_t>(from, "version", 1));
}

Bytes assignment_of(const object& from) {
  protocol::ConsumerProtocolAssignment assignment;
  read_partitions(from.if_contains("assignment"), assignment.assigned_partitions);
  return protocol::encode_assignment(assignment, number<std::int16_t>(from, "version", 1));
}

Bytes repeated(const object& from) {
  const std::string_view text = text_of(from.at("repeat"));
  Bytes bytes;
  for (auto left = number<std::int64_t>(from, "times", 1); left > 0; --left) {
    bytes.insert(bytes.end(), text.begin(), text.end());
  }
  return bytes;
}

value shown(const std::optional<Slice>& bytes) {
  return bytes ? value(hex_of(*bytes)) : value(nullptr);
}

std::string_view name_of_time(const protocol::BatchHeader& batch) {
  if (batch.control()) return "markerMaxTime";
  return batch.log_append_time() ? "appendTime" : "maxTimestamp";
}

// Markers carry the coordinator's clock and epoch: named apart from what clients write.
value show_batch(const Slice& entry) {
  const auto batch = protocol::read_batch_header(entry.span());
  if (!batch) return value(hex_of(entry));
  object shown_batch{{"baseOffset", batch->base_offset},
                     {"partitionLeaderEpoch", batch->partition_leader_epoch},
                     {"magic", batch->magic},
                     {"crc", protocol::crc_is_valid(entry.span(), *batch) ? "valid" : "wrong"},
                     {"attributes", batch->attributes},
                     {"lastOffsetDelta", batch->last_offset_delta},
                     {batch->control() ? "markerTime" : "baseTimestamp", batch->base_timestamp},
                     {name_of_time(*batch), batch->max_timestamp},
                     {"producerId", batch->producer_id},
                     {"producerEpoch", batch->producer_epoch},
                     {"baseSequence", batch->base_sequence},
                     {"batchLength", batch->batch_length}};
  boost::json::array records;
  const auto read = protocol::for_each_record(entry, [&](const protocol::Record& record) {
    object each{{"offset", record.offset}, {"key", shown(record.key)}};
    each.emplace(batch->control() ? "markerValue" : "value", shown(record.value));
    if (!batch->control() && !batch->log_append_time()) {
      each.emplace("timestamp", record.timestamp);
    }
    each.emplace("headers", record.headers.size());
    records.push_back(std::move(each));
    return true;
  });
  shown_batch.emplace("entries", read ? value(std::move(records)) : value(hex_of(entry)));
  return shown_batch;
}

}  // namespace

Result<Bytes> bytes_of(const value& written) {
  try {
    if (const auto* const text = written.if_string()) {
      const std::string_view content(*text);
      if (content.starts_with("hex:")) return from_hex(content.substr(4));
      return Bytes(content.begin(), content.end());
    }
    if (const auto* const parts = written.if_array()) {
      Bytes all;
      for (const value& part : *parts) {
        const auto bytes = bytes_of(part);
        KTRIAL_TRY(bytes);
        all.insert(all.end(), bytes->begin(), bytes->end());
      }
      return all;
    }
    const object& from = written.as_object();
    if (from.contains("values")) return batch_of(from);
    if (from.contains("subscription")) return subscription_of(from);
    if (from.contains("assignment")) return assignment_of(from);
    if (from.contains("repeat")) return repeated(from);
  } catch (const std::exception& error) {
    return fail(Errc::kInvalidArgument, error.what());
  }
  return fail(Errc::kInvalidArgument, "no bytes: " + boost::json::serialize(written));
}

value show_records(const Slice& records) {
  boost::json::array shown_batches;
  protocol::BatchIterator entries(records);
  while (true) {
    const auto entry = entries.next();
    if (!entry || !*entry) break;
    shown_batches.push_back(show_batch(**entry));
  }
  if (entries.partial_bytes() > 0) {
    shown_batches.push_back(value(hex_of(records.part(entries.offset()))));
  }
  return shown_batches;
}

std::string hex_of(const Slice& bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string hex = "hex:";
  for (const std::uint8_t byte : bytes.span()) {
    hex += kDigits[byte >> 4U];
    hex += kDigits[byte & 0xfU];
  }
  return hex;
}

Result<Bytes> from_hex(std::string_view hex) {
  Bytes bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    std::uint8_t byte = 0;
    const auto [end, error] = std::from_chars(hex.data() + i, hex.data() + i + 2, byte, 16);
    if (error != std::errc{} || end != hex.data() + i + 2) {
      return fail(Errc::kInvalidArgument, "not hex: " + std::string(hex));
    }
    bytes.push_back(byte);
  }
  return bytes;
}

std::optional<protocol::Uuid> uuid_of(std::string_view base64) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  constexpr std::size_t kLength = 22;
  if (base64.size() != kLength) return std::nullopt;
  protocol::Uuid uuid;
  std::uint32_t bits = 0;
  unsigned held = 0;
  std::size_t at = 0;
  for (const char digit : base64) {
    const std::size_t index = kDigits.find(digit);
    if (index == std::string_view::npos) return std::nullopt;
    bits = bits << 6U | static_cast<std::uint32_t>(index);
    held += 6;
    if (held >= 8 && at < uuid.bytes.size()) {
      held -= 8;
      uuid.bytes.at(at++) = static_cast<std::uint8_t>(bits >> held);
    }
  }
  return uuid;
}

}  // namespace ktrial::fakebroker::differential
