// SPDX-License-Identifier: Apache-2.0
#include "common/crc32c.h"

#include "common/crc32c_tables.h"

#include <cstring>

#if defined(__x86_64__)
#include <nmmintrin.h>
#endif

namespace ktrial {
namespace {

std::uint64_t load_le64(const std::uint8_t* at) {
  static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);
  std::uint64_t word = 0;
  std::memcpy(&word, at, sizeof word);
  return word;
}

std::uint32_t slice_by_8(const std::uint8_t* at, std::size_t size, std::uint32_t crc) {
  static constexpr auto kSlices = crc32c_tables::make_slices();
  for (; size >= 8; at += 8, size -= 8) {
    const std::uint64_t word = load_le64(at) ^ crc;
    // Written out: g++ does not unroll at -O2, and a loop here takes twice as long.
    crc = kSlices[7][word & 0xffU] ^ kSlices[6][(word >> 8U) & 0xffU] ^
          kSlices[5][(word >> 16U) & 0xffU] ^ kSlices[4][(word >> 24U) & 0xffU] ^
          kSlices[3][(word >> 32U) & 0xffU] ^ kSlices[2][(word >> 40U) & 0xffU] ^
          kSlices[1][(word >> 48U) & 0xffU] ^ kSlices[0][word >> 56U];
  }
  for (; size > 0; ++at, --size) crc = (crc >> 8U) ^ kSlices[0][(crc ^ *at) & 0xffU];
  return crc;
}

#if defined(__x86_64__)
// The instruction takes three cycles but one can start every cycle, so three blocks are computed
// side by side and their checksums joined by one shift each.
template <std::size_t kBlock>
__attribute__((target("sse4.2"))) std::uint32_t three_blocks(const std::uint8_t*& at,
                                                             std::size_t& size, std::uint32_t crc) {
  static constexpr crc32c_tables::Shift kAppendBlock(kBlock);
  while (size >= 3 * kBlock) {
    std::uint64_t first = crc;
    std::uint64_t second = 0;
    std::uint64_t third = 0;
    for (const std::uint8_t* const end = at + kBlock; at < end; at += 8) {
      first = _mm_crc32_u64(first, load_le64(at));
      second = _mm_crc32_u64(second, load_le64(at + kBlock));
      third = _mm_crc32_u64(third, load_le64(at + 2 * kBlock));
    }
    crc = kAppendBlock(static_cast<std::uint32_t>(first)) ^ static_cast<std::uint32_t>(second);
    crc = kAppendBlock(crc) ^ static_cast<std::uint32_t>(third);
    at += 2 * kBlock;
    size -= 3 * kBlock;
  }
  return crc;
}

__attribute__((target("sse4.2"))) std::uint32_t sse42(const std::uint8_t* at, std::size_t size,
                                                      std::uint32_t crc) {
  crc = three_blocks<4096>(at, size, crc);
  crc = three_blocks<256>(at, size, crc);
  std::uint64_t wide = crc;
  for (; size >= 8; at += 8, size -= 8) wide = _mm_crc32_u64(wide, load_le64(at));
  crc = static_cast<std::uint32_t>(wide);
  for (; size > 0; ++at, --size) crc = _mm_crc32_u8(crc, *at);
  return crc;
}
#endif

}  // namespace

namespace detail {

std::uint32_t crc32c_portable(std::span<const std::uint8_t> bytes, std::uint32_t previous) {
  return ~slice_by_8(bytes.data(), bytes.size(), ~previous);
}

bool crc32c_has_hardware() {
#if defined(__x86_64__)
  static const bool has = __builtin_cpu_supports("sse4.2") != 0;
  return has;
#else
  return false;
#endif
}

std::uint32_t crc32c_hardware(std::span<const std::uint8_t> bytes, std::uint32_t previous) {
#if defined(__x86_64__)
  if (crc32c_has_hardware()) return ~sse42(bytes.data(), bytes.size(), ~previous);
#endif
  return crc32c_portable(bytes, previous);
}

}  // namespace detail

std::uint32_t crc32c(std::span<const std::uint8_t> bytes, std::uint32_t previous) {
  return detail::crc32c_hardware(bytes, previous);
}

}  // namespace ktrial
