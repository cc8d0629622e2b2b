// SPDX-License-Identifier: Apache-2.0
#include "clients/reference/fetch_session.h"

#include "protocol/errors.h"

#include <gtest/gtest.h>

namespace ktrial::client {
namespace {

using protocol::FetchRequest;
using protocol::FetchResponse;
using protocol::KafkaError;

protocol::Uuid id(std::uint8_t last) {
  protocol::Uuid uuid;
  uuid.bytes[15] = last;
  return uuid;
}

FetchSession::Want at_offset(std::int64_t offset, std::uint8_t topic = 1) {
  return {.topic_id = id(topic), .offset = offset, .max_bytes = 100, .leader_epoch = 0};
}

FetchRequest next(FetchSession& session, const FetchSession::Wants& wanted) {
  FetchRequest request;
  session.fill(wanted, request);
  return request;
}

FetchResponse answer(std::int32_t session, KafkaError error = KafkaError::kNone) {
  FetchResponse response;
  response.session_id = session;
  response.error_code = code(error);
  return response;
}

std::size_t partitions_in(const FetchRequest& request) {
  std::size_t count = 0;
  for (const auto& topic : request.topics) count += topic.partitions.size();
  return count;
}

TEST(FetchSession, BeginsWithAFullRequestAndGoesOnWithChangesOnly) {
  FetchSession session;
  FetchSession::Wants wanted{{{"t", 0}, at_offset(5)}, {{"t", 1}, at_offset(7)}};
  const FetchRequest first = next(session, wanted);
  EXPECT_EQ(first.session_id, 0);
  EXPECT_EQ(first.session_epoch, 0);
  EXPECT_EQ(partitions_in(first), 2U);
  EXPECT_TRUE(session.answered(answer(9)));

  wanted[{"t", 0}] = at_offset(6);
  const FetchRequest second = next(session, wanted);
  EXPECT_EQ(second.session_id, 9);
  EXPECT_EQ(second.session_epoch, 1);
  ASSERT_EQ(partitions_in(second), 1U);
  EXPECT_EQ(second.topics[0].partitions[0].fetch_offset, 6);
  EXPECT_TRUE(session.answered(answer(9)));

  const FetchRequest third = next(session, wanted);
  EXPECT_EQ(third.session_epoch, 2);
  EXPECT_EQ(partitions_in(third), 0U);
}

TEST(FetchSession, ForgetsWhatIsNoLongerWanted) {
  FetchSession session;
  next(session, {{{"t", 0}, at_offset(5)}, {{"t", 1}, at_offset(7)}, {{"u", 0}, at_offset(1, 2)}});
  session.answered(answer(9));
  const FetchRequest request = next(session, {{{"t", 1}, at_offset(7)}});
  ASSERT_EQ(request.forgotten_topics_data.size(), 2U);
  EXPECT_EQ(request.forgotten_topics_data[0].topic, "t");
  EXPECT_EQ(request.forgotten_topics_data[0].partitions, (std::vector<std::int32_t>{0}));
  EXPECT_EQ(request.forgotten_topics_data[1].topic_id, id(2));
  EXPECT_TRUE(request.topics.empty());
}

TEST(FetchSession, ATopicMadeAnewIsForgottenUnderItsOldId) {
  FetchSession session;
  next(session, {{{"t", 0}, at_offset(5, 1)}});
  session.answered(answer(9));
  const FetchRequest request = next(session, {{{"t", 0}, at_offset(0, 2)}});
  ASSERT_EQ(request.forgotten_topics_data.size(), 1U);
  EXPECT_EQ(request.forgotten_topics_data[0].topic_id, id(1));
  ASSERT_EQ(request.topics.size(), 1U);
  EXPECT_EQ(request.topics[0].topic_id, id(2));
}

TEST(FetchSession, ABrokerWithoutRoomForOneIsAskedInFullEachTime) {
  FetchSession session;
  const FetchSession::Wants wanted{{{"t", 0}, at_offset(5)}};
  next(session, wanted);
  EXPECT_TRUE(session.answered(answer(0)));
  const FetchRequest again = next(session, wanted);
  EXPECT_EQ(again.session_epoch, 0);
  EXPECT_EQ(partitions_in(again), 1U);
  EXPECT_FALSE(session.farewell());
}

TEST(FetchSession, StartsAnewWhenTheBrokerHasLostIt) {
  FetchSession session;
  const FetchSession::Wants wanted{{{"t", 0}, at_offset(5)}};
  next(session, wanted);
  session.answered(answer(9));
  next(session, wanted);
  EXPECT_FALSE(session.answered(answer(0, KafkaError::kFetchSessionIdNotFound)));
  const FetchRequest anew = next(session, wanted);
  EXPECT_EQ(anew.session_id, 0);
  EXPECT_EQ(anew.session_epoch, 0);
  EXPECT_EQ(partitions_in(anew), 1U);
}

TEST(FetchSession, AWrongEpochOrALostAnswerReplacesTheSession) {
  const FetchSession::Wants wanted{{{"t", 0}, at_offset(5)}};
  for (const bool answered : {true, false}) {
    FetchSession session;
    next(session, wanted);
    session.answered(answer(9));
    next(session, wanted);
    if (answered) {
      EXPECT_FALSE(session.answered(answer(0, KafkaError::kInvalidFetchSessionEpoch)));
    } else {
      session.failed();
    }
    const FetchRequest anew = next(session, wanted);
    EXPECT_EQ(anew.session_id, 9);
    EXPECT_EQ(anew.session_epoch, 0);
    EXPECT_EQ(partitions_in(anew), 1U);
  }
}

TEST(FetchSession, GoesByNamesWhileATopicHasNoId) {
  FetchSession session;
  next(session, {{{"t", 0}, at_offset(5)}});
  EXPECT_TRUE(session.by_id());
  session.answered(answer(9));
  const FetchRequest by_name =
      next(session, {{{"t", 0}, at_offset(5)}, {{"u", 0}, {.offset = 1, .max_bytes = 100}}});
  EXPECT_FALSE(session.by_id());
  EXPECT_EQ(by_name.session_epoch, 0);
  EXPECT_EQ(partitions_in(by_name), 2U);
}

TEST(FetchSession, NamesATopicThatTheAnswerNumbers) {
  FetchSession session;
  next(session, {{{"t", 0}, at_offset(5, 3)}});
  protocol::fetch_response::FetchableTopicResponse topic;
  topic.topic_id = id(3);
  EXPECT_EQ(session.name_of(topic), "t");
  topic.topic_id = id(4);
  EXPECT_FALSE(session.name_of(topic));
}

TEST(FetchSession, SaysFarewellWithTheLastEpoch) {
  FetchSession session;
  next(session, {{{"t", 0}, at_offset(5)}});
  session.answered(answer(9));
  const auto farewell = session.farewell();
  ASSERT_TRUE(farewell);
  EXPECT_EQ(farewell->session_id, 9);
  EXPECT_EQ(farewell->session_epoch, -1);
  EXPECT_TRUE(farewell->topics.empty());
}

}  // namespace
}  // namespace ktrial::client
