// SPDX-License-Identifier: Apache-2.0
#include "protocol/utf8.h"

#include <gtest/gtest.h>

namespace ktrial::protocol {
namespace {

TEST(Utf8, WellFormedTextStays) {
  for (const std::string_view text : {"", "abc", "\xc3\xa9", "\xe6\x97\xa5", "\xf0\x9f\x98\x80", "\xf4\x8f\xbf\xbf"}) {
    EXPECT_TRUE(is_utf8(text)) << text;
    EXPECT_EQ(to_utf8(text), text);
  }
}

TEST(Utf8, BytesOfNoCharacterAreReplaced) {
  EXPECT_EQ(to_utf8("a\x80z"), "a\xef\xbf\xbdz");
  EXPECT_EQ(to_utf8("\xc3"), "\xef\xbf\xbd");
  for (const std::string_view text : {"\xc0\xaf", "\xe0\x80\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xff", "\xf0\x9f\x98"}) {
    EXPECT_FALSE(is_utf8(text));
    EXPECT_TRUE(is_utf8(to_utf8(text)));
  }
}

}  // namespace
}  // namespace ktrial::protocol
