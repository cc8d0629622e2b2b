// SPDX-License-Identifier: Apache-2.0
// EventHub: from the cluster's thread, where ledger entries arise, to the control server's, where
// subscribers are. Without subscribers an entry costs one look at a counter.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

namespace ktrial::fakebroker {

using EventText = std::shared_ptr<const std::string>;

class EventHub {
 public:
  // `deliver` is called on the cluster's thread, until close(), and must not block.
  explicit EventHub(std::function<void(EventText)> deliver) : deliver_(std::move(deliver)) {}

  void subscribed() { ++subscribers_; }
  void unsubscribed() { --subscribers_; }
  [[nodiscard]] bool wanted() const { return subscribers_ > 0; }

  void publish(std::string text) {
    const std::lock_guard lock(mutex_);
    if (deliver_) deliver_(std::make_shared<const std::string>(std::move(text)));
  }
  void close() {
    const std::lock_guard lock(mutex_);
    deliver_ = nullptr;
  }

 private:
  std::atomic<std::size_t> subscribers_ = 0;
  std::mutex mutex_;
  std::function<void(EventText)> deliver_;
};

}  // namespace ktrial::fakebroker
