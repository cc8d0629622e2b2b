// SPDX-License-Identifier: Apache-2.0
// Asked: the other end of an Answer, for tests: what was answered, once it was.
#pragma once

#include "fakebroker/state/group_types.h"
#include "protocol/errors.h"

#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>

namespace ktrial::fakebroker {

template <class Response>
class Asked {
 public:
  [[nodiscard]] Answer<Response> answer() {
    return [slot = slot_](Response response) {
      if (slot->has_value()) throw std::logic_error("answered twice");
      *slot = std::move(response);
    };
  }
  [[nodiscard]] bool waits() const { return !slot_->has_value(); }
  // Throws while it waits.
  const Response* operator->() const { return &slot_->value(); }
  [[nodiscard]] protocol::KafkaError error() const {
    return static_cast<protocol::KafkaError>(slot_->value().error_code);
  }

 private:
  std::shared_ptr<std::optional<Response>> slot_ = std::make_shared<std::optional<Response>>();
};

}  // namespace ktrial::fakebroker
