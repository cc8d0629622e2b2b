// SPDX-License-Identifier: Apache-2.0
#include "fakebroker/state/share_settings.h"

#include "fakebroker/state/configs.h"

#include <gtest/gtest.h>

namespace ktrial::fakebroker {
namespace {

TEST(ShareSettings, TheGroupsOwnValuesComeBeforeTheBrokers) {
  Configs configs{ClusterSpec{}};
  EXPECT_EQ(share_settings(configs, "g", 1).delivery_count_limit, 5);
  configs.set(ConfigResource::kGroup, "g",
              {{"share.delivery.count.limit", "3"},
               {"share.isolation.level", "read_committed"},
               {"share.auto.offset.reset", "by_duration:PT1M"}});
  const ShareSettings settings = share_settings(configs, "g", 1);
  EXPECT_EQ(settings.delivery_count_limit, 3);
  EXPECT_TRUE(settings.read_committed);
  EXPECT_EQ(settings.reset, ShareSettings::Reset::kDuration);
  EXPECT_EQ(settings.reset_back, Millis(60'000));
  EXPECT_EQ(share_settings(configs, "other", 1).reset, ShareSettings::Reset::kLatest);
}

TEST(ShareSettings, DurationsAreIso8601) {
  EXPECT_EQ(reset_duration("by_duration:P1DT2H3M4.5S"),
            Millis((((24 + 2) * 60 + 3) * 60 + 4) * 1'000 + 500));
  EXPECT_EQ(reset_duration("by_duration:PT0.25S"), Millis(250));
  for (const char* wrong :
       {"latest", "by_duration:", "by_duration:P", "by_duration:PT", "by_duration:P1DT",
        "by_duration:PT-1S", "by_duration:1H", "by_duration:P1Y"})
    EXPECT_FALSE(reset_duration(wrong)) << wrong;
}

}  // namespace
}  // namespace ktrial::fakebroker
