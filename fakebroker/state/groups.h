// SPDX-License-Identifier: Apache-2.0
// Groups: every group of the cluster by id, with its offsets. A group is made by the first member,
// or by the first commit of somebody who is none. An empty group takes the protocol of whoever
// joins it next.
#pragma once

#include "fakebroker/state/classic_group.h"
#include "fakebroker/state/consumer_group.h"
#include "fakebroker/state/group_types.h"
#include "fakebroker/state/offsets.h"

#include <map>
#include <memory>
#include <string>
#include <string_view>

namespace ktrial::fakebroker {

// Exactly one of the two protocols.
struct Group {
  std::unique_ptr<ClassicGroup> classic = {};
  std::unique_ptr<ConsumerGroup> consumer = {};
  Offsets offsets = {};

  [[nodiscard]] bool empty() const {
    return consumer ? consumer->empty() : classic->state() == ClassicGroup::State::kEmpty;
  }
  [[nodiscard]] std::string_view state_name() const {
    return consumer ? consumer->state_name() : classic->state_name();
  }
  // Whether it takes offsets from this member; `epoch` is a classic group's generation.
  [[nodiscard]] protocol::KafkaError check_commit(const std::string& member_id,
                                                  const std::optional<std::string>& instance_id,
                                                  std::int32_t epoch, std::int16_t version) const {
    return consumer ? consumer->check_commit(member_id, epoch, version)
                    : classic->check_commit(member_id, instance_id, epoch);
  }
  [[nodiscard]] bool subscribed_to(std::string_view topic) const {
    return consumer ? consumer->subscribed_to(topic) : classic->subscribed_to(topic);
  }
};

class Groups {
 public:
  Groups(const Clock& clock, TimerService& timers, GroupSettings settings, TopicLookup topics);

  [[nodiscard]] Group* find(std::string_view id);  // nullptr if there is none
  [[nodiscard]] const std::map<std::string, Group, std::less<>>& all() const { return groups_; }
  [[nodiscard]] const GroupSettings& settings() const { return services_.settings; }

  // The group, made if it is not there; nullptr if members of the other protocol are in it.
  ClassicGroup* open_classic(const std::string& id);
  ConsumerGroup* open_consumer(const std::string& id);
  // Made as a classic one if it is not there.
  Group& open(const std::string& id);
  void erase(std::string_view id);

  // What was committed for a topic goes with it.
  void forget_lost_topics();
  // Coordinators move: whoever waits is told so.
  void release_waiting();

 private:
  GroupServices services_;
  TopicLookup topics_;
  std::map<std::string, Group, std::less<>> groups_;
};

}  // namespace ktrial::fakebroker
