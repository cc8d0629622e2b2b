// SPDX-License-Identifier: Apache-2.0
// The definitions behind codec.h, for the generated sources only.
#pragma once

#include <string>

#include <boost/json.hpp>

#include "protocol/decoder.h"
#include "protocol/encoder.h"
#include "protocol/json_visitor.h"

namespace ktrial::protocol {

template <class Message>
void encode(const Message& message, std::int16_t version, Writer& writer) {
  Encoder encoder(writer, version, version >= Message::kFlexibleFrom);
  Message::fields(message, encoder, version);
}

template <class Message>
Result<Message> decode(const Slice& body, std::int16_t version) {
  const std::string name = std::string(Message::kName) + " v" + std::to_string(version);
  if (version < Message::kMinVersion || version > Message::kMaxVersion) {
    return fail(Errc::kUnsupported, "versions " + std::to_string(Message::kMinVersion) + " to " + std::to_string(Message::kMaxVersion) + " are known", name);
  }
  Reader reader(body);
  Decoder decoder(reader, version, version >= Message::kFlexibleFrom);
  Message message;
  Message::fields(message, decoder, version);
  if (!reader.failed() && reader.remaining() != 0) {
    reader.set_error(Errc::kMalformed, std::to_string(reader.remaining()) + " bytes after the end of the message");
  }
  if (reader.failed()) {
    Error error = *reader.error();
    error.where = name + (decoder.fault_path().empty() ? "" : " " + decoder.fault_path()) + " " + error.where;
    return tl::unexpected<Error>(std::move(error));
  }
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
