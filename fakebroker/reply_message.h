// SPDX-License-Identifier: Apache-2.0
// ReplyMessage: a response of any type, that can be encoded and have its error and throttle fields
// set without knowing it. Walks the generated `fields`, so it holds for every API.
#pragma once

#include "fakebroker/reply_fields.h"
#include "fakebroker/rules/part_merge.h"
#include "fakebroker/rules/part_search.h"
#include "fakebroker/rules/rule.h"
#include "protocol/codec.h"
#include "protocol/message_types.h"
#include "protocol/writer.h"

#include <concepts>
#include <cstdint>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace ktrial::fakebroker {

template <class Message>
concept protocol_message = requires {
  Message::kApiKey;
  Message::kFlexibleFrom;
};

class ReplyMessage {
 public:
  virtual ~ReplyMessage() = default;
  // What is large may go to `splices` instead of being copied.
  virtual void encode(std::int16_t version, protocol::Writer& writer,
                      std::vector<protocol::Splice>& splices) const = 0;
  // Every error code the message has for this version, at every depth.
  virtual void set_errors(std::int16_t code, std::int16_t version) = 0;
  // Those of one part. How often the message has it.
  virtual int set_errors(const PlacedError& of, std::int16_t version) = 0;
  // Takes in the answer to other parts of the same request. Not for records, whose handlers refuse
  // parts by themselves.
  virtual void merge(ReplyMessage&, std::int16_t /*version*/) {}
  virtual void set_throttle(std::int32_t ms, std::int16_t version) = 0;
  // What could not be done of it; empty: nothing.
  virtual std::string rewrite(const Rewrite& changes, std::int16_t version) = 0;
};

namespace detail {

// Walks a message's members at every depth; `change(name, member)` is true once it has dealt with
// one, else what is inside is walked.
template <class Change>
class MemberWalk {
 public:
  MemberWalk(Change change, std::int16_t version) : change_(std::move(change)), version_(version) {}

  template <class T>
  void field(std::string_view name, T& member, bool) {
    visit(name, member);
  }
  template <class T>
  void inflexible_field(std::string_view name, T& member, bool) {
    visit(name, member);
  }
  template <class Each>
  void tagged_fields(const protocol::UnknownTags&, Each&& each) {
    each([this](int, std::string_view name, auto& member, bool, const auto&) {
      visit(name, member);
    });
  }

 private:
  template <class T>
  void visit(std::string_view name, T& member) {
    if (!change_(name, member)) walk(name, member);
  }
  template <class T>
  void walk(std::string_view, T& member) {
    if constexpr (requires { T::fields(member, *this, version_); })
      T::fields(member, *this, version_);
  }
  template <class T>
  void walk(std::string_view name, std::vector<T>& members) {
    if constexpr (std::is_class_v<T>) {
      for (T& member : members) visit(name, member);
    }
  }
  template <class T>
  void walk(std::string_view name, std::optional<T>& member) {
    if (member) visit(name, *member);
  }

  Change change_;
  std::int16_t version_;
};

template <class Message, class Change>
void change_members(Message& message, std::int16_t version, Change change) {
  MemberWalk<Change> walk(std::move(change), version);
  Message::fields(message, walk, version);
}

// Sets each integer member of a name.
template <class Integer, class Message>
void set_members(Message& message, std::string_view wanted, Integer value, std::int16_t version) {
  change_members(message, version, [wanted, value]<class T>(std::string_view name, T& member) {
    if constexpr (std::same_as<T, Integer>) {
      if (name == wanted) member = value;
      return true;
    } else {
      return false;
    }
  });
}

}  // namespace detail

template <class Message>
void set_error_codes(Message& message, std::int16_t code, std::int16_t version) {
  detail::set_members<std::int16_t>(message, "errorCode", code, version);
}

namespace detail {

// Gives a member a value, if it is of its type.
template <class T>
void assign(T& member, const FieldValue& value) {
  if constexpr (std::same_as<T, bool>) {
    if (const bool* const flag = std::get_if<bool>(&value)) member = *flag;
  } else if constexpr (std::integral<T>) {
    if (const auto* const number = std::get_if<std::int64_t>(&value))
      member = static_cast<T>(*number);
  } else if constexpr (std::same_as<T, std::string>) {
    if (const auto* const text = std::get_if<std::string>(&value)) member = *text;
  }
}
template <class T>
void assign(std::optional<T>& member, const FieldValue& value) {
  if (std::holds_alternative<std::monostate>(value)) {
    member.reset();
  } else {
    if (!member) member.emplace();
    assign(*member, value);
  }
}

template <class T>
void empty_list(std::vector<T>& list) {
  list.clear();
}
template <class T>
void empty_list(std::optional<std::vector<T>>& list) {
  list.emplace();
}
template <class T>
void empty_list(T&) {}

}  // namespace detail

template <class Message>
std::string rewrite_members(Message& message, const Rewrite& changes, std::int16_t version) {
  detail::change_members(message, version, [&changes]<class T>(std::string_view name, T& member) {
    const bool cleared = changes.clear.contains(name);
    const auto found = changes.set.find(name);
    if (cleared) detail::empty_list(member);
    if (found != changes.set.end()) detail::assign(member, found->second);
    return cleared || found != changes.set.end();
  });
  if constexpr (requires { message.unknown_tags; }) {
    for (const auto& [number, bytes] : changes.tags)
      message.unknown_tags.tags.push_back(
          {static_cast<std::uint32_t>(number), Slice::copy_of(bytes)});
  }
  std::string fault;
  if (!changes.fields.empty()) {
    ReplyFields fields(changes.fields, version, fault);
    Message::fields(message, fields, version);
    fields.finish();
  }
  return fault;
}

template <class Message>
class TypedReply final : public ReplyMessage {
 public:
  explicit TypedReply(Message message) : message_(std::move(message)) {}
  void encode(std::int16_t version, protocol::Writer& writer,
              std::vector<protocol::Splice>&) const override {
    protocol::encode(message_, version, writer);
  }
  void set_errors(std::int16_t code, std::int16_t version) override {
    set_error_codes(message_, code, version);
  }
  int set_errors(const PlacedError& of, std::int16_t version) override {
    return PartSearch(of, version).set_errors(message_, of.error, of.given);
  }
  void merge(ReplyMessage& other, std::int16_t version) override {
    if (auto* const same = dynamic_cast<TypedReply*>(&other))
      PartMerge(version).merge(message_, same->message_);
  }
  void set_throttle(std::int32_t ms, std::int16_t version) override {
    detail::set_members<std::int32_t>(message_, "throttleTimeMs", ms, version);
  }
  std::string rewrite(const Rewrite& changes, std::int16_t version) override {
    return rewrite_members(message_, changes, version);
  }

 private:
  Message message_;
};

}  // namespace ktrial::fakebroker
