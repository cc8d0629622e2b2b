// SPDX-License-Identifier: Apache-2.0
// One row per API, generated from the schemas.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include <boost/json.hpp>

#include "common/result.h"
#include "common/slice.h"

namespace ktrial::protocol {

struct ApiInfo {
  std::int16_t key;
  std::string_view name;                  // "Metadata"
  std::int16_t min_version, max_version;  // that the codec knows
  std::int16_t request_flexible_from, response_flexible_from;
  bool latest_unstable;                   // Kafka itself does not offer the latest version yet
  Result<boost::json::object> (*request_json)(const Slice& body, std::int16_t version);
  Result<boost::json::object> (*response_json)(const Slice& body, std::int16_t version);
};

std::span<const ApiInfo> all_apis();

}  // namespace ktrial::protocol
