// SPDX-License-Identifier: Apache-2.0
// Bytes written by hand, and bytes shown: record batches, what group members tell one another, hex.
#pragma once

#include "common/result.h"
#include "common/slice.h"
#include "protocol/uuid.h"

#include <boost/json.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ktrial::fakebroker::differential {

// A string stands for its own bytes, or "hex:…" for those; an array for the bytes of its elements
// one after another; an object for one of:
//   {values: [a, b]}            a batch of records without keys; with it may stand: keys, codec,
//                               timestamp (of the first, the others follow by 1 ms), producerId,
//                               producerEpoch, baseSequence, transactional, control, leaderEpoch,
//                               baseOffset, logAppendTime, and for what is wrong on purpose: magic,
//                               attributes, count, length, lastOffsetDelta, crc: bad, cut: BYTES
//   {subscription: [topics], version: N, ownedPartitions: {topic: [0]}, generation: N}
//   {assignment: {topic: [0, 1]}, version: N}
//   {repeat: TEXT, times: N}
Result<std::vector<std::uint8_t>> bytes_of(const boost::json::value& written);

// An array of batches with their header fields and decoded records; what is no batch as hex.
boost::json::value show_records(const Slice& records);

std::string hex_of(const Slice& bytes);
Result<std::vector<std::uint8_t>> from_hex(std::string_view hex);
std::optional<protocol::Uuid> uuid_of(std::string_view base64);

}  // namespace ktrial::fakebroker::differential
