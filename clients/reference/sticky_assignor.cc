// SPDX-License-Identifier: Apache-2.0
#include "clients/reference/sticky_assignor.h"

#include "clients/reference/sticky_balance.h"
#include "protocol/reader.h"
#include "protocol/writer.h"

#include <algorithm>

namespace ktrial::client {
namespace {

using protocol::Reader;
using protocol::Writer;

// Version 1 of the eager assignor's user data: topics, each with its partitions; the generation.
// Version 0 ends before the generation.
void read_what_it_had(MemberSubscription& subscription) {
  subscription.owned.clear();
  subscription.generation = -1;
  Reader reader(subscription.user_data);
  const auto topics = reader.integer<std::int32_t>();
  for (std::int32_t i = 0; i < topics && !reader.failed(); ++i) {
    const auto length = reader.integer<std::int16_t>();
    const std::string topic(
        reader.slice(static_cast<std::size_t>(std::max<int>(length, 0))).text());
    const auto count = reader.integer<std::int32_t>();
    for (std::int32_t j = 0; j < count && !reader.failed(); ++j) {
      const auto partition = reader.integer<std::int32_t>();
      if (!reader.failed()) subscription.owned.push_back({topic, partition});
    }
  }
  if (reader.failed()) return subscription.owned.clear();
  const auto generation = reader.integer<std::int32_t>();
  if (!reader.failed()) subscription.generation = generation;
}

}  // namespace

std::vector<std::uint8_t> StickyAssignor::user_data(const std::vector<TopicPartition>& had,
                                                    std::int32_t generation) const {
  if (had.empty()) return {};
  std::map<std::string, std::vector<std::int32_t>> by_topic;
  for (const TopicPartition& at : had) by_topic[at.topic].push_back(at.partition);
  Writer writer;
  writer.integer(static_cast<std::int32_t>(by_topic.size()));
  for (const auto& [topic, partitions] : by_topic) {
    writer.integer(static_cast<std::int16_t>(topic.size()));
    writer.append(std::string_view(topic));
    writer.integer(static_cast<std::int32_t>(partitions.size()));
    for (const std::int32_t partition : partitions) writer.integer(partition);
  }
  writer.integer(generation);
  return std::move(writer).take();
}

Assignment StickyAssignor::assign(const Subscriptions& subscriptions,
                                  const PartitionCounts& partitions) const {
  Subscriptions remembered = subscriptions;
  for (auto& [member, subscription] : remembered) read_what_it_had(subscription);
  return assign_sticky(remembered, partitions);
}

std::vector<std::uint8_t> CooperativeStickyAssignor::user_data(const std::vector<TopicPartition>&,
                                                               std::int32_t generation) const {
  Writer writer;
  writer.integer(generation);
  return std::move(writer).take();
}

Assignment CooperativeStickyAssignor::assign(const Subscriptions& subscriptions,
                                             const PartitionCounts& partitions) const {
  Subscriptions known = subscriptions;
  for (auto& [member, subscription] : known) {
    // Before version 2 the subscription itself has no generation.
    Reader reader(subscription.user_data);
    const auto generation = reader.integer<std::int32_t>();
    if (!reader.failed() && subscription.generation < 0) subscription.generation = generation;
  }
  Assignment assignment = assign_sticky(known, partitions);
  std::map<TopicPartition, std::set<MemberKey>> owners;
  for (const auto& [member, subscription] : subscriptions) {
    for (const TopicPartition& at : subscription.owned) owners[at].insert(member);
  }
  for (auto& [member, given] : assignment) {
    std::erase_if(given, [&](const TopicPartition& at) {
      const auto found = owners.find(at);
      return found != owners.end() && !found->second.contains(member);
    });
  }
  return assignment;
}

}  // namespace ktrial::client
