// SPDX-License-Identifier: Apache-2.0
// What a field of record batches holds, read from the batch headers alone: nothing is unpacked,
// checked or copied. The last batch of a fetch may be cut; older message sets are named by magic.
#pragma once

#include <boost/json.hpp>

#include <cstdint>
#include <span>

namespace ktrial::capture {

// [{"baseOffset","count","codec","producerId","producerEpoch","baseSequence","bytes"}...], of at
// most the first few dozen batches.
boost::json::array summarise_records(std::span<const std::uint8_t> records);

}  // namespace ktrial::capture
