// SPDX-License-Identifier: Apache-2.0
// The definitions behind codec.h, for the generated sources only.
#pragma once

#include <optional>

#include <boost/json.hpp>

#include "protocol/decoder.h"
#include "protocol/encoder.h"
#include "protocol/json_visitor.h"

namespace ktrial::protocol {
namespace detail {

struct VersionSpan {
  std::int16_t min, max;
};
std::optional<Error> unknown_version(std::string_view name, std::int16_t version, VersionSpan known);
// What went wrong, if anything, once all fields are read.
std::optional<Error> fault(Reader& reader, const Decoder& decoder, std::string_view name, std::int16_t version,
                           Trailing trailing);

}  // namespace detail

template <class Message>
void encode(const Message& message, std::int16_t version, Writer& writer) {
  Encoder encoder(writer, version, version >= Message::kFlexibleFrom);
  Message::fields(message, encoder, version);
}

template <class Message>
Result<Message> decode(const Slice& body, std::int16_t version, Trailing trailing) {
  Result<Message> message;
  if (auto error = detail::unknown_version(Message::kName, version, {Message::kMinVersion, Message::kMaxVersion})) {
    message = tl::unexpected<Error>(std::move(*error));
    return message;
  }
  Reader reader(body);
  Decoder decoder(reader, version, version >= Message::kFlexibleFrom);
  Message::fields(*message, decoder, version);
  if (auto error = detail::fault(reader, decoder, Message::kName, version, trailing)) message = tl::unexpected<Error>(std::move(*error));
  return message;
}

template <class Message>
boost::json::object to_json(const Message& message, std::int16_t version) {
  boost::json::object object;
  std::size_t left = JsonVisitor::kValueBudget;
  JsonVisitor visitor(version, version >= Message::kFlexibleFrom, left, object);
  Message::fields(message, visitor, version);
  if (left == 0) object["truncated"] = true;
  return object;
}

}  // namespace ktrial::protocol
