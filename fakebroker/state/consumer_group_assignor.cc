// SPDX-License-Identifier: Apache-2.0
#include "fakebroker/state/consumer_group_assignor.h"

#include <algorithm>

namespace ktrial::fakebroker {
namespace {

using protocol::Uuid;

struct Load {
  const AssignorMember* member;
  Assignment partitions = {};
  std::size_t count = 0;

  [[nodiscard]] bool may_have(const Uuid& topic) const { return member->topics.contains(topic); }
  void take(const Uuid& topic, std::int32_t partition) {
    partitions[topic].insert(partition);
    ++count;
  }
  void drop(const Uuid& topic, std::int32_t partition) {
    const auto found = partitions.find(topic);
    found->second.erase(partition);
    if (found->second.empty()) partitions.erase(found);
    --count;
  }
};

using Loads = std::vector<Load>;

Load* least_loaded(Loads& loads, const Uuid& topic) {
  Load* least = nullptr;
  for (Load& load : loads) {
    if (load.may_have(topic) && (least == nullptr || load.count < least->count)) least = &load;
  }
  return least;
}

// What each has, as far as it is still subscribed to and there, and nobody else has it.
void keep_current(Loads& loads, const AssignorInput& input, Assignment& taken) {
  for (Load& load : loads) {
    for (const auto& [topic, partitions] : load.member->current) {
      const auto count = input.partitions.find(topic);
      if (count == input.partitions.end() || !load.may_have(topic)) continue;
      for (const std::int32_t partition : partitions) {
        if (partition < count->second && taken[topic].insert(partition).second)
          load.take(topic, partition);
      }
    }
  }
}

void give_out_the_rest(Loads& loads, const AssignorInput& input, Assignment& taken) {
  for (const auto& [topic, count] : input.partitions) {
    for (std::int32_t partition = 0; partition < count; ++partition) {
      if (!taken[topic].insert(partition).second) continue;
      if (Load* const least = least_loaded(loads, topic)) least->take(topic, partition);
    }
  }
}

// Moves one partition from a member to one that has at least two less; false if none can.
bool move_one(Loads& loads) {
  Loads::iterator from;
  Load* to = nullptr;
  Uuid moved;
  for (auto load = loads.begin(); load != loads.end(); ++load) {
    for (const auto& [topic, partitions] : load->partitions) {
      Load* const least = least_loaded(loads, topic);
      if (least == nullptr || least->count + 2 > load->count) continue;
      if (to != nullptr && load->count - least->count <= from->count - to->count) continue;
      from = load;
      to = least;
      moved = topic;
    }
  }
  if (to == nullptr) return false;
  // The last: what is left stays a run from the beginning.
  const std::int32_t partition = *from->partitions.at(moved).rbegin();
  from->drop(moved, partition);
  to->take(moved, partition);
  return true;
}

TargetAssignment uniform(const AssignorInput& input) {
  Loads loads;
  for (const AssignorMember& member : input.members) loads.push_back({&member});
  Assignment taken;
  keep_current(loads, input, taken);
  give_out_the_rest(loads, input, taken);
  while (move_one(loads)) {
  }
  TargetAssignment target;
  for (Load& load : loads) target[load.member->id] = std::move(load.partitions);
  return target;
}

TargetAssignment range(const AssignorInput& input) {
  // By instance id first, so that a static member keeps its place under a new member id.
  std::vector<const AssignorMember*> members;
  for (const AssignorMember& member : input.members) members.push_back(&member);
  std::sort(members.begin(), members.end(), [](const auto* a, const auto* b) {
    const auto key = [](const auto* m) {
      return std::pair(!m->instance_id.has_value(), m->instance_id.value_or(m->id));
    };
    return key(a) < key(b);
  });
  TargetAssignment target;
  for (const AssignorMember* member : members) target[member->id];
  for (const auto& [topic, count] : input.partitions) {
    std::vector<const AssignorMember*> readers;
    std::copy_if(members.begin(), members.end(), std::back_inserter(readers),
                 [&topic = topic](const auto* m) { return m->topics.contains(topic); });
    std::int32_t next = 0;
    for (std::size_t i = 0; i < readers.size(); ++i) {
      const auto share =
          static_cast<std::int32_t>(static_cast<std::size_t>(count) / readers.size() +
                                    (i < static_cast<std::size_t>(count) % readers.size() ? 1 : 0));
      for (const std::int32_t end = next + share; next < end; ++next)
        target[readers[i]->id][topic].insert(next);
    }
  }
  return target;
}

}  // namespace

bool is_assignor(std::string_view name) { return name == kDefaultAssignor || name == "range"; }

TargetAssignment assign(std::string_view assignor, const AssignorInput& input) {
  return assignor == "range" ? range(input) : uniform(input);
}

}  // namespace ktrial::fakebroker
