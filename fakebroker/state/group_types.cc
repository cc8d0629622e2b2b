// SPDX-License-Identifier: Apache-2.0
#include "fakebroker/state/group_types.h"

#include <fmt/format.h>

namespace ktrial::fakebroker {

std::string MemberIds::next() {
  const std::uint64_t high = random_();
  const std::uint64_t low = random_();
  // Version 4, variant 10.
  return fmt::format("{:08x}-{:04x}-4{:03x}-{:04x}-{:012x}", high >> 32U, (high >> 16U) & 0xFFFFU,
                     high & 0xFFFU, ((low >> 48U) & 0x3FFFU) | 0x8000U, low & 0xFFFFFFFFFFFFU);
}

}  // namespace ktrial::fakebroker
