// SPDX-License-Identifier: Apache-2.0
#include "protocol/uuid.h"

#include <gtest/gtest.h>

namespace ktrial::protocol {
namespace {

TEST(Uuid, PrintsAsKafkaDoes) {
  EXPECT_EQ(Uuid{}.to_string(), "AAAAAAAAAAAAAAAAAAAAAA");
  Uuid uuid;
  for (std::size_t i = 0; i < 16; ++i) uuid.bytes[i] = static_cast<std::uint8_t>(0xf0U + i);
  EXPECT_EQ(uuid.to_string(), "8PHy8_T19vf4-fr7_P3-_w");
}

}  // namespace
}  // namespace ktrial::protocol
