// SPDX-License-Identifier: Apache-2.0
// RequestMemory: what all connections of a cluster hold of requests that have not come whole or
// wait for those before them. As with a broker's queued.max.request.bytes, a request that goes on
// claims its whole length as long as there is any left; then nobody begins another one until some
// has been answered. Unlike there, one that is short enough to come at once still gets through.
#pragma once

#include <cstdint>
#include <functional>
#include <map>

namespace ktrial::fakebroker {

class RequestMemory {
 public:
  explicit RequestMemory(std::int64_t limit) : limit_(limit) {}
  RequestMemory(const RequestMemory&) = delete;
  RequestMemory& operator=(const RequestMemory&) = delete;

  [[nodiscard]] bool exhausted() const { return used_ >= limit_; }
  [[nodiscard]] std::int64_t used() const { return used_; }
  [[nodiscard]] std::int64_t limit() const { return limit_; }
  [[nodiscard]] std::size_t waiting() const { return waiting_.size(); }

  // Where there is memory again, who waits is called in turn, the oldest connection first, until
  // there is none.
  void changed(std::int64_t bytes);
  void wait(std::uint64_t connection, std::function<void()> resume);
  void leave(std::uint64_t connection) { waiting_.erase(connection); }

 private:
  std::int64_t limit_;
  std::int64_t used_ = 0;
  std::map<std::uint64_t, std::function<void()>> waiting_;
};

}  // namespace ktrial::fakebroker
