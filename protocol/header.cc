// SPDX-License-Identifier: Apache-2.0
#include "protocol/header.h"

#include <string>

#include "protocol/api_info.h"
#include "protocol/reader.h"

namespace ktrial::protocol {
namespace {

constexpr std::int16_t kApiVersionsKey = 18;

void skip_tags(Reader& reader) {
  const std::uint64_t count = reader.uvarint();
  for (std::uint64_t i = 0; i < count && !reader.failed(); ++i) {
    reader.uvarint();
    reader.skip(reader.uvarint());
  }
}

tl::unexpected<Error> header_error(const Reader& reader, const std::string& what) {
  Error error = *reader.error();
  error.where = what + " " + error.where;
  return tl::unexpected<Error>(std::move(error));
}

}  // namespace

std::int16_t request_header_version(std::int16_t api_key, std::int16_t api_version) {
  const ApiInfo* api = find_api(api_key);
  return api != nullptr && api_version >= api->request_flexible_from ? 2 : 1;
}

std::int16_t response_header_version(std::int16_t api_key, std::int16_t api_version) {
  if (api_key == kApiVersionsKey) return 0;
  const ApiInfo* api = find_api(api_key);
  return api != nullptr && api_version >= api->response_flexible_from ? 1 : 0;
}

Result<RequestHeader> decode_request_header(const Slice& frame, std::size_t& body_offset) {
  Reader reader(frame);
  RequestHeader header;
  header.api_key = reader.integer<std::int16_t>();
  header.api_version = reader.integer<std::int16_t>();
  header.correlation_id = reader.integer<std::int32_t>();
  const auto length = reader.integer<std::int16_t>();
  if (length < -1) reader.set_error(Errc::kMalformed, "client id of length " + std::to_string(length));
  if (length >= 0) header.client_id = std::string(reader.slice(static_cast<std::size_t>(length)).text());
  if (!reader.failed() && request_header_version(header.api_key, header.api_version) == 2) skip_tags(reader);
  if (reader.failed()) return header_error(reader, "request header");
  body_offset = reader.offset();
  return header;
}

void encode_request_header(const RequestHeader& header, Writer& writer) {
  writer.integer(header.api_key);
  writer.integer(header.api_version);
  writer.integer(header.correlation_id);
  writer.integer(header.client_id ? static_cast<std::int16_t>(header.client_id->size()) : std::int16_t{-1});
  if (header.client_id) writer.append(*header.client_id);
  if (request_header_version(header.api_key, header.api_version) == 2) writer.uvarint(0);
}

Result<std::int32_t> decode_response_header(const Slice& frame, std::int16_t header_version, std::size_t& body_offset) {
  Reader reader(frame);
  const auto correlation_id = reader.integer<std::int32_t>();
  if (header_version >= 1) skip_tags(reader);
  if (reader.failed()) return header_error(reader, "response header");
  body_offset = reader.offset();
  return correlation_id;
}

void encode_response_header(std::int32_t correlation_id, std::int16_t header_version, Writer& writer) {
  writer.integer(correlation_id);
  if (header_version >= 1) writer.uvarint(0);
}

}  // namespace ktrial::protocol
