// SPDX-License-Identifier: Apache-2.0
// RequestSearch: what a rule goes by, looked for in a request: a topic (by name or id) with a
// partition, a group, a transactional id. Walks the generated `fields`, so it holds for every API.
#pragma once

#include "fakebroker/rules/rule.h"
#include "protocol/message_types.h"
#include "protocol/uuid.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace ktrial::fakebroker {

namespace detail {

// Calls `look(name, member)` for the members of one part of a message, not for those inside them.
template <class Look>
class MemberVisitor {
 public:
  explicit MemberVisitor(Look look) : look_(std::move(look)) {}
  template <class T>
  void field(std::string_view name, const T& member, bool) {
    look_(name, member);
  }
  template <class T>
  void inflexible_field(std::string_view name, const T& member, bool) {
    look_(name, member);
  }
  template <class Each>
  void tagged_fields(const protocol::UnknownTags&, Each&& each) {
    each([this](int, std::string_view name, const auto& member, bool, const auto&) {
      look_(name, member);
    });
  }

 private:
  Look look_;
};

template <class T>
concept message_part = std::is_class_v<T> && !std::is_same_v<T, std::string> &&
                       !std::is_same_v<T, protocol::Uuid> && !std::is_same_v<T, Slice>;

}  // namespace detail

class RequestSearch {
 public:
  // `topic_id`: of the match's topic; zero if there is no such topic.
  RequestSearch(const RuleMatch& match, const protocol::Uuid& topic_id, std::int16_t version)
      : match_(match), topic_id_(topic_id), version_(version) {}

  template <class Part>
  void look_in(const Part& part) {
    bool names_topic = false;
    std::optional<std::string> key;  // of FindCoordinator
    std::int8_t key_type = -1;
    each_member(part, [&]<class T>(std::string_view name, const T& member) {
      names_topic = names_topic || is_topic(name, member);
      group_ = group_ || (is_one_of(name, kGroupNames) && holds(member, match_.group));
      transactional_id_ = transactional_id_ || (is_one_of(name, kTransactionNames) &&
                                                holds(member, match_.transactional_id));
      if constexpr (std::is_same_v<T, std::int8_t>) {
        if (name == "keyType") key_type = member;
      }
      look_inside(member);
    });
    each_member(part, [&](std::string_view name, const auto& member) {
      if (!is_one_of(name, kKeyNames)) return;
      group_ = group_ || (key_type == kGroupKey && holds(member, match_.group));
      transactional_id_ = transactional_id_ ||
                          (key_type == kTransactionKey && holds(member, match_.transactional_id));
    });
    if (names_topic && (!match_.partition || names_partition(part))) topic_ = true;
  }

  [[nodiscard]] bool topic() const { return topic_; }
  // All but the topic, as far as the rule asks.
  [[nodiscard]] bool rest() const {
    return (!match_.group || group_) && (!match_.transactional_id || transactional_id_);
  }

 private:
  using Names = std::array<std::string_view, 6>;
  static constexpr Names kTopicNames{"name",       "topic",  "topicName",
                                     "topicNames", "topics", "subscribedTopicNames"};
  static constexpr Names kPartitionNames{"partition", "partitionIndex", "index", "partitions",
                                         "partitionIndexes"};
  static constexpr Names kGroupNames{"groupId", "groupIds", "groups", "groupsNames"};
  static constexpr Names kTransactionNames{"transactionalId", "transactionalIds",
                                           "v3AndBelowTransactionalId"};
  static constexpr Names kKeyNames{"key", "coordinatorKeys"};
  static constexpr std::int8_t kGroupKey = 0;  // FindCoordinator, KeyType
  static constexpr std::int8_t kTransactionKey = 1;

  static bool is_one_of(std::string_view name, const Names& names) {
    return std::ranges::find(names, name) != names.end();
  }

  template <class Part, class Look>
  void each_member(const Part& part, Look look) const {
    detail::MemberVisitor<Look> visitor(std::move(look));
    Part::fields(part, visitor, version_);
  }

  template <class T>
  void look_inside(const std::vector<T>& members) {
    if constexpr (detail::message_part<T>) {
      for (const T& member : members) look_in(member);
    }
  }
  template <class T>
  void look_inside(const std::optional<T>& member) {
    if (member) look_inside(*member);
  }
  template <class T>
  void look_inside(const T& member) {
    if constexpr (requires { T::fields(member, *this, version_); }) look_in(member);
  }

  // A text, or a list of texts.
  template <class T>
  static bool holds(const T&, const std::optional<std::string>&) {
    return false;
  }
  static bool holds(const std::string& text, const std::optional<std::string>& wanted) {
    return wanted && text == *wanted;
  }
  static bool holds(const std::vector<std::string>& texts,
                    const std::optional<std::string>& wanted) {
    return wanted && std::ranges::find(texts, *wanted) != texts.end();
  }
  template <class T>
  static bool holds(const std::optional<T>& member, const std::optional<std::string>& wanted) {
    return member && holds(*member, wanted);
  }

  template <class T>
  bool is_topic(std::string_view name, const T& member) const {
    return is_one_of(name, kTopicNames) && holds(member, match_.topic);
  }
  bool is_topic(std::string_view, const protocol::Uuid& id) const {
    return !topic_id_.is_zero() && id == topic_id_;
  }

  template <class Part>
  bool names_partition(const Part& part) const {
    bool found = false;
    each_member(part, [&](std::string_view name, const auto& member) {
      found = found || is_partition(name, member);
    });
    return found;
  }
  template <class T>
  bool is_partition(std::string_view name, const std::vector<T>& members) const {
    return std::ranges::any_of(members, [&](const T& member) {
      if constexpr (detail::message_part<T>)
        return names_partition(member);
      else
        return is_partition(name, member);
    });
  }
  template <class T>
  bool is_partition(std::string_view name, const std::optional<T>& member) const {
    return member && is_partition(name, *member);
  }
  template <class T>
  bool is_partition(std::string_view name, const T& member) const {
    if constexpr (std::is_same_v<T, std::int32_t>)
      return is_one_of(name, kPartitionNames) && member == *match_.partition;
    else
      return false;
  }

  const RuleMatch& match_;
  protocol::Uuid topic_id_;
  std::int16_t version_;
  bool topic_ = false;
  bool group_ = false;
  bool transactional_id_ = false;
};

}  // namespace ktrial::fakebroker
