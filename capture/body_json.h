// SPDX-License-Identifier: Apache-2.0
// Bodies as JSON for the event log: the one place where the analyser meets the protocol's
// type-erased codec. Adds `fields`, or `undecoded` with the reason; a response's first error as
// `error` and `error_name`; and what the record batches of Produce and Fetch hold.
#pragma once

#include <boost/json.hpp>

#include <cstdint>
#include <optional>
#include <span>

namespace ktrial::capture {

void add_request_fields(boost::json::object& data, std::int16_t key, std::int16_t version,
                        std::span<const std::uint8_t> body, bool complete);
void add_response_fields(boost::json::object& data, std::int16_t key, std::int16_t version,
                         std::span<const std::uint8_t> body, bool complete);

// The first non-zero errorCode (AddPartitionsToTxn: partitionErrorCode), depth first in the order of the fields.
std::optional<std::int16_t> first_error(const boost::json::value& fields);

}  // namespace ktrial::capture
