// SPDX-License-Identifier: Apache-2.0
#include "fakebroker/state/groups.h"

namespace ktrial::fakebroker {

Groups::Groups(const Clock& clock, TimerService& timers, GroupSettings settings, TopicLookup topics,
               ShareHooks share_hooks)
    : services_{clock, timers, settings},
      topics_(std::move(topics)),
      share_services_{services_, topics_, std::move(share_hooks.settings),
                      std::move(share_hooks.freed)} {}

Group* Groups::find(std::string_view id) {
  const auto found = groups_.find(id);
  return found == groups_.end() ? nullptr : &found->second;
}

Group& Groups::open(const std::string& id) {
  Group& group = groups_[id];
  if (!group.classic && !group.consumer && !group.share)
    group.classic = std::make_unique<ClassicGroup>(id, services_);
  return group;
}

ClassicGroup* Groups::open_classic(const std::string& id) {
  Group& group = open(id);
  if (group.classic) return group.classic.get();
  if (group.share || !group.consumer->empty()) return nullptr;
  group.consumer.reset();
  return open(id).classic.get();
}

ConsumerGroup* Groups::open_consumer(const std::string& id) {
  Group& group = groups_[id];
  if (group.consumer) return group.consumer.get();
  if (group.share) return nullptr;
  if (group.classic && group.classic->state() != ClassicGroup::State::kEmpty) return nullptr;
  group.classic.reset();
  group.consumer = std::make_unique<ConsumerGroup>(id, services_, topics_);
  return group.consumer.get();
}

ShareGroup* Groups::open_share(const std::string& id) {
  Group& group = groups_[id];
  if (group.classic || group.consumer) return nullptr;
  if (!group.share) group.share = std::make_unique<ShareGroup>(id, share_services_);
  return group.share.get();
}

void Groups::erase(std::string_view id) {
  if (const auto found = groups_.find(id); found != groups_.end()) groups_.erase(found);
}

void Groups::forget_lost_topics() {
  for (auto& [id, group] : groups_)
    group.offsets.erase_topics([this](const std::string& name) { return !topics_(name); });
}

void Groups::release_waiting() {
  for (auto& [id, group] : groups_) {
    if (group.classic) group.classic->release_waiting();
  }
}

}  // namespace ktrial::fakebroker
