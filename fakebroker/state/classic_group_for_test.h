// SPDX-License-Identifier: Apache-2.0
// ClassicGroupTest: a classic group on a clock that a test moves, and what members say to it.
#pragma once

#include "common/manual_clock.h"
#include "fakebroker/state/answer_for_test.h"
#include "fakebroker/state/classic_group.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

namespace ktrial::fakebroker {

struct ClassicGroupTest : testing::Test {
  using KafkaError = protocol::KafkaError;
  using Join = Asked<protocol::JoinGroupResponse>;
  using Sync = Asked<protocol::SyncGroupResponse>;
  using State = ClassicGroup::State;
  using Id = std::string;
  static constexpr std::chrono::seconds kSession{10};
  static constexpr std::chrono::seconds kRebalance{60};

  ManualClock clock;
  GroupServices services{clock, clock, {}, MemberIds(1)};
  ClassicGroup group{"g", services};

  static protocol::JoinGroupRequest a_join(const Id& member = "",
                                           std::optional<std::string> instance = std::nullopt) {
    protocol::JoinGroupRequest request;
    request.group_id = "g";
    request.session_timeout_ms = static_cast<std::int32_t>(Millis(kSession).count());
    request.rebalance_timeout_ms = static_cast<std::int32_t>(Millis(kRebalance).count());
    request.member_id = member;
    request.group_instance_id = std::move(instance);
    request.protocol_type = "consumer";
    request.protocols.push_back({.name = "range", .metadata = Slice::copy_of("topics of all")});
    return request;
  }

  Join join(const protocol::JoinGroupRequest& request, std::int16_t version = 9) {
    Join asked;
    group.join(request, ClassicGroup::JoinTraits::of_version(version), {"client", "/127.0.0.1"},
               asked.answer());
    return asked;
  }
  Sync sync(const Id& member, const std::vector<Id>& assigned = {}) {
    protocol::SyncGroupRequest request;
    request.group_id = "g";
    request.member_id = member;
    request.generation_id = group.generation();
    for (const Id& other : assigned)
      request.assignments.push_back(
          {.member_id = other, .assignment = Slice::copy_of("of " + other)});
    return sync(request);
  }
  Sync sync(const protocol::SyncGroupRequest& request) {
    Sync asked;
    group.sync(request, asked.answer());
    return asked;
  }
  KafkaError heartbeat(const Id& member) {
    return group.heartbeat(member, std::nullopt, group.generation());
  }

  // An id that the group gave out.
  Id an_id() { return join(a_join())->member_id; }

  // Members of one generation that have joined; the first leads.
  std::vector<Id> joined(int count) {
    std::vector<Id> ids;
    for (int i = 0; i < count; ++i) {
      ids.push_back(an_id());
      join(a_join(ids.back()));
    }
    clock.advance(Nanos(0));
    return ids;
  }
  std::vector<Id> stable(int count) {
    std::vector<Id> ids = joined(count);
    for (auto id = ids.rbegin(); id != ids.rend(); ++id) sync(*id, ids);
    return ids;
  }
};

}  // namespace ktrial::fakebroker
