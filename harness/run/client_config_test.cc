// SPDX-License-Identifier: Apache-2.0
#include "harness/run/client_config.h"

#include <gtest/gtest.h>

namespace ktrial::harness {
namespace {

using boost::json::object;

TEST(ClientConfig, TheScenariosKeysLieOverTheVersions) {
  EXPECT_EQ(client_config({{"acks", "1"}, {"linger.ms", "5"}}, {{"acks", "all"}}, nullptr),
            (object{{"acks", "all"}, {"linger.ms", "5"}}));
}

TEST(ClientConfig, TheCreateStepsKeysLieOverBoth) {
  const object own{{"acks", "0"}};
  EXPECT_EQ(client_config({{"acks", "1"}}, {{"acks", "all"}}, &own), (object{{"acks", "0"}}));
}

TEST(ClientConfig, AKeyThatTheVersionRefusesIsLeftOut) {
  const Config kip848{{"group.protocol", "consumer"}, {"session.timeout.ms", "default"}};
  const object own{{"session.timeout.ms", "6000"}};
  EXPECT_EQ(client_config(kip848, {{"session.timeout.ms", "10000"}}, &own),
            (object{{"group.protocol", "consumer"}}));
}

}  // namespace
}  // namespace ktrial::harness
