// SPDX-License-Identifier: Apache-2.0
// ApplicationTasks: what the I/O thread wants run on the application's: callbacks wait here until
// the application waits for something that runs them.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <utility>

namespace ktrial::client {

class ApplicationTasks {
 public:
  void add(std::function<void()> task) {
    {
      const std::lock_guard lock(mutex_);
      tasks_.push_back(std::move(task));
    }
    changed_.notify_all();
  }

  // Runs tasks until one of them, on whatever thread, has set `done`.
  void run_until(const std::atomic<bool>& done) {
    while (!done) {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return done || !tasks_.empty(); });
      if (tasks_.empty()) return;
      const std::function<void()> task = std::move(tasks_.front());
      tasks_.pop_front();
      lock.unlock();
      task();
      lock.lock();
      changed_.notify_all();
    }
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> tasks_;
};

}  // namespace ktrial::client
