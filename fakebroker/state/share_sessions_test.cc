// SPDX-License-Identifier: Apache-2.0
#include "fakebroker/state/share_sessions.h"

#include <gtest/gtest.h>

namespace ktrial::fakebroker {
namespace {

using protocol::KafkaError;

ShareSessions::Request a_request(const std::string& member, std::int32_t epoch,
                                 std::int32_t partition = 0, std::uint64_t connection = 1) {
  ShareSessions::Request request{
      .group = "g", .member = member, .epoch = epoch, .connection = connection};
  request.targets[{protocol::Uuid{.bytes = {1}}, partition}] = {};
  return request;
}

TEST(ShareSessions, LaterRequestsAddAndForget) {
  ShareSessions sessions;
  EXPECT_TRUE(sessions.open(a_request("a", 0)).full);
  const auto next = sessions.open(a_request("a", 1, 5));
  EXPECT_FALSE(next.full);
  EXPECT_EQ(next.session->entries.size(), 2U);
  ShareSessions::Request forgets{.group = "g", .member = "a", .epoch = 2};
  forgets.forgotten.push_back({protocol::Uuid{.bytes = {1}}, 0});
  EXPECT_EQ(sessions.open(std::move(forgets)).session->entries.size(), 1U);
  EXPECT_EQ(sessions.resume("g", "a", 3), KafkaError::kNone);
  EXPECT_EQ(sessions.resume("g", "a", 3), KafkaError::kInvalidShareSessionEpoch);
}

TEST(ShareSessions, ANewOneTakesThePlaceOfTheOld) {
  ShareSessions sessions;
  sessions.open(a_request("a", 0));
  sessions.open(a_request("a", 0, 1));
  EXPECT_EQ(sessions.size(), 1U);
  auto with_acknowledgements = a_request("a", 0);
  with_acknowledgements.acknowledges = true;
  EXPECT_EQ(sessions.open(std::move(with_acknowledgements)).error, KafkaError::kInvalidRequest);
}

TEST(ShareSessions, TheyGoWithTheirConnection) {
  ShareSessions sessions;
  sessions.open(a_request("a", 0, 0, 1));
  sessions.open(a_request("b", 0, 0, 2));
  EXPECT_EQ(sessions.drop_connection(1).at(0)->member, "a");
  EXPECT_EQ(sessions.size(), 1U);
  EXPECT_EQ(sessions.open(a_request("a", 1)).error, KafkaError::kShareSessionNotFound);
}

TEST(ShareSessions, ThereAreOnlySoMany) {
  ShareSessions sessions;
  for (std::size_t i = 0; i < ShareSessions::kMost; ++i)
    sessions.open(a_request(std::to_string(i), 0));
  EXPECT_EQ(sessions.open(a_request("one more", 0)).error, KafkaError::kShareSessionLimitReached);
  EXPECT_EQ(sessions.open(a_request("0", 0)).error, KafkaError::kNone);
}

}  // namespace
}  // namespace ktrial::fakebroker
