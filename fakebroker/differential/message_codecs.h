// SPDX-License-Identifier: Apache-2.0
// Requests from JSON and responses to JSON, by API key.
#pragma once

#include "common/result.h"
#include "common/slice.h"

#include <boost/json.hpp>

#include <cstdint>
#include <vector>

namespace ktrial::fakebroker::differential {

// Fails on members that no version of the request has, and on values that do not fit.
Result<std::vector<std::uint8_t>> encode_request(std::int16_t key, std::int16_t version,
                                                 const boost::json::object& body);
// Every field filled with a distinct value, or every nullable field null.
std::vector<std::uint8_t> filled_request(std::int16_t key, std::int16_t version, bool nulls);
Result<boost::json::value> show_response(std::int16_t key, std::int16_t version, const Slice& body);

}  // namespace ktrial::fakebroker::differential
