// SPDX-License-Identifier: Apache-2.0
// PartMerge: one answer out of two to parts of the same request.
#pragma once

#include "protocol/message_types.h"
#include "protocol/uuid.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace ktrial::fakebroker {

// Puts what another answer of the same type has in its lists beside what is in this one's.
class PartMerge {
 public:
  explicit PartMerge(std::int16_t version) : version_(version) {}

  template <class Struct>
  void merge(Struct& into, Struct& from) const {
    std::vector<void*> theirs;
    each_list(from, [&](auto& list) { theirs.push_back(&list); });
    std::size_t at = 0;
    // Both visits meet the same members in the same order.
    each_list(into, [&]<class List>(List& list) { add(list, *static_cast<List*>(theirs[at++])); });
  }

 private:
  template <class Look>
  class Visitor {
   public:
    explicit Visitor(Look look) : look_(std::move(look)) {}
    template <class T>
    void field(std::string_view, T& member, bool) {
      look_(member);
    }
    template <class T>
    void inflexible_field(std::string_view, T& member, bool) {
      look_(member);
    }
    template <class Each>
    void tagged_fields(const protocol::UnknownTags&, Each&& each) {
      each([this](int, std::string_view, auto& member, bool, const auto&) { look_(member); });
    }

   private:
    Look look_;
  };

  template <class T>
  struct ElementOf {
    using Type = void;
  };
  template <class T>
  struct ElementOf<std::vector<T>> {
    using Type = T;
  };
  template <class T>
  struct ElementOf<std::optional<std::vector<T>>> {
    using Type = T;
  };
  template <class T>
  static constexpr bool is_struct = requires(T& member, const PartMerge& visitor) {
    T::fields(member, visitor, std::int16_t{0});
  };

  template <class Struct, class Look>
  void each_member(Struct& members, Look look) const {
    Visitor<Look> visitor(std::move(look));
    Struct::fields(members, visitor, version_);
  }
  // Lists of structures.
  template <class Struct, class Look>
  void each_list(Struct& members, Look look) const {
    each_member(members, [&]<class T>(T& member) {
      if constexpr (is_struct<typename ElementOf<T>::Type>) look(member);
    });
  }

  // Texts, ids and numbers (partitions, producers) tell elements apart, their errors do not.
  template <class Struct>
  [[nodiscard]] std::vector<std::string> names_of(Struct& members) const {
    std::vector<std::string> names;
    each_member(members, [&]<class T>(T& member) {
      if constexpr (std::is_same_v<T, std::string>)
        names.push_back(member);
      else if constexpr (std::is_same_v<T, protocol::Uuid>)
        names.push_back(member.to_string());
      else if constexpr (std::is_same_v<T, std::int32_t> || std::is_same_v<T, std::int64_t>)
        names.push_back(std::to_string(member));
    });
    return names;
  }
  template <class Struct>
  [[nodiscard]] bool has_lists(Struct& members) const {
    bool has = false;
    each_list(members, [&](auto&) { has = true; });
    return has;
  }

  template <class T>
  void add(std::optional<std::vector<T>>& into, std::optional<std::vector<T>>& from) const {
    if (!from) return;
    if (!into) into.emplace();
    add(*into, *from);
  }
  template <class T>
  void add(std::vector<T>& into, std::vector<T>& from) const {
    for (T& element : from) {
      const auto same = std::ranges::find_if(into, [&](T& other) {
        return has_lists(element) && names_of(other) == names_of(element);
      });
      if (same == into.end())
        into.push_back(std::move(element));
      else
        merge(*same, element);
    }
  }

  std::int16_t version_;
};

}  // namespace ktrial::fakebroker
