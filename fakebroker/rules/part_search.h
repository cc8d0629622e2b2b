// SPDX-License-Identifier: Apache-2.0
// PartSearch: one part of a request or an answer (a partition, a topic, a group, a transactional
// id, a resource) found and told from its neighbours, so that it alone can be refused. Walks the
// generated `fields`, so it holds for every API.
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

// An error of a rule, and where it belongs.
struct PlacedError {
  RulePart part = {};
  protocol::Uuid topic_id = {};  // of the part's topic; zero: there is none
  std::int16_t error = 0;
  unsigned given = 0;     // what the request says for all of its parts: PartSearch::named_by()
  bool or_whole = false;  // for the whole answer if that has no such part
};

class PartSearch {
 public:
  enum Named : unsigned {
    kTopic = 1,
    kPartition = 2,
    kGroup = 4,
    kTransaction = 8,
    kResource = 16
  };
  // What of a request is the part.
  enum class Share : std::uint8_t { kNone, kSome, kAll };

  PartSearch(const PlacedError& wanted, std::int16_t version)
      : part_(wanted.part), topic_id_(wanted.topic_id), version_(version) {
    wanted_ = (part_.topic ? kTopic : 0U) | (part_.partition ? kPartition : 0U) |
              (part_.group ? kGroup : 0U) | (part_.transactional_id ? kTransaction : 0U) |
              (part_.resource ? kResource : 0U);
  }

  // Is a thing the part, of which so much is named?
  [[nodiscard]] bool is_all(unsigned named) const { return (named & wanted_) == wanted_; }

  // What of the part is named by a message's or structure's own members.
  template <class Struct>
  [[nodiscard]] unsigned named_by(const Struct& members) const {
    unsigned named = 0;
    int key_type = -1;
    each_member(members, [&](std::string_view name, const auto& member) {
      named |= named_as(name, member);
      if constexpr (std::is_same_v<std::decay_t<decltype(member)>, std::int8_t>) {
        if (name == "keyType") key_type = member;
      }
    });
    // FindCoordinator's key is a group (0) or a transactional id (1).
    if (key_type == 0) named &= ~unsigned{kTransaction};
    if (key_type == 1) named &= ~unsigned{kGroup};
    return named;
  }

  // Takes the part out of the request's lists, or (`keep`) all but the part. A list without it
  // stays as it is. kAll: nothing else was there.
  template <class Struct>
  Share split(Struct& members, bool keep, unsigned named = 0) const {
    named |= named_by(members);
    if (is_all(named)) return Share::kAll;
    const unsigned excluded = excluded_by(members);
    Share whole = Share::kNone;
    each_member(members, [&](std::string_view name, auto& member) {
      whole = std::max(whole, split_list(name, member, keep, named, excluded));
    });
    return whole;
  }

  // Sets every error code of the part. How often it is in the answer.
  template <class Struct>
  int set_errors(Struct& members, std::int16_t code, unsigned named) const {
    named |= named_by(members);
    if (is_all(named)) return set_all(members, code), 1;
    int count = 0;
    each_member(members,
                [&](std::string_view, auto& member) { count += set_inside(member, code, named); });
    return count;
  }

 private:
  template <class T>
  static constexpr bool is_struct =
      requires(T& member, PartSearch& visitor) { T::fields(member, visitor, std::int16_t{0}); };

  template <class Look>
  class Visitor {
   public:
    explicit Visitor(Look look) : look_(std::move(look)) {}
    template <class T>
    void field(std::string_view name, T& member, bool) {
      look_(name, member);
    }
    template <class T>
    void inflexible_field(std::string_view name, T& member, bool) {
      look_(name, member);
    }
    template <class Each>
    void tagged_fields(const protocol::UnknownTags&, Each&& each) {
      each([this](int, std::string_view name, auto& member, bool, const auto&) {
        look_(name, member);
      });
    }

   private:
    Look look_;
  };

  template <class Struct, class Look>
  void each_member(Struct& members, Look look) const {
    Visitor<Look> visitor(std::move(look));
    std::remove_const_t<Struct>::fields(members, visitor, version_);
  }

  static bool is(const std::optional<std::string>& wanted, std::string_view value) {
    return wanted && *wanted == value;
  }
  template <std::size_t kCount>
  static bool one_of(std::string_view name, const std::array<std::string_view, kCount>& names) {
    return std::ranges::find(names, name) != names.end();
  }

  template <class T>
  [[nodiscard]] unsigned named_as(std::string_view, const T&) const {
    return 0;
  }
  [[nodiscard]] unsigned named_as(std::string_view name, const std::string& value) const {
    static constexpr std::array<std::string_view, 3> kTopics{"name", "topic", "topicName"};
    static constexpr std::array<std::string_view, 2> kGroups{"groupId", "key"};
    static constexpr std::array<std::string_view, 3> kTransactions{
        "transactionalId", "v3AndBelowTransactionalId", "key"};
    return (one_of(name, kTopics) && is(part_.topic, value) ? kTopic : 0U) |
           (one_of(name, kGroups) && is(part_.group, value) ? kGroup : 0U) |
           (one_of(name, kTransactions) && is(part_.transactional_id, value) ? kTransaction : 0U) |
           (name == "resourceName" && is(part_.resource, value) ? kResource : 0U);
  }
  [[nodiscard]] unsigned named_as(std::string_view name,
                                  const std::optional<std::string>& value) const {
    return value ? named_as(name, *value) : 0;
  }
  [[nodiscard]] unsigned named_as(std::string_view, const protocol::Uuid& value) const {
    return !topic_id_.is_zero() && value == topic_id_ ? kTopic : 0U;
  }
  [[nodiscard]] unsigned named_as(std::string_view name, const std::int32_t& value) const {
    static constexpr std::array<std::string_view, 4> kPartitions{"partition", "partitionIndex",
                                                                 "index", "partitionId"};
    return one_of(name, kPartitions) && part_.partition == value ? kPartition : 0U;
  }

