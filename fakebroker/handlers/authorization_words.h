// SPDX-License-Identifier: Apache-2.0
// The words that go with a refusal where the answer has room for them.
#pragma once

#include "protocol/errors.h"

#include <string>

namespace ktrial::fakebroker {

inline std::string words_of_denial(protocol::KafkaError error) {
  using protocol::KafkaError;
  switch (error) {
    case KafkaError::kTopicAuthorizationFailed:
      return "Topic authorization failed.";
    case KafkaError::kGroupAuthorizationFailed:
      return "Group authorization failed.";
    default:
      return "Cluster authorization failed.";
  }
}

}  // namespace ktrial::fakebroker
