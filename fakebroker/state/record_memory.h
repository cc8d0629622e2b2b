// SPDX-License-Identifier: Apache-2.0
// RecordMemory: how much the logs of a cluster keep together, and how much they may. Over that the
// largest logs give up their oldest batches, as retention would delete their segments, so that a
// load on some topics does not cost the others theirs.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

namespace ktrial::fakebroker {

class RecordMemory {
 public:
  // `make_room` is called when the logs keep more than `limit` bytes, and is to bring them down to
  // room_after_dropping().
  RecordMemory(std::int64_t limit, std::function<void()> make_room)
      : limit_(limit), make_room_(std::move(make_room)) {}
  RecordMemory(const RecordMemory&) = delete;
  RecordMemory& operator=(const RecordMemory&) = delete;

  void changed(std::int64_t bytes) {
    used_ += bytes;
    if (used_ > limit_ && !making_room_) drop();
  }
  [[nodiscard]] std::int64_t used() const { return used_; }
  [[nodiscard]] std::int64_t limit() const { return limit_; }
  [[nodiscard]] std::int64_t dropped() const { return dropped_; }  // since the cluster began
  // Somewhat below the limit, so that it is not each batch that looks for the largest log.
  [[nodiscard]] std::int64_t room_after_dropping() const { return limit_ - limit_ / 8; }

  // The size that no log may exceed if all are to keep `total` bytes together.
  [[nodiscard]] static std::int64_t level(std::vector<std::int64_t> sizes, std::int64_t total);

 private:
  void drop();

  std::int64_t limit_;
  std::function<void()> make_room_;
  std::int64_t used_ = 0;
  std::int64_t dropped_ = 0;
  bool making_room_ = false;
};

}  // namespace ktrial::fakebroker
