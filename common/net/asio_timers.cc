// SPDX-License-Identifier: Apache-2.0
#include "common/net/asio_timers.h"

#include <boost/asio/steady_timer.hpp>

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

namespace ktrial {

class AsioTimers::Queue : public std::enable_shared_from_this<Queue> {
 public:
  explicit Queue(boost::asio::io_context& context) : timer_(context) {}

  Id add(Nanos delay, std::function<void()> fn) {
    const TimePoint deadline = std::chrono::steady_clock::now() + std::max(delay, Nanos::zero());
    const Id id = ++last_id_;
    due_.emplace(Key{deadline, id}, std::move(fn));
    deadlines_.emplace(id, deadline);
    if (!running_) arm();
    return id;
  }
  void remove(Id id) {
    const auto found = deadlines_.find(id);
    if (found == deadlines_.end()) return;
    due_.erase(Key{found->second, id});
    deadlines_.erase(found);
    if (due_.empty()) stop_waiting();
  }
  void close() {
    due_.clear();
    deadlines_.clear();
    stop_waiting();
  }
  [[nodiscard]] std::size_t pending() const { return due_.size(); }

 private:
  using Key = std::pair<TimePoint, Id>;

  // An empty queue must not keep the io_context from running out of work.
  void stop_waiting() {
    waiting_ = false;
    timer_.cancel();
  }
  // Waits for the earliest deadline, unless an earlier or equal wait is under way.
  void arm() {
    if (due_.empty()) return;
    const TimePoint earliest = due_.begin()->first.first;
    if (waiting_ && timer_.expiry() <= earliest) return;
    timer_.expires_at(earliest);
    waiting_ = true;
    timer_.async_wait([weak = weak_from_this()](const boost::system::error_code& error) {
      // An aborted wait was replaced by another or is not needed; one that came too late to be
      // aborted wakes early, finds nothing due and waits anew.
      if (error) return;
      if (const auto self = weak.lock()) self->wake();
    });
  }
  void wake() {
    waiting_ = false;
    running_ = true;
    // Arms again even if a callback throws: the others must still run.
    const std::unique_ptr<Queue, void (*)(Queue*)> rearm(this, [](Queue* queue) {
      queue->running_ = false;
      queue->arm();
    });
    const TimePoint now = std::chrono::steady_clock::now();
    while (!due_.empty() && due_.begin()->first.first <= now) {
      auto node = due_.extract(due_.begin());
      deadlines_.erase(node.key().second);
      node.mapped()();
    }
  }

  boost::asio::steady_timer timer_;
  std::map<Key, std::function<void()>> due_;
  std::unordered_map<Id, TimePoint> deadlines_;
  Id last_id_ = 0;
  bool waiting_ = false;
  bool running_ = false;
};

AsioTimers::AsioTimers(boost::asio::io_context& context)
    : queue_(std::make_shared<Queue>(context)) {}

AsioTimers::~AsioTimers() { queue_->close(); }

TimerService::Id AsioTimers::after(Nanos delay, std::function<void()> fn) {
  return queue_->add(delay, std::move(fn));
}

void AsioTimers::cancel(Id id) { queue_->remove(id); }

std::size_t AsioTimers::pending() const { return queue_->pending(); }

}  // namespace ktrial
