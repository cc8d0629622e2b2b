// SPDX-License-Identifier: Apache-2.0
// InSyncReplicas: which of a partition's replicas are not in sync with its leader, and how far the
// log of each went when it fell behind. All others are; a partition without any costs nothing.
#pragma once

#include <cstdint>
#include <vector>

namespace ktrial::fakebroker {

class InSyncReplicas {
 public:
  struct Behind {
    std::int32_t broker = -1;
    std::int64_t end_offset = 0;  // of its log
    bool held = false;            // until a script lets it catch up
    bool eligible = false;        // has all that is committed, and may lead (KIP-966)
  };

  [[nodiscard]] bool all() const { return behind_.empty(); }
  [[nodiscard]] const std::vector<Behind>& behind() const { return behind_; }
  [[nodiscard]] std::vector<Behind>& behind() { return behind_; }
  // nullptr: it is in sync.
  [[nodiscard]] const Behind* find(std::int32_t broker) const;
  [[nodiscard]] std::size_t count_of(const std::vector<std::int32_t>& replicas) const {
    return replicas.size() - behind_.size();
  }
  // In the order of `replicas`.
  [[nodiscard]] std::vector<std::int32_t> of(const std::vector<std::int32_t>& replicas) const;

  // One that was behind already keeps the end of its log.
  void leave(std::int32_t broker, std::int64_t end_offset);
  void join(std::int32_t broker);
  // After a reassignment.
  void forget_all_but(const std::vector<std::int32_t>& replicas);

 private:
  std::vector<Behind> behind_;
};

}  // namespace ktrial::fakebroker
