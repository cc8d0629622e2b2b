// SPDX-License-Identifier: Apache-2.0
// What APIs there are, and type-erased decoding by key and version.
#pragma once

#include <cstdint>
#include <string_view>

#include <boost/json.hpp>

#include "protocol/api_table.h"

namespace ktrial::protocol {

// nullptr if there is none.
const ApiInfo* find_api(std::int16_t key);
const ApiInfo* find_api(std::string_view name);

// The body after its header, decoded and shown.
Result<boost::json::value> request_json(std::int16_t key, std::int16_t version, const Slice& body);
Result<boost::json::value> response_json(std::int16_t key, std::int16_t version, const Slice& body);

}  // namespace ktrial::protocol
