// SPDX-License-Identifier: Apache-2.0
// Partitioner: which partition a record goes to that names none.
#pragma once

#include "clients/reference/outcome.h"
#include "common/rng.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

namespace ktrial::client {

// By murmur2 of the key; without one, a random partition until it has been given batch.size bytes
// (KIP-480, KIP-794).
class Partitioner {
 public:
  Partitioner(Rng& rng, std::size_t sticky_bytes) : rng_(rng), sticky_bytes_(sticky_bytes) {}

  // `partitions` is positive, `size` the record's in bytes.
  [[nodiscard]] std::int32_t choose(const OutRecord& record, std::int32_t partitions,
                                    std::size_t size);

 private:
  struct Sticky {
    std::int32_t partition = 0;
    std::size_t bytes = 0;
  };

  Rng& rng_;
  std::size_t sticky_bytes_;
  std::map<std::string, Sticky> sticky_;
};

}  // namespace ktrial::client
