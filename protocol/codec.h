// SPDX-License-Identifier: Apache-2.0
// Encode, decode and show any generated message. The templates are instantiated with the generated
// code: including this costs little.
#pragma once

#include <cstdint>
#include <vector>

#include <boost/json/fwd.hpp>

#include "common/result.h"
#include "common/slice.h"
#include "protocol/writer.h"

namespace ktrial::protocol {

// Fields that `version` does not have are left out.
template <class Message>
void encode(const Message& message, std::int16_t version, Writer& writer);

// Bytes behind the message: a fault, or, as real brokers have it, of no interest.
enum class Trailing : std::uint8_t { kRefused, kIgnored };

// Strings are copied; bytes and records stay views of `body`.
// Errors name message, version, field path and byte offset; nothing is allocated beyond what the
// bytes that are there can fill.
template <class Message>
Result<Message> decode(const Slice& body, std::int16_t version,
                       Trailing trailing = Trailing::kRefused);

// Members as Kafka's own JSON names them. Bytes and records are {"bytes": n}; past some hundred
// thousand values the rest is cut, marked by a member "truncated".
template <class Message>
boost::json::object to_json(const Message& message, std::int16_t version);

template <class Message>
std::vector<std::uint8_t> encode_to_bytes(const Message& message, std::int16_t version) {
  Writer writer;
  encode(message, version, writer);
  return std::move(writer).take();
}

}  // namespace ktrial::protocol
