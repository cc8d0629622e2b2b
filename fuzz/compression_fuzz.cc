// SPDX-License-Identifier: Apache-2.0
// The first byte picks a codec; the others are unpacked as they are, and packed and unpacked.
#include "common/compression.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ktrial;  // NOLINT(google-build-using-namespace)
  constexpr std::size_t kLimit = 1U << 20U;
  if (size == 0) return 0;
  const std::span<const std::uint8_t> input(data + 1, size - 1);
  const auto codec = static_cast<Codec>(data[0] % 6);
  const auto unpacked = codec == static_cast<Codec>(5)
                            ? decompress_lz4_any_header_checksum(input, kLimit)
                            : decompress(codec, input, kLimit);
  if (unpacked && unpacked->size() > kLimit) std::abort();
  const auto packed = compress(codec, input);
  if (!packed) return 0;
  const auto again = decompress(codec, *packed, input.size());
  if (!again || !std::equal(again->begin(), again->end(), input.begin(), input.end())) std::abort();
  return 0;
}
