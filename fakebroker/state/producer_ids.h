// SPDX-License-Identifier: Apache-2.0
// ProducerIds: gives out producer ids (KIP-98). Transactional ids keep theirs: transactions.h.
#pragma once

#include <cstdint>

namespace ktrial::fakebroker {

class ProducerIds {
 public:
  std::int64_t fresh() { return next_++; }

 private:
  std::int64_t next_ = 1000;
};

}  // namespace ktrial::fakebroker
