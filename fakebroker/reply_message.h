// SPDX-License-Identifier: Apache-2.0
// ReplyMessage: a response of any type, that can be encoded and have its error and throttle fields
// set without knowing it. Walks the generated `fields`, so it holds for every API.
#pragma once

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
  virtual void set_throttle(std::int32_t ms, std::int16_t version) = 0;
};

namespace detail {

// Sets each integer member of a name, at every depth.
template <class Integer>
class MemberSetter {
 public:
  MemberSetter(std::string_view name, Integer value, std::int16_t version)
      : name_(name), value_(value), version_(version) {}

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
    if constexpr (std::same_as<T, Integer>) {
      if (name == name_) member = value_;
    } else {
      walk(name, member);
    }
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

  std::string_view name_;
  Integer value_;
  std::int16_t version_;
};

}  // namespace detail

template <class Message>
void set_error_codes(Message& message, std::int16_t code, std::int16_t version) {
  detail::MemberSetter<std::int16_t> setter("errorCode", code, version);
  Message::fields(message, setter, version);
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
  void set_throttle(std::int32_t ms, std::int16_t version) override {
    detail::MemberSetter<std::int32_t> setter("throttleTimeMs", ms, version);
    Message::fields(message_, setter, version);
  }

 private:
  Message message_;
};

}  // namespace ktrial::fakebroker
