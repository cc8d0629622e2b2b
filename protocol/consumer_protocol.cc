// SPDX-License-Identifier: Apache-2.0
#include "protocol/consumer_protocol.h"

#include <algorithm>
#include <string>

#include "protocol/decoder.h"

namespace ktrial::protocol {
namespace {

template <class Message>
std::vector<std::uint8_t> encode_with_version(const Message& message, std::int16_t version) {
  Writer writer;
  writer.integer(version);
  encode(message, version, writer);
  return std::move(writer).take();
}

template <class Message>
Result<Message> decode_with_version(const Slice& bytes) {
  Reader reader(bytes);
  const auto claimed = reader.integer<std::int16_t>();
  if (claimed < Message::kMinVersion) reader.set_error(Errc::kUnsupported, "version " + std::to_string(claimed));
  const std::int16_t version = std::min(claimed, Message::kMaxVersion);
  Decoder decoder(reader, version, version >= Message::kFlexibleFrom);
  Message message;
  Message::fields(message, decoder, version);
  if (!reader.failed()) return message;
  Error error = *reader.error();
  error.where = std::string(Message::kName) + " v" + std::to_string(claimed) + " " + decoder.fault_path() + " " + error.where;
  return tl::unexpected<Error>(std::move(error));
}

}  // namespace

std::vector<std::uint8_t> encode_subscription(const ConsumerProtocolSubscription& subscription, std::int16_t version) {
  return encode_with_version(subscription, version);
}

Result<ConsumerProtocolSubscription> decode_subscription(const Slice& metadata) {
  return decode_with_version<ConsumerProtocolSubscription>(metadata);
}

std::vector<std::uint8_t> encode_assignment(const ConsumerProtocolAssignment& assignment, std::int16_t version) {
  return encode_with_version(assignment, version);
}

Result<ConsumerProtocolAssignment> decode_assignment(const Slice& assignment) {
  if (assignment.empty()) return ConsumerProtocolAssignment{};
  return decode_with_version<ConsumerProtocolAssignment>(assignment);
}

}  // namespace ktrial::protocol
