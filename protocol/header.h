// SPDX-License-Identifier: Apache-2.0
// Request and response headers (Kafka protocol guide, "Messages"; KIP-482).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "common/result.h"
#include "common/slice.h"
#include "protocol/writer.h"

namespace ktrial::protocol {

struct RequestHeader {
  std::int16_t api_key = 0;
  std::int16_t api_version = 0;
  std::int32_t correlation_id = 0;
  std::optional<std::string> client_id;
};

// 2 if the request is flexible, else 1 (0 for ControlledShutdown v0, which no client sends).
// Unknown APIs: 1.
std::int16_t request_header_version(std::int16_t api_key, std::int16_t api_version);
// 1 if the response is flexible, else 0; ApiVersions always 0, so that a client that asked in a
// version the broker does not know can read the answer.
std::int16_t response_header_version(std::int16_t api_key, std::int16_t api_version);

// `frame` is what follows the four-byte length. Sets body_offset to the first byte after the header.
Result<RequestHeader> decode_request_header(const Slice& frame, std::size_t& body_offset);
void encode_request_header(const RequestHeader& header, Writer& writer);

// The correlation id of a response; body_offset as above.
Result<std::int32_t> decode_response_header(const Slice& frame, std::int16_t header_version, std::size_t& body_offset);
void encode_response_header(std::int32_t correlation_id, std::int16_t header_version, Writer& writer);

}  // namespace ktrial::protocol
