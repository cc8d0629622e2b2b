// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "protocol/codec_impl.h"

namespace ktrial::protocol::detail {
namespace {

std::string name_of(std::string_view message, std::int16_t version) {
  return std::string(message) + " v" + std::to_string(version);
}

}  // namespace

std::optional<Error> unknown_version(std::string_view name, std::int16_t version, VersionSpan known) {
  if (version >= known.min && version <= known.max) return std::nullopt;
  return Error{Errc::kUnsupported, "versions " + std::to_string(known.min) + " to " + std::to_string(known.max) + " are known", name_of(name, version)};
}

std::optional<Error> fault(Reader& reader, const Decoder& decoder, std::string_view name, std::int16_t version,
                           Trailing trailing) {
  if (!reader.failed() && (reader.remaining() == 0 || trailing == Trailing::kIgnored)) return std::nullopt;
  if (!reader.failed()) reader.set_error(Errc::kMalformed, std::to_string(reader.remaining()) + " bytes after the end of the message");
  Error error = *reader.error();
  error.where = name_of(name, version) + (decoder.fault_path().empty() ? "" : " " + decoder.fault_path()) + " " + error.where;
  return error;
}

}  // namespace ktrial::protocol::detail
