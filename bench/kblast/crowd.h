// SPDX-License-Identifier: Apache-2.0
// Crowd: many connections that do nothing.
#pragma once

#include "bench/kblast/kafka_socket.h"
#include "common/result.h"

#include <chrono>
#include <cstddef>
#include <vector>

namespace ktrial::bench {

class Crowd {
 public:
  // Opens `count` connections, over all `brokers` in turn, some hundred of them at a time. With
  // `greeting` each sends ApiVersions and waits for the answer: accepted by the kernel alone does
  // not count then. A refused one is tried again until `patience` is over.
  static Result<Crowd> open(const std::vector<Endpoint>& brokers, std::size_t count, bool greeting,
                            std::chrono::nanoseconds patience);
  Crowd(Crowd&& other) noexcept = default;
  Crowd& operator=(Crowd&&) = delete;
  ~Crowd();

  [[nodiscard]] std::chrono::nanoseconds took() const { return took_; }

 private:
  Crowd() = default;
  std::vector<int> sockets_;
  std::chrono::nanoseconds took_{};
};

}  // namespace ktrial::bench
