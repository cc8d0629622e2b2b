// SPDX-License-Identifier: Apache-2.0
// ProducerIds: gives out producer ids and epochs (KIP-98, KIP-360). A transactional id keeps its
// producer id and gets a higher epoch with each initialisation, which fences the one before.
#pragma once

#include "protocol/errors.h"

#include <cstdint>
#include <map>
#include <string>

namespace ktrial::fakebroker {

class ProducerIds {
 public:
  struct Identity {
    protocol::KafkaError error = protocol::KafkaError::kNone;
    std::int64_t producer_id = -1;
    std::int16_t epoch = -1;
  };
  // An idempotent producer without transactions: always a new id.
  Identity fresh() { return {protocol::KafkaError::kNone, next_++, 0}; }
  // `current` is what the producer believes it has; {-1, -1} at its start.
  Identity transactional(const std::string& transactional_id, const Identity& current);

 private:
  std::int64_t next_ = 1000;
  std::map<std::string, Identity, std::less<>> transactional_;
};

}  // namespace ktrial::fakebroker
