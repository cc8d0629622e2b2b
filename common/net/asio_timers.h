// SPDX-License-Identifier: Apache-2.0
// AsioTimers: the real TimerService, on an io_context. One steady_timer serves all deadlines, so
// that thousands of pending timers cost a map entry each and no system call.
#pragma once

#include "common/clock.h"

#include <boost/asio/io_context.hpp>

#include <memory>

namespace ktrial {

// Belongs to the thread that runs the io_context. Timers still pending when it is destroyed never
// run, and it may be destroyed by one that does.
class AsioTimers final : public TimerService {
 public:
  explicit AsioTimers(boost::asio::io_context& context);
  AsioTimers(const AsioTimers&) = delete;
  AsioTimers& operator=(const AsioTimers&) = delete;
  ~AsioTimers() override;

  Id after(Nanos delay, std::function<void()> fn) override;
  void cancel(Id id) override;
  [[nodiscard]] std::size_t pending() const;

 private:
  class Queue;
  std::shared_ptr<Queue> queue_;
};

}  // namespace ktrial
