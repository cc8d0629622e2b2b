// SPDX-License-Identifier: Apache-2.0
#include "fakebroker/state/telemetry.h"

#include "common/manual_clock.h"

#include <gtest/gtest.h>

namespace ktrial::fakebroker {
namespace {

using protocol::KafkaError;

struct TelemetryState : testing::Test {
  ManualClock clock;
  Configs configs{ClusterSpec()};
  Telemetry telemetry{clock, configs};
  TelemetryClient client{.broker = 1,
                         .connection = 1,
                         .instance = telemetry.next_instance(),
                         .client_id = {},
                         .address = {}};
  TelemetrySubscription subscription;
};

TEST_F(TelemetryState, OneAsksAndPushesOnceAnInterval) {
  EXPECT_EQ(telemetry.subscribe(client, subscription), KafkaError::kNone);
  const TelemetryPush push{.subscription = subscription.id, .bytes = 7};
  clock.advance(Millis(10));
  EXPECT_EQ(telemetry.push(client, push), KafkaError::kNone);
  clock.advance(Millis(299'999));
  EXPECT_EQ(telemetry.push(client, push), KafkaError::kThrottlingQuotaExceeded);
  EXPECT_EQ(telemetry.subscribe(client, subscription), KafkaError::kThrottlingQuotaExceeded);
  clock.advance(Millis(1));
  EXPECT_EQ(telemetry.push(client, push), KafkaError::kNone);
  EXPECT_EQ(telemetry.pushed().pushes, 2U);
  EXPECT_EQ(telemetry.pushed().bytes, 14U);
}

TEST_F(TelemetryState, AClientWithAnOldSubscriptionMayAskAtOnce) {
  telemetry.subscribe(client, subscription);
  EXPECT_EQ(telemetry.push(client, {.subscription = 1}), KafkaError::kUnknownSubscriptionId);
  EXPECT_EQ(telemetry.subscribe(client, subscription), KafkaError::kNone);
}

TEST_F(TelemetryState, ABrokerForgetsItsClientWithTheConnection) {
  telemetry.subscribe(client, subscription);
  EXPECT_EQ(telemetry.subscribe(client, subscription), KafkaError::kThrottlingQuotaExceeded);
  client.connection = 2;
  EXPECT_EQ(telemetry.subscribe(client, subscription), KafkaError::kNone);
}

}  // namespace
}  // namespace ktrial::fakebroker
