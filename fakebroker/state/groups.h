// SPDX-License-Identifier: Apache-2.0
// Groups: every group of the cluster by id, with its offsets. A group is made by the first member,
// or by the first commit of somebody who is none. An empty group takes the protocol of whoever
// joins it next, but that a share group stays one.
#pragma once

#include "fakebroker/state/classic_group.h"
#include "fakebroker/state/consumer_group.h"
#include "fakebroker/state/group_types.h"
#include "fakebroker/state/offsets.h"
#include "fakebroker/state/share_group.h"

#include <map>
#include <memory>
#include <string>
#include <string_view>

namespace ktrial::fakebroker {

// Exactly one of the three protocols.
struct Group {
  std::unique_ptr<ClassicGroup> classic = {};
  std::unique_ptr<ConsumerGroup> consumer = {};
  std::unique_ptr<ShareGroup> share = {};
  Offsets offsets = {};  // not of a share group

  [[nodiscard]] bool empty() const {
    if (share) return share->empty();
    return consumer ? consumer->empty() : classic->state() == ClassicGroup::State::kEmpty;
  }
  [[nodiscard]] std::string_view type_name() const {
    if (share) return "share";
    return consumer ? "consumer" : "classic";
  }
  [[nodiscard]] std::string_view state_name() const {
    if (share) return share->state_name();
    return consumer ? consumer->state_name() : classic->state_name();
  }
  // Whether it takes offsets from this member; `epoch` is a classic group's generation.
  [[nodiscard]] protocol::KafkaError check_commit(const std::string& member_id,
                                                  const std::optional<std::string>& instance_id,
                                                  std::int32_t epoch, std::int16_t version) const {
    if (share) return protocol::KafkaError::kGroupIdNotFound;
    return consumer ? consumer->check_commit(member_id, epoch, version)
                    : classic->check_commit(member_id, instance_id, epoch);
  }
  [[nodiscard]] bool subscribed_to(std::string_view topic) const {
    if (share) return share->subscribed_to(topic);
    return consumer ? consumer->subscribed_to(topic) : classic->subscribed_to(topic);
  }
};

// What share groups need to know of the rest of the cluster.
struct ShareHooks {
  std::function<ShareSettings(const std::string& group)> settings = [](const std::string&) {
    return ShareSettings();
  };
  RecordsFreed freed = [](const protocol::Uuid&, std::int32_t) {};
};

class Groups {
 public:
  Groups(const Clock& clock, TimerService& timers, GroupSettings settings, TopicLookup topics,
         ShareHooks share_hooks = {});

  [[nodiscard]] Group* find(std::string_view id);  // nullptr if there is none
  [[nodiscard]] const std::map<std::string, Group, std::less<>>& all() const { return groups_; }
  [[nodiscard]] const GroupSettings& settings() const { return services_.settings; }

  // The group, made if it is not there; nullptr if members of another protocol are in it.
  ClassicGroup* open_classic(const std::string& id);
  ConsumerGroup* open_consumer(const std::string& id);
  ShareGroup* open_share(const std::string& id);  // also if it is empty, but of another type
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
  ShareGroup::Services share_services_;
  std::map<std::string, Group, std::less<>> groups_;
};

}  // namespace ktrial::fakebroker
