// SPDX-License-Identifier: Apache-2.0
#include "protocol/codegen/parser.h"

#include <gtest/gtest.h>

namespace ktrial::codegen {
namespace {

std::string error_of(std::string_view text) {
  const auto schema = parse_schema(text, "x.schema");
  return schema ? "no error" : schema.error().to_string();
}

TEST(SchemaParser, ReadsNestedFieldsAndAttributes) {
  const auto schema = parse_schema(
      "# About it.\n"
      "api 3 Metadata\n"
      "request versions 0-13 flexible 9+\n"
      "  Topics []Topic nullable 1+\n"
      "    TopicId uuid 10+ ignorable\n"
      "    Name string @topic_name\n"
      "  Flag bool 4-7 = true\n"
      "  Extra string 9+ nullable 9+ tag 2 9+ = null\n",
      "x.schema");
  ASSERT_TRUE(schema) << schema.error().to_string();
  const Message& message = schema->messages.at(0);
  EXPECT_EQ(message.name, "MetadataRequest");
  ASSERT_EQ(message.fields.size(), 3U);
  EXPECT_TRUE(message.fields[0].is_array && message.fields[0].is_struct);
  EXPECT_EQ(message.fields[0].nullable, (VersionRange{1, kMaxVersion}));
  EXPECT_EQ(message.structs.at(0).fields.at(1).entity, "topic_name");
  EXPECT_EQ(message.fields[1].versions, (VersionRange{4, 7}));
  EXPECT_EQ(message.fields[1].default_value, "true");
  EXPECT_EQ(message.fields[2].tag, 2);
}

TEST(SchemaParser, FaultsNameTheirPlace) {
  EXPECT_EQ(error_of("api 3 M\nrequest versions 0-x\n"), "x.schema:2:18: expected a number, got 'x'");
  EXPECT_EQ(error_of("api 3 M\nrequest versions 0-1\n  A int32 soon\n"), "x.schema:3:11: expected versions such as 3+, 1-5 or 2, got 'soon'");
  EXPECT_EQ(error_of("api 3 M\nrequest versions 0-1\n   A int32\n"), "x.schema:3:4: indent by steps of two blanks");
  EXPECT_EQ(error_of("api 3 M\nrequest versions 0-1\n  A int32\n    B int32\n"), "x.schema:4:5: 'int32' has no fields");
  EXPECT_EQ(error_of("request versions 0\n"), "x.schema:1:1: 'request' needs an 'api KEY NAME' line before it");
  EXPECT_EQ(error_of(""), "x.schema:1:1: no message: expected 'request', 'response' or 'data NAME'");
}

}  // namespace
}  // namespace ktrial::codegen
