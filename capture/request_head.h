// SPDX-License-Identifier: Apache-2.0
// The head of a request as far as it was captured: header fields, where the body starts, and the
// acks of a Produce request (acks=0 gets no response). Works on a cut frame, allocates nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace ktrial::capture {

struct RequestHead {
  std::int16_t key = 0, version = 0;
  std::int32_t correlation_id = 0;
  bool has_client_id = false;
  std::string_view client_id;
  std::size_t body_offset = 0;
};

// `frame` is without the length prefix. nullopt: too short, or lengths that do not fit.
std::optional<RequestHead> parse_request_head(std::span<const std::uint8_t> frame);

// The acks field of a Produce request's body; nullopt if it was not captured.
std::optional<std::int16_t> produce_acks(std::int16_t version, std::span<const std::uint8_t> body);

// Where the body of a response starts; nullopt if the header is cut.
std::optional<std::size_t> response_body_offset(std::int16_t key, std::int16_t version,
                                                std::span<const std::uint8_t> frame);

}  // namespace ktrial::capture
