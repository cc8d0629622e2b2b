// SPDX-License-Identifier: Apache-2.0
#include "fakebroker/connection_quotas.h"

#include "common/manual_clock.h"

#include <gtest/gtest.h>

namespace ktrial::fakebroker {
namespace {

TEST(ConnectionQuotas, HaveRoomUntilTheLimitIsReached) {
  ConnectionQuotas quotas({.most = 2});
  EXPECT_TRUE(quotas.take("10.0.0.1"));
  EXPECT_TRUE(quotas.has_room());
  EXPECT_TRUE(quotas.take("10.0.0.2"));
  EXPECT_FALSE(quotas.has_room());
  quotas.leave("10.0.0.1");
  EXPECT_TRUE(quotas.has_room());
}

TEST(ConnectionQuotas, AnAddressHasItsOwnLimit) {
  ConnectionQuotas quotas({.most_per_ip = 1, .of_ip = {{"10.0.0.9", 2}, {"10.0.0.8", 0}}});
  EXPECT_TRUE(quotas.take("10.0.0.1"));
  EXPECT_FALSE(quotas.take("10.0.0.1"));
  quotas.leave("10.0.0.1");
  EXPECT_TRUE(quotas.take("10.0.0.2"));
  EXPECT_TRUE(quotas.take("10.0.0.9"));
  EXPECT_TRUE(quotas.take("10.0.0.9"));
  EXPECT_FALSE(quotas.take("10.0.0.8"));
  quotas.leave("10.0.0.1");
  EXPECT_TRUE(quotas.take("10.0.0.1"));
}

TEST(ConnectionQuotas, ALowerLimitSaysHowManyHaveToGo) {
  ConnectionQuotas quotas({});
  for (int i = 0; i < 5; ++i) quotas.take("10.0.0.1");
  quotas.set_limits({.most = 2});
  EXPECT_EQ(quotas.excess(), 3);
  EXPECT_FALSE(quotas.has_room());
}

// The window is of ten whole seconds at least, so that ten times the rate may come at once.
TEST(ConnectionQuotas, WhoComesTooFastWaitsASecondAtMost) {
  ManualClock clock;
  ConnectionQuotas quotas({.most_per_second = 2});
  for (int i = 0; i < 20; ++i) EXPECT_EQ(quotas.arrived(clock.now()), Millis(0)) << i;
  EXPECT_EQ(quotas.arrived(clock.now()), Millis(500));
  EXPECT_EQ(quotas.arrived(clock.now()), Millis(1000));
  EXPECT_EQ(quotas.arrived(clock.now()), Millis(1000));
  clock.advance(std::chrono::seconds(20));
  EXPECT_EQ(quotas.arrived(clock.now()), Millis(0));
}

TEST(ConnectionQuotas, WithoutARateNobodyWaits) {
  ManualClock clock;
  ConnectionQuotas quotas({});
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(quotas.arrived(clock.now()), Millis(0));
}

TEST(ConnectionLimits, OverridesAreAddressesAndCounts) {
  const auto read = ConnectionLimits::read_overrides("127.0.0.1:5,localhost:6,::1:7,[fe80::0]:8");
  ASSERT_TRUE(read);
  EXPECT_EQ(*read,
            (std::map<std::string, std::int64_t>{{"127.0.0.1", 6}, {"::1", 7}, {"fe80::", 8}}));
  EXPECT_TRUE(ConnectionLimits::read_overrides("")->empty());
  for (const char* const wrong : {"127.0.0.1", "127.0.0.1:", "127.0.0.1:x", "127.0.0.1:-1",
                                  "127.0.0.1:99999999999", "example.org:1", ":4"})
    EXPECT_FALSE(ConnectionLimits::read_overrides(wrong)) << wrong;
}

TEST(ConnectionLimits, AreThoseOfTheBrokerThenOfAllThenWhatItWasStartedWith) {
  ClusterSpec spec = loopback_cluster(1);
  spec.broker_configs = {{"max.connections", "7"},
                         {"max.connections.per.ip.overrides", "127.0.0.1:3"}};
  Configs configs(spec);
  EXPECT_EQ(ConnectionLimits::of(configs, 1).most, 7);
  EXPECT_EQ(ConnectionLimits::of(configs, 1).most_per_ip, ConnectionLimits::kNone);
  EXPECT_EQ(ConnectionLimits::of(configs, 1).of_ip.at("127.0.0.1"), 3);
  configs.set(ConfigResource::kBroker, "", {{"max.connections", "6"}});
  EXPECT_EQ(ConnectionLimits::of(configs, 1).most, 6);
  configs.set(ConfigResource::kBroker, "1",
              {{"max.connections", "5"}, {"max.connection.creation.rate", "4"}});
  EXPECT_EQ(ConnectionLimits::of(configs, 1).most, 5);
  EXPECT_EQ(ConnectionLimits::of(configs, 1).most_per_second, 4);
}

}  // namespace
}  // namespace ktrial::fakebroker
