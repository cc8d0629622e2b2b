// SPDX-License-Identifier: Apache-2.0
// RecordInbox: records on their way from the application's threads to the I/O thread, and the
// memory that all records not yet delivered may take (buffer.memory). Safe from any thread.
#pragma once

#include "clients/reference/outcome.h"
#include "common/clock.h"

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

namespace ktrial::client {

class RecordInbox {
 public:
  struct Entry {
    OutRecord record = {};
    DeliveryCallback callback = {};
    std::size_t size = 0;  // of the memory, until release()
  };
  enum class Put : std::uint8_t {
    kFirst,   // the I/O thread must be told to take()
    kJoined,  // it has been told
    kNoRoom,  // within the patience given; the entry is as before
    kClosed,
  };

  explicit RecordInbox(std::size_t memory) : free_(memory) {}

  Put put(Entry& entry, Millis patience);
  std::vector<Entry> take();
  void release(std::size_t size);
  // Who waits for room gives up, and nothing more gets in.
  void close();

 private:
  std::mutex mutex_;
  std::condition_variable room_;
  std::vector<Entry> entries_;
  std::size_t free_;
  std::size_t waiting_ = 0;
  bool closed_ = false;
};

}  // namespace ktrial::client
