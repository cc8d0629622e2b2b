// SPDX-License-Identifier: Apache-2.0
#include "harness/scenario/topics_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ktrial::harness {
namespace {

using ::testing::HasSubstr;

std::string fault(std::string_view text) {
  const auto topics = parse_topics(text, "topics.yaml", 3);
  return topics ? "loads" : topics.error().to_string();
}

TEST(TopicsFile, IsTheTopicsOfAScenario) {
  const auto topics = parse_topics(
      "orders: {partitions: 2, leaders: [3, 1], configs: {retention.ms: 60000}}\nplain:\n",
      "a.yaml", 3);
  ASSERT_TRUE(topics) << topics.error().to_string();
  ASSERT_EQ(topics->size(), 2U);
  EXPECT_EQ(topics->at(0).topic.name, "orders");
  EXPECT_EQ(topics->at(0).topic.partitions, 2);
  EXPECT_EQ(topics->at(0).topic.leaders, (std::vector<int>{3, 1}));
  EXPECT_EQ(topics->at(0).topic.configs.at("retention.ms"), "60000");
  EXPECT_EQ(topics->at(1).topic.partitions, 1);
  EXPECT_EQ(topics->at(1).at.to_string(), "a.yaml:2:1");
}

TEST(TopicsFile, AFaultTellsFileLineAndColumn) {
  EXPECT_THAT(fault("orders:\n  partitons: 2\n"), HasSubstr("topics.yaml:2:3"));
  EXPECT_THAT(fault("orders:\n  partitons: 2\n"), HasSubstr("did you mean 'partitions'"));
  EXPECT_THAT(fault("orders: {partitions: 0}"), HasSubstr("topics.yaml:1:22"));
  EXPECT_THAT(fault("orders: {leaders: [4]}"), HasSubstr("topics.yaml:1:"));
  EXPECT_THAT(fault("- orders"), HasSubstr("topics are a map"));
  EXPECT_THAT(fault("orders: {\n"), HasSubstr("topics.yaml:"));
  EXPECT_THAT(fault("orders: {}\norders: {}\n"), HasSubstr("topics.yaml:2:1"));
}

TEST(TopicsFile, AllFaultsAreToldAtOnce) {
  const std::string told = fault("a: {partitions: x}\nb: {partitions: y}\n");
  EXPECT_THAT(told, HasSubstr("topics.yaml:1:"));
  EXPECT_THAT(told, HasSubstr("topics.yaml:2:"));
}

}  // namespace
}  // namespace ktrial::harness
