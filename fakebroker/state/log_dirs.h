// SPDX-License-Identifier: Apache-2.0
// Log directories: each broker has the same two, and which one a replica is in is all there is of
// them. A replica that is moved is there at once.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <string_view>
#include <utility>

namespace ktrial::fakebroker {

class LogDirs {
 public:
  static constexpr std::int64_t kTotalBytes = 1LL << 40;

  static constexpr std::array<std::string_view, 2> all() {
    return {"/var/lib/kafka/data-1", "/var/lib/kafka/data-2"};
  }
  static bool exists(std::string_view dir) {
    const auto dirs = all();
    return std::find(dirs.begin(), dirs.end(), dir) != dirs.end();
  }

  // Of a partition by its serial; new ones are in the first.
  [[nodiscard]] std::string_view of(int broker, std::uint64_t partition) const {
    const auto moved = moved_.find({broker, partition});
    return moved == moved_.end() ? all().front() : moved->second;
  }
  // `dir` exists.
  void move(int broker, std::uint64_t partition, std::string_view dir) {
    const auto dirs = all();
    moved_[{broker, partition}] = *std::find(dirs.begin(), dirs.end(), dir);
  }

 private:
  std::map<std::pair<int, std::uint64_t>, std::string_view> moved_;
};

}  // namespace ktrial::fakebroker
