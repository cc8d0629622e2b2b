// SPDX-License-Identifier: Apache-2.0
#include "capture/body_json.h"

#include <utility>

#include "common/slice.h"
#include "protocol/api_info.h"
#include "protocol/errors.h"

namespace ktrial::capture {

namespace {

// `fields` or the reason why there are none.
void add(boost::json::object& data, Result<boost::json::value> decoded) {
  if (decoded) {
    data["fields"] = std::move(*decoded);
  } else {
    data["undecoded"] = decoded.error().to_string();
  }
}

bool whole(boost::json::object& data, std::span<const std::uint8_t> body, bool complete) {
  if (complete) return true;
  data["undecoded"] = "only " + std::to_string(body.size()) + " bytes of the body were captured";
  return false;
}

}  // namespace

std::optional<std::int16_t> first_error(const boost::json::value& fields) {
  if (const auto* array = fields.if_array()) {
    for (const auto& each : *array)
      if (const auto error = first_error(each)) return error;
  }
  if (const auto* object = fields.if_object()) {
    for (const auto& [name, value] : *object) {
      if (name == "errorCode") {
        const std::int64_t* code = value.if_int64();
        if (code != nullptr && *code != 0 && *code >= INT16_MIN && *code <= INT16_MAX)
          return static_cast<std::int16_t>(*code);
      } else if (const auto error = first_error(value)) {
        return error;
      }
    }
  }
  return std::nullopt;
}

void add_request_fields(boost::json::object& data, std::int16_t key, std::int16_t version,
                        std::span<const std::uint8_t> body, bool complete) {
  if (!whole(data, body, complete)) return;
  add(data, protocol::request_json(key, version, Slice::unowned(body)));
}

void add_response_fields(boost::json::object& data, std::int16_t key, std::int16_t version,
                         std::span<const std::uint8_t> body, bool complete) {
  if (!whole(data, body, complete)) return;
  add(data, protocol::response_json(key, version, Slice::unowned(body)));
  const auto* fields = data.if_contains("fields");
  if (fields == nullptr) return;
  if (const auto error = first_error(*fields)) {
    data["error"] = *error;
    data["error_name"] = protocol::error_name(*error);
  }
}

}  // namespace ktrial::capture
