// SPDX-License-Identifier: Apache-2.0
#include "fakebroker/state/metadata_views.h"

#include <gtest/gtest.h>

namespace ktrial::fakebroker {
namespace {

struct MetadataViewsTest : testing::Test {
  ClusterView now;
  MetadataViews views{[this] { return now; }};

  void at(int ms, int controller) {
    now.since = TimePoint() + Millis(ms);
    now.controller = controller;
    views.changed();
  }
  int controller_at(int ms) const { return views.at(TimePoint() + Millis(ms))->controller; }
};

TEST_F(MetadataViewsTest, NothingIsKeptUntilSomeoneWatches) {
  at(1, 1);
  EXPECT_EQ(views.at(TimePoint()), nullptr);
}

TEST_F(MetadataViewsTest, TellsWhatWasTrueThen) {
  views.watch();
  at(10, 1);
  at(20, 2);
  at(30, 3);
  EXPECT_EQ(controller_at(9), -1);
  EXPECT_EQ(controller_at(10), 1);
  EXPECT_EQ(controller_at(29), 2);
  EXPECT_EQ(controller_at(1000), 3);
}

TEST_F(MetadataViewsTest, AsOfTheOldestThatIsKeptBeforeThat) {
  now.since = TimePoint() + Millis(50);
  now.controller = 5;
  views.watch();
  EXPECT_EQ(controller_at(1), 5);
}

TEST_F(MetadataViewsTest, LargeClustersAreRememberedLessFarBack) {
  now.topics["t"].partitions.resize(30'000);
  views.watch();
  for (int ms = 1; ms <= 10; ++ms) at(ms, ms);
  EXPECT_EQ(controller_at(0), 8);  // three of them fit
  EXPECT_EQ(controller_at(10), 10);
}

}  // namespace
}  // namespace ktrial::fakebroker
