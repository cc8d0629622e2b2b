// SPDX-License-Identifier: Apache-2.0
#include "clients/reference/sticky_balance.h"

#include <algorithm>
#include <deque>
#include <utility>

namespace ktrial::client {
namespace {

class Balancer {
 public:
  Balancer(const Subscriptions& subscriptions, const PartitionCounts& partitions)
      : subscriptions_(subscriptions), claims_(settle_claims(subscriptions, partitions)) {
    for (const auto& [member, subscription] : subscriptions) members_[member];
    for (const auto& [at, owner] : claims_) give(at, owner);
    deal_out_the_rest(partitions);
    while (improve()) {
    }
  }

  [[nodiscard]] Assignment result() const {
    Assignment assignment;
    for (const auto& [member, holding] : members_) {
      auto& list = assignment[member];
      for (const auto& [topic, partitions] : holding.by_topic) {
        for (const std::int32_t partition : partitions) list.push_back({topic, partition});
      }
    }
    return assignment;
  }

 private:
  struct Holding {
    std::map<std::string, std::set<std::int32_t>> by_topic = {};
    std::size_t load = 0;
  };
  struct Step {
    MemberKey from;
    std::string topic;
  };

  void give(const TopicPartition& at, const MemberKey& to) {
    Holding& holding = members_.at(to);
    holding.by_topic[at.topic].insert(at.partition);
    ++holding.load;
  }

  void take(const TopicPartition& at, const MemberKey& from) {
    Holding& holding = members_.at(from);
    auto& partitions = holding.by_topic.at(at.topic);
    partitions.erase(at.partition);
    if (partitions.empty()) holding.by_topic.erase(at.topic);
    --holding.load;
  }

  [[nodiscard]] std::vector<MemberKey> subscribers(const std::string& topic) const {
    std::vector<MemberKey> found;
    for (const auto& [member, subscription] : subscriptions_) {
      if (subscription.topics.contains(topic)) found.push_back(member);
    }
    return found;
  }

  // Topics that few can take first; each partition to whoever has least.
  void deal_out_the_rest(const PartitionCounts& partitions) {
    std::vector<std::pair<std::string, std::vector<MemberKey>>> topics;
    for (const auto& [topic, count] : partitions) topics.emplace_back(topic, subscribers(topic));
    std::ranges::stable_sort(topics, {}, [](const auto& topic) { return topic.second.size(); });
    for (const auto& [topic, takers] : topics) {
      if (takers.empty()) continue;
      for (std::int32_t partition = 0; partition < partitions.at(topic); ++partition) {
        const TopicPartition at{topic, partition};
        if (claims_.contains(at)) continue;
        give(at, *std::ranges::min_element(takers, {}, [&](const MemberKey& member) {
               return members_.at(member).load;
             }));
      }
    }
  }

  // Moves one partition along the best path from the most loaded member that has one.
  bool improve() {
    std::vector<MemberKey> by_load;
    for (const auto& [member, holding] : members_) by_load.push_back(member);
    std::ranges::stable_sort(by_load, std::greater<>(),
                             [&](const MemberKey& member) { return members_.at(member).load; });
    for (const MemberKey& giver : by_load) {
      if (members_.at(giver).load < 2) return false;
      if (improve_from(giver)) return true;
    }
    return false;
  }

  bool improve_from(const MemberKey& giver) {
    std::map<MemberKey, Step> reached;
    std::deque<MemberKey> open{giver};
    std::optional<MemberKey> best;
    while (!open.empty()) {
      const MemberKey from = std::move(open.front());
      open.pop_front();
      for (const auto& [topic, partitions] : members_.at(from).by_topic) {
        for (const auto& [member, subscription] : subscriptions_) {
          const bool usable =
              subscription.topics.contains(topic) && member != giver && !reached.contains(member);
          if (!usable) continue;
          reached[member] = {from, topic};
          open.push_back(member);
          if (!best || members_.at(member).load < members_.at(*best).load) best = member;
        }
      }
    }
    if (!best || members_.at(*best).load + 2 > members_.at(giver).load) return false;
    for (MemberKey to = *best; to != giver;) {
      const Step step = reached.at(to);
      const TopicPartition moved{step.topic, choose(step, to)};
      take(moved, step.from);
      give(moved, to);
      to = step.from;
    }
    return true;
  }

  // One that its old owner gets back, else one that the giver has not had long, else the last.
  [[nodiscard]] std::int32_t choose(const Step& step, const MemberKey& to) const {
    const auto& partitions = members_.at(step.from).by_topic.at(step.topic);
    std::optional<std::int32_t> new_to_giver;
    for (const std::int32_t partition : partitions) {
      const auto claim = claims_.find({step.topic, partition});
      if (claim != claims_.end() && claim->second == to) return partition;
      if (claim == claims_.end() || claim->second != step.from) new_to_giver = partition;
    }
    return new_to_giver.value_or(*partitions.rbegin());
  }

  const Subscriptions& subscriptions_;
  const std::map<TopicPartition, MemberKey> claims_;
  std::map<MemberKey, Holding> members_;
};

}  // namespace

std::map<TopicPartition, MemberKey> settle_claims(const Subscriptions& subscriptions,
                                                  const PartitionCounts& partitions) {
  struct Claim {
    MemberKey member;
    std::int32_t generation = -1;
    bool disputed = false;
  };
  std::map<TopicPartition, Claim> claims;
  for (const auto& [member, subscription] : subscriptions) {
    for (const TopicPartition& at : subscription.owned) {
      const auto count = partitions.find(at.topic);
      const bool valid = count != partitions.end() && at.partition >= 0 &&
                         at.partition < count->second && subscription.topics.contains(at.topic);
      if (!valid) continue;
      const auto [claim, is_new] = claims.try_emplace(at, Claim{member, subscription.generation});
      if (is_new || claim->second.member == member) continue;
      if (claim->second.generation == subscription.generation) {
        claim->second.disputed = true;
      } else if (claim->second.generation < subscription.generation) {
        claim->second = {member, subscription.generation};
      }
    }
  }
  std::map<TopicPartition, MemberKey> settled;
  for (const auto& [at, claim] : claims) {
    if (!claim.disputed) settled[at] = claim.member;
  }
  return settled;
}

Assignment assign_sticky(const Subscriptions& subscriptions, const PartitionCounts& partitions) {
  return Balancer(subscriptions, partitions).result();
}

}  // namespace ktrial::client
