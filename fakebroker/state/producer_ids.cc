// SPDX-License-Identifier: Apache-2.0
#include "fakebroker/state/producer_ids.h"

#include <limits>

namespace ktrial::fakebroker {

ProducerIds::Identity ProducerIds::transactional(const std::string& transactional_id,
                                                 const Identity& current) {
  const auto [entry, created] = transactional_.try_emplace(transactional_id);
  Identity& known = entry->second;
  if (created) {
    known = fresh();
    return known;
  }
  // KIP-360: a producer that bumps its own epoch must hold the newest one.
  if (current.producer_id != -1 &&
      (current.producer_id != known.producer_id || current.epoch != known.epoch)) {
    return {protocol::KafkaError::kProducerFenced, -1, -1};
  }
  if (known.epoch >= std::numeric_limits<std::int16_t>::max() - 1) {
    known = fresh();
  } else {
    ++known.epoch;
  }
  return known;
}

}  // namespace ktrial::fakebroker
