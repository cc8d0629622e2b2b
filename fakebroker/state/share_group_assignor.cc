// SPDX-License-Identifier: Apache-2.0
#include "fakebroker/state/share_group_assignor.h"

#include <algorithm>
#include <utility>

namespace ktrial::fakebroker {
namespace {

using Place = std::pair<protocol::Uuid, std::int32_t>;  // topic id, partition
using Takers = std::set<std::size_t>;                   // by index into the members

std::size_t ceiling(std::size_t a, std::size_t b) { return (a + b - 1) / b; }

// The partitions of a pool, shared out among the members that subscribe to all of it.
class Pool {
 public:
  Pool(const std::vector<Place>& places, const std::vector<const AssignorMember*>& members)
      : members_(members), sharing_(ceiling(members.size(), places.size())) {
    const std::size_t all = sharing_ * places.size();
    for (std::size_t i = 0; i < members.size(); ++i) {
      wanted_.push_back(ceiling(all * (i + 1), members.size()) - ceiling(all * i, members.size()));
    }
    for (const Place& place : places) takers_[place];
    owned_.resize(members.size());
  }

  void assign(TargetAssignment& target) {
    keep_current();
    drop_surplus();
    fill_up();
    for (std::size_t i = 0; i < members_.size(); ++i) {
      Assignment& assignment = target[members_[i]->id];
      for (const auto& [topic, partition] : owned_[i]) assignment[topic].insert(partition);
    }
  }

 private:
  void keep_current() {
    for (std::size_t i = 0; i < members_.size(); ++i) {
      for (const auto& [topic, partitions] : members_[i]->current) {
        for (const std::int32_t partition : partitions) {
          if (takers_.contains({topic, partition})) take(i, {topic, partition});
        }
      }
    }
  }

  void drop_surplus() {
    for (std::size_t i = 0; i < members_.size(); ++i) {
      while (owned_[i].size() > wanted_[i]) drop(i, *owned_[i].begin());
    }
    for (auto& [place, takers] : takers_) {
      while (takers.size() > sharing_) drop(*takers.begin(), place);
    }
  }

  // Round and round over those that have too little. One that has the partition already is passed
  // over, be it at the cost of the balance.
  void fill_up() {
    Takers hungry;
    for (std::size_t i = 0; i < members_.size(); ++i) {
      if (owned_[i].size() < wanted_[i]) hungry.insert(i);
    }
    auto next = hungry.begin();
    for (auto& [place, takers] : takers_) {
      std::size_t passed_over = 0;
      while (takers.size() < sharing_ && passed_over < hungry.size()) {
        if (next == hungry.end()) next = hungry.begin();
        const std::size_t member = *next;
        if (takers.contains(member)) {
          ++passed_over;
          ++next;
          continue;
        }
        passed_over = 0;
        take(member, place);
        next = owned_[member].size() >= wanted_[member] ? hungry.erase(next) : std::next(next);
      }
    }
  }

  void take(std::size_t member, const Place& place) {
    owned_[member].insert(place);
    takers_[place].insert(member);
  }
  void drop(std::size_t member, Place place) {
    owned_[member].erase(place);
    takers_[place].erase(member);
  }

  const std::vector<const AssignorMember*>& members_;
  std::size_t sharing_;              // members to a partition
  std::vector<std::size_t> wanted_;  // partitions to a member
  std::map<Place, Takers> takers_;
  std::vector<std::set<Place>> owned_;
};

std::vector<Place> places_of(const Assignment& partitions,
                             const std::set<protocol::Uuid>& of_topics) {
  std::vector<Place> places;
  for (const auto& [topic, indexes] : partitions) {
    if (!of_topics.contains(topic)) continue;
    for (const std::int32_t index : indexes) places.emplace_back(topic, index);
  }
  return places;
}

}  // namespace

// Where all subscribe to the same, the topics are one pool; else each is one by itself.
TargetAssignment assign_shared(const ShareAssignorInput& input) {
  TargetAssignment target;
  std::vector<const AssignorMember*> all;
  std::set<std::set<protocol::Uuid>> subscriptions;
  std::set<protocol::Uuid> topics;
  for (const AssignorMember& member : input.members) {
    target[member.id];
    all.push_back(&member);
    subscriptions.insert(member.topics);
    topics.insert(member.topics.begin(), member.topics.end());
  }
  const auto share_out = [&](const std::set<protocol::Uuid>& pool) {
    std::vector<const AssignorMember*> members;
    std::copy_if(all.begin(), all.end(), std::back_inserter(members), [&](const auto* member) {
      return std::includes(member->topics.begin(), member->topics.end(), pool.begin(), pool.end());
    });
    const std::vector<Place> places = places_of(input.partitions, pool);
    if (!places.empty() && !members.empty()) Pool(places, members).assign(target);
  };
  if (subscriptions.size() == 1) {
    share_out(topics);
  } else {
    for (const protocol::Uuid& topic : topics) share_out({topic});
  }
  return target;
}

}  // namespace ktrial::fakebroker
