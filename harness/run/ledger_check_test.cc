// SPDX-License-Identifier: Apache-2.0
#include "harness/run/ledger_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ktrial::harness {
namespace {

using fakebroker::LedgerEntry;
using ::testing::HasSubstr;

constexpr const char* kPeer = "127.0.0.1:40112";

LedgerEntry asked(int correlation_id) {
  LedgerEntry entry;
  entry.kind = LedgerEntry::Kind::kRequest;
  entry.peer = kPeer;
  entry.api_key = 3;
  entry.api_version = 12;
  entry.correlation_id = correlation_id;
  return entry;
}

capture::EventLog log_with(std::initializer_list<std::pair<const char*, int>> events) {
  capture::EventLog log;
  capture::Connection connection;
  connection.client = kPeer;
  log.connections.push_back(connection);
  for (const auto& [type, correlation_id] : events) {
    capture::Event event;
    event.type = type;
    event.conn = 0;
    event.data = {{"key", 3}, {"version", 12}, {"correlation_id", correlation_id}};
    log.events.push_back(event);
  }
  return log;
}

TEST(LedgerCheck, SameRequestsAgreeInAnyOrder) {
  EXPECT_EQ(ledger_mismatch({asked(1), asked(2)},
                            log_with({{"req", 2}, {"resp", 2}, {"req", 1}, {"resp", 1}})),
            std::nullopt);
}

TEST(LedgerCheck, RequestThatTheCaptureMissedIsAMismatch) {
  const auto mismatch = ledger_mismatch({asked(1), asked(2)}, log_with({{"req", 1}, {"resp", 1}}));
  ASSERT_TRUE(mismatch.has_value());
  EXPECT_THAT(*mismatch, HasSubstr("correlation 2"));
  EXPECT_THAT(*mismatch, HasSubstr("the capture did not see it"));
}

TEST(LedgerCheck, AnsweredRequestThatTheClusterDoesNotKnowIsAMismatch) {
  const auto mismatch = ledger_mismatch({}, log_with({{"req", 7}, {"resp", 7}}));
  ASSERT_TRUE(mismatch.has_value());
  EXPECT_THAT(*mismatch, HasSubstr("the cluster has no account of it"));
}

// A client that dies in the middle, or a broker that closes: the broker never read it whole.
TEST(LedgerCheck, UnansweredRequestMayBeInTheCaptureOnly) {
  EXPECT_EQ(ledger_mismatch({asked(1)}, log_with({{"req", 1}, {"resp", 1}, {"req", 2}})),
            std::nullopt);
}

TEST(LedgerCheck, SameCorrelationIdTwiceMustBeThereTwice) {
  EXPECT_TRUE(ledger_mismatch({asked(1), asked(1)}, log_with({{"req", 1}, {"resp", 1}})));
}

TEST(LedgerCheck, ConnectsAndClosesAreNotRequests) {
  LedgerEntry accept;
  accept.peer = kPeer;
  EXPECT_EQ(ledger_mismatch({accept}, log_with({})), std::nullopt);
}

}  // namespace
}  // namespace ktrial::harness
