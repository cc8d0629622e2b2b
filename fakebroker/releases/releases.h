// SPDX-License-Identifier: Apache-2.0
// Releases of Kafka that a broker can pass itself off as: the versions of each API that they speak
// (releases.txt, made from their own jars), and whether they have features.
#pragma once

#include "common/result.h"
#include "fakebroker/handlers/registry.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace ktrial::fakebroker {

class Release {
 public:
  struct Range {
    std::int16_t min = 0;
    std::int16_t max = -1;
  };

  // "2.8", "4.0"; the error names all.
  static Result<const Release*> find(std::string_view name);
  // The same with versions of single APIs as one likes: "2.8 Produce=3-7 Fetch=off"; without a
  // release's name, the newest. They are within what is served here.
  static Result<Release> described(std::string_view text);

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] std::optional<Range> range(std::int16_t api_key) const;
  // group.version, transaction.version and metadata.version, as KRaft brokers have them: from 4.0.
  [[nodiscard]] bool has_features() const { return has_features_; }
  [[nodiscard]] bool is_since(int major, int minor) const {
    return std::pair(major_, minor_) >= std::pair(major, minor);
  }

  // Speaks all that is served here, but for the limits.
  [[nodiscard]] bool is_newest() const { return is_newest_; }
  // By API; without a value: it is off.
  [[nodiscard]] const std::map<std::int16_t, std::optional<Range>>& limits() const {
    return limits_;
  }

 private:
  Result<void> limit(const std::string& word);

  std::string name_;
  std::map<std::int16_t, Range> ranges_;
  std::map<std::int16_t, std::optional<Range>> limits_;
  bool has_features_ = false;
  int major_ = 0;
  int minor_ = 0;
  bool is_newest_ = false;
  friend class ReleaseTable;
};

// What a broker of this release (nullptr: the newest) offers of an API; nothing if it does not know
// it. What is older than the oldest version here is not served.
std::optional<ApiRow> offered(const ApiRow& row, const Release* release);

}  // namespace ktrial::fakebroker
