// SPDX-License-Identifier: Apache-2.0
#include "protocol/header.h"

#include <gtest/gtest.h>

namespace ktrial::protocol {
namespace {

TEST(Headers, ApiVersionsIsAlwaysAnsweredWithHeaderZero) {
  EXPECT_EQ(response_header_version(18, 0), 0);
  EXPECT_EQ(response_header_version(18, 4), 0);
  EXPECT_EQ(response_header_version(3, 9), 1);
  EXPECT_EQ(response_header_version(3, 8), 0);
}

TEST(Headers, TheClientIdIsNeverCompact) {
  Writer writer;
  encode_request_header({3, 12, 7, "abc"}, writer);
  const std::vector<std::uint8_t> expected{0, 3, 0, 12, 0, 0, 0, 7, 0, 3, 'a', 'b', 'c', 0};
  EXPECT_EQ(std::move(writer).take(), expected);
}

TEST(Headers, RoundTripWithAndWithoutAClientId) {
  for (const RequestHeader& header : {RequestHeader{0, 3, 1, "x"}, RequestHeader{0, 9, -5, std::nullopt}}) {
    Writer writer;
    encode_request_header(header, writer);
    const Slice frame(std::move(writer).take());
    std::size_t body = 0;
    const auto decoded = decode_request_header(frame, body);
    ASSERT_TRUE(decoded) << decoded.error().to_string();
    EXPECT_EQ(decoded->client_id, header.client_id);
    EXPECT_EQ(decoded->correlation_id, header.correlation_id);
    EXPECT_EQ(body, frame.size());
  }
}

TEST(Headers, ATruncatedHeaderSaysWhere) {
  const Slice frame(std::vector<std::uint8_t>{0, 3, 0, 9, 0, 0, 0, 1, 0, 9, 'a'});
  std::size_t body = 0;
  const auto decoded = decode_request_header(frame, body);
  ASSERT_FALSE(decoded);
  EXPECT_EQ(decoded.error().to_string(), "request header at byte 10: length 9 exceeds the frame by 8");
}

}  // namespace
}  // namespace ktrial::protocol
