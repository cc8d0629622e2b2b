// SPDX-License-Identifier: Apache-2.0
// Which packets belong together: the live TCP connections by their two endpoints, in either
// order. The value is the analyser's own flow state.
#pragma once

#include "capture/packet.h"

#include <cstddef>
#include <memory>
#include <unordered_map>

namespace ktrial::capture {

// Normalised: first < second, whichever way the packet went.
struct FlowKey {
  Endpoint first, second;

  static FlowKey of(const Endpoint& a, const Endpoint& b) {
    return a < b ? FlowKey{a, b} : FlowKey{b, a};
  }
  bool operator==(const FlowKey&) const = default;
};

struct FlowKeyHash {
  std::size_t operator()(const FlowKey& key) const noexcept {
    const EndpointHash hash;
    return hash(key.first) * 31 + hash(key.second);
  }
};

// Pointers stay valid until replace() or erase() of the same key.
template <class Flow>
class FlowTable {
 public:
  Flow* find(const FlowKey& key) {
    if (last_ != nullptr && last_key_ == key) return last_;
    const auto found = flows_.find(key);
    if (found == flows_.end()) return nullptr;
    remember(key, found->second.get());
    return found->second.get();
  }
  // A 4-tuple used again: the new connection takes the place of the old one.
  Flow& replace(const FlowKey& key, std::unique_ptr<Flow> flow) {
    auto& slot = flows_[key];
    slot = std::move(flow);
    remember(key, slot.get());
    return *slot;
  }
  template <class Fn>
  void for_each(Fn&& fn) {
    for (auto& [key, flow] : flows_) fn(*flow);
  }
  [[nodiscard]] std::size_t size() const { return flows_.size(); }

 private:
  void remember(const FlowKey& key, Flow* flow) {
    last_key_ = key;
    last_ = flow;
  }

  std::unordered_map<FlowKey, std::unique_ptr<Flow>, FlowKeyHash> flows_;
  FlowKey last_key_;
  Flow* last_ = nullptr;
};

}  // namespace ktrial::capture
