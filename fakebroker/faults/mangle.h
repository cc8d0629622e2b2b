// SPDX-License-Identifier: Apache-2.0
// Malformed answers: a frame as it should be, made into what a rule asks for.
#pragma once

#include "common/rng.h"
#include "fakebroker/rules/rule.h"

#include <cstdint>
#include <vector>

namespace ktrial::fakebroker {

// `frame`: with its size field (protocol guide, "Protocol Primitive Types": int32, then as many
// bytes). In this order: garbage, truncate, append, patch, flip, correlation_shift, size, twice.
// Offsets beyond the frame do nothing.
std::vector<std::uint8_t> mangle(std::vector<std::uint8_t> frame, const Mangling& mangling,
                                 Rng& rng);

}  // namespace ktrial::fakebroker
