// SPDX-License-Identifier: Apache-2.0
#include "protocol/codegen/names.h"

#include <gtest/gtest.h>

namespace ktrial::codegen {
namespace {

TEST(Names, ARunOfCapitalsIsOneWord) {
  EXPECT_EQ(snake_case("ThrottleTimeMs"), "throttle_time_ms");
  EXPECT_EQ(snake_case("ISRNodes"), "isr_nodes");
  EXPECT_EQ(snake_case("TopicId"), "topic_id");
}

TEST(Names, AKeywordGetsAnUnderscore) { EXPECT_EQ(member_name("Operator"), "operator_"); }

TEST(Names, JsonNamesAreKafkas) { EXPECT_EQ(json_name("ErrorCode"), "errorCode"); }

}  // namespace
}  // namespace ktrial::codegen
