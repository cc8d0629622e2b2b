// SPDX-License-Identifier: Apache-2.0
// Tables for crc32c.cc, computed by the compiler: slice-by-8 for the portable way, and "append n
// zero bytes" operators that join checksums of adjacent blocks computed side by side.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace ktrial::crc32c_tables {

// The polynomial with the lowest power in the highest bit, as the algorithm shifts right.
inline constexpr std::uint32_t kPolynomial = 0x82f63b78U;
// x^0 in that order.
inline constexpr std::uint32_t kOne = 0x80000000U;

using ByteTable = std::array<std::uint32_t, 256>;

constexpr std::uint32_t times_x(std::uint32_t value) {
  return (value >> 1U) ^ ((value & 1U) != 0 ? kPolynomial : 0U);
}

// a × b modulo the polynomial.
constexpr std::uint32_t product(std::uint32_t a, std::uint32_t b) {
  std::uint32_t sum = 0;
  for (; a != 0; a <<= 1U) {
    if ((a & kOne) != 0) sum ^= b;
    b = times_x(b);
  }
  return sum;
}

// x^(8 × bytes): what a checksum is multiplied by when that many bytes follow.
constexpr std::uint32_t power_of_bytes(std::size_t bytes) {
  std::uint32_t result = kOne;
  std::uint32_t square = kOne >> 8U;
  for (; bytes != 0; bytes >>= 1U) {
    if ((bytes & 1U) != 0) result = product(result, square);
    square = product(square, square);
  }
  return result;
}

// slices[k][b]: the checksum of byte b followed by k zero bytes.
constexpr std::array<ByteTable, 8> make_slices() {
  std::array<ByteTable, 8> slices{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = times_x(crc);
    slices[0][byte] = crc;
  }
  for (std::size_t k = 1; k < 8; ++k) {
    for (std::size_t byte = 0; byte < 256; ++byte) {
      const std::uint32_t shorter = slices[k - 1][byte];
      slices[k][byte] = (shorter >> 8U) ^ slices[0][shorter & 0xffU];
    }
  }
  return slices;
}

// Multiplies a checksum by x^(8 × bytes) with four look-ups.
struct Shift {
  std::array<ByteTable, 4> tables{};
  constexpr explicit Shift(std::size_t bytes) {
    const std::uint32_t factor = power_of_bytes(bytes);
    for (std::size_t k = 0; k < 4; ++k) {
      for (std::uint32_t byte = 0; byte < 256; ++byte) {
        tables[k][byte] = product(byte << (8U * static_cast<std::uint32_t>(k)), factor);
      }
    }
  }
  [[nodiscard]] constexpr std::uint32_t operator()(std::uint32_t crc) const {
    return tables[0][crc & 0xffU] ^ tables[1][(crc >> 8U) & 0xffU] ^
           tables[2][(crc >> 16U) & 0xffU] ^ tables[3][crc >> 24U];
  }
};

}  // namespace ktrial::crc32c_tables
