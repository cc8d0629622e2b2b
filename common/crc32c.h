// SPDX-License-Identifier: Apache-2.0
// CRC-32C (Castagnoli, RFC 3720 appendix B.4), the checksum of record batches. Uses the
// processor's instruction where it has one: a broker that checks every batch spends most of its
// time here.
#pragma once

#include <cstdint>
#include <span>

namespace ktrial {

// The checksum of what `previous` covers followed by `bytes`; start with 0.
std::uint32_t crc32c(std::span<const std::uint8_t> bytes, std::uint32_t previous = 0);

// The two ways to compute it, for tests and benchmarks; crc32c() takes the better one.
namespace detail {
std::uint32_t crc32c_portable(std::span<const std::uint8_t> bytes, std::uint32_t previous = 0);
bool crc32c_has_hardware();
// The portable way where there is no instruction.
std::uint32_t crc32c_hardware(std::span<const std::uint8_t> bytes, std::uint32_t previous = 0);
}  // namespace detail

}  // namespace ktrial
