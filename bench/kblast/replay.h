// SPDX-License-Identifier: Apache-2.0
// Replay: sends frames made beforehand over one connection, a bounded number of them unanswered at
// any time, and reads the answers. It costs next to nothing, so that what is measured is the peer.
#pragma once

#include "common/result.h"
#include "common/slice.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace ktrial::bench {

struct ReplayPlan {
  // Sent in turn, over and over; at least as many as the window if `prepare` changes them.
  std::vector<std::vector<std::uint8_t>> frames;
  std::size_t window = 1;  // requests sent and not yet answered
  std::uint64_t requests = 0;
  // Ends sooner when this has passed; what is on its way is still waited for.
  std::chrono::nanoseconds longest = std::chrono::seconds(60);
  // Before the n-th request is sent; may be nothing.
  std::function<void(std::uint64_t n, std::span<std::uint8_t> frame)> prepare;
  // Looks at every answer, without its length.
  std::function<Result<void>(std::uint64_t n, std::span<const std::uint8_t> answer)> check;
};

struct ReplayResult {
  std::uint64_t requests = 0;
  std::uint64_t bytes_sent = 0;
  std::uint64_t bytes_received = 0;
  std::chrono::nanoseconds took{};
};

// Makes the socket non-blocking.
Result<ReplayResult> replay(int socket, ReplayPlan plan);

}  // namespace ktrial::bench
