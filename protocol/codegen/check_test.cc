// SPDX-License-Identifier: Apache-2.0
#include "protocol/codegen/check.h"

#include <gtest/gtest.h>

#include "protocol/codegen/parser.h"

namespace ktrial::codegen {
namespace {

std::string error_of(const std::string& fields, const std::string& head = "request versions 0-3 flexible 2+\n") {
  const auto schema = parse_schema("api 3 M\n" + head + fields, "x.schema");
  return schema ? "no error" : schema.error().to_string();
}

TEST(SchemaCheck, AnUnknownTypeIsNamed) {
  EXPECT_EQ(error_of("  A Nowhere\n"), "x.schema:3:3: type 'Nowhere' of A is neither a primitive nor a struct of this message");
}

TEST(SchemaCheck, NamesAndTagsAreUnique) {
  EXPECT_EQ(error_of("  A int32\n  A int8\n"), "x.schema:4:3: a second field named A");
  EXPECT_EQ(error_of("  A int32 2+ tag 0 2+\n  B int32 2+ tag 0 2+\n"), "x.schema:4:3: tag 0 is taken");
}

TEST(SchemaCheck, TagsNeedFlexibleVersions) {
  EXPECT_EQ(error_of("  A int32 1+ tag 0 1+\n"), "x.schema:3:3: tagged in versions that are not flexible");
  EXPECT_EQ(error_of("  A int32 2+ tag 0 2+\n"), "no error");
}

TEST(SchemaCheck, NullNeedsATypeAndVersionsThatHaveIt) {
  EXPECT_EQ(error_of("  A int32 nullable 0+\n"), "x.schema:3:3: int32 cannot be null");
  EXPECT_EQ(error_of("  A string = null\n"), "x.schema:3:3: null is not among the values of A");
}

TEST(SchemaCheck, AStructMayNotHoldItself) {
  EXPECT_EQ(error_of("  A S\n    B int8\n    C []S\n"), "x.schema:1:1: struct 'S' of MRequest holds itself");
}

TEST(SchemaCheck, AnArrayOfElementsWithoutBytesIsRefused) {
  EXPECT_EQ(error_of("  A []S\n    B int8 1+\n"), "x.schema:3:3: an element of A has no bytes in version 0");
  EXPECT_EQ(error_of("  A []S\n    B int8 2+\n", "request versions 2-3 flexible 2+\n"), "no error");
}

TEST(SchemaCheck, StructsComeBeforeTheirUsers) {
  const auto schema = parse_schema("data D versions 0\n  A Outer\n    B Inner\n      C int8\n", "x.schema");
  ASSERT_TRUE(schema) << schema.error().to_string();
  ASSERT_EQ(schema->messages[0].structs.size(), 2U);
  EXPECT_EQ(schema->messages[0].structs[0].name, "Inner");
}

}  // namespace
}  // namespace ktrial::codegen
