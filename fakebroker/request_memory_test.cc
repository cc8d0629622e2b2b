// SPDX-License-Identifier: Apache-2.0
#include "fakebroker/request_memory.h"

#include <gtest/gtest.h>

#include <vector>

namespace ktrial::fakebroker {
namespace {

TEST(RequestMemory, IsExhaustedByTheLastOneThatItLetIn) {
  RequestMemory memory(100);
  memory.changed(99);
  EXPECT_FALSE(memory.exhausted());
  memory.changed(5000);
  EXPECT_TRUE(memory.exhausted());
  memory.changed(-5000);
  EXPECT_FALSE(memory.exhausted());
}

TEST(RequestMemory, LetsThoseWaitingGoOnInTurnWhileThereIsAny) {
  RequestMemory memory(100);
  std::vector<int> resumed;
  memory.changed(100);
  for (const int id : {3, 1, 2}) {
    memory.wait(static_cast<std::uint64_t>(id), [&memory, &resumed, id] {
      resumed.push_back(id);
      memory.changed(60);
    });
  }
  memory.changed(-10);
  EXPECT_EQ(resumed, std::vector({1}));
  memory.changed(-20);
  EXPECT_EQ(resumed, std::vector({1}));
  memory.changed(-100);
  EXPECT_EQ(resumed, std::vector({1, 2, 3}));
  EXPECT_EQ(memory.waiting(), 0U);
}

TEST(RequestMemory, WhoHasLeftIsNotWokenUp) {
  RequestMemory memory(1);
  memory.changed(1);
  memory.wait(7, [] { FAIL(); });
  memory.leave(7);
  memory.changed(-1);
}

}  // namespace
}  // namespace ktrial::fakebroker