  // The same for one element of a list of texts or numbers.
  [[nodiscard]] unsigned element_named_as(std::string_view name, const std::string& value) const {
    static constexpr std::array<std::string_view, 3> kGroups{"groupIds", "groups", "groupsNames"};
    if (name == "topicNames" || name == "topics") return named_as("topic", value);
    if (one_of(name, kGroups)) return named_as("groupId", value);
    if (name == "transactionalIds") return named_as("transactionalId", value);
    return name == "coordinatorKeys" ? named_as("key", value) : 0;
  }
  [[nodiscard]] unsigned element_named_as(std::string_view name, const std::int32_t& value) const {
    const bool partitions = name == "partitions" || name == "partitionIndexes";
    return partitions ? named_as("partition", value) : 0;
  }
  template <class T>
  [[nodiscard]] unsigned element_named_as(std::string_view, const T&) const {
    return 0;
  }

  // What the keys of a FindCoordinator cannot be.
  template <class Struct>
  [[nodiscard]] unsigned excluded_by(const Struct& members) const {
    unsigned excluded = 0;
    each_member(members, [&](std::string_view name, const auto& member) {
      if constexpr (std::is_same_v<std::decay_t<decltype(member)>, std::int8_t>) {
        if (name == "keyType") excluded = member == 0 ? kTransaction : kGroup;
      }
    });
    return excluded;
  }

  template <class T>
  Share split_list(std::string_view, T&, bool, unsigned, unsigned) const {
    return Share::kNone;
  }
  template <class T>
  Share split_list(std::string_view name, std::optional<T>& list, bool keep, unsigned named,
                   unsigned excluded) const {
    return list ? split_list(name, *list, keep, named, excluded) : Share::kNone;
  }
  template <class T>
  Share split_list(std::string_view name, std::vector<T>& list, bool keep, unsigned named,
                   unsigned excluded) const {
    std::vector<Share> shares;
    for (T& element : list) {
      if constexpr (is_struct<T>)
        shares.push_back(split(element, keep, named));
      else
        shares.push_back(is_all(named | (element_named_as(name, element) & ~excluded))
                             ? Share::kAll
                             : Share::kNone);
    }
    if (std::ranges::all_of(shares, [](Share s) { return s == Share::kNone; })) return Share::kNone;
    if (std::ranges::all_of(shares, [](Share s) { return s == Share::kAll; })) return Share::kAll;
    const Share goes = keep ? Share::kNone : Share::kAll;
    std::size_t at = 0;
    std::erase_if(list, [&](const T&) { return shares[at++] == goes; });
    return Share::kSome;
  }

  template <class T>
  int set_inside(T& member, std::int16_t code, unsigned named) const {
    if constexpr (is_struct<T>)
      return set_errors(member, code, named);
    else
      return 0;
  }
  template <class T>
  int set_inside(std::optional<T>& member, std::int16_t code, unsigned named) const {
    return member ? set_inside(*member, code, named) : 0;
  }
  template <class T>
  int set_inside(std::vector<T>& members, std::int16_t code, unsigned named) const {
    int count = 0;
    if constexpr (is_struct<T>) {
      for (T& member : members) count += set_errors(member, code, named);
    }
    return count;
  }

  template <class T>
  void set_all(T& members, std::int16_t code) const {
    each_member(members, [&](std::string_view name, auto& member) {
      using Member = std::decay_t<decltype(member)>;
      if constexpr (std::is_same_v<Member, std::int16_t>) {
        if (name == "errorCode") member = code;
      } else if constexpr (is_struct<Member>) {
        set_all(member, code);
      } else {
        set_all_in(member, code);
      }
    });
  }
  template <class T>
  void set_all_in(T&, std::int16_t) const {}
  template <class T>
  void set_all_in(std::vector<T>& members, std::int16_t code) const {
    if constexpr (is_struct<T>) {
      for (T& member : members) set_all(member, code);
    }
  }
  template <class T>
  void set_all_in(std::optional<T>& member, std::int16_t code) const {
    if (!member) return;
    if constexpr (is_struct<T>)
      set_all(*member, code);
    else
      set_all_in(*member, code);
  }

  const RulePart& part_;
  protocol::Uuid topic_id_;
  std::int16_t version_;
  unsigned wanted_ = 0;
};

// Of the first that a partition is part of; 0: none.
inline std::int16_t error_of(const std::vector<PlacedError>& errors, std::string_view topic,
                             std::int32_t partition) {
  for (const PlacedError& each : errors) {
    const unsigned named = each.given | (each.part.topic == topic ? PartSearch::kTopic : 0U) |
                           (each.part.partition == partition ? PartSearch::kPartition : 0U);
    if (PartSearch(each, 0).is_all(named)) return each.error;
  }
  return 0;
}

}  // namespace ktrial::fakebroker
