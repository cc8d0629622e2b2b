// SPDX-License-Identifier: Apache-2.0
#include "fakebroker/releases/releases.h"

#include "embedded/ktrial_fakebroker.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <sstream>
#include <vector>

namespace ktrial::fakebroker {

// Read once, from the text that is built in.
class ReleaseTable {
 public:
  static const std::vector<Release>& all() {
    static const std::vector<Release> kAll = read();
    return kAll;
  }

 private:
  static std::vector<Release> read() {
    std::vector<Release> all;
    std::istringstream lines{std::string(kReleasesTxt)};
    for (std::string line; std::getline(lines, line);) {
      if (line.empty() || line.front() == '#') continue;
      std::istringstream words(line);
      Release& release = all.emplace_back();
      words >> release.name_;
      for (std::string word; words >> word;) add(release, word);
      const char* const end = release.name_.data() + release.name_.size();
      const auto after_major = std::from_chars(release.name_.data(), end, release.major_);
      std::from_chars(std::min(after_major.ptr + 1, end), end, release.minor_);
      release.has_features_ = release.major_ >= 4;
    }
    return all;
  }
  // KEY:MIN-MAX
  static void add(Release& release, const std::string& word) {
    std::int16_t key = 0;
    Release::Range range;
    const char* const end = word.data() + word.size();
    const auto after_key = std::from_chars(word.data(), end, key);
    const auto after_min = std::from_chars(after_key.ptr + 1, end, range.min);
    std::from_chars(after_min.ptr + 1, end, range.max);
    release.ranges_[key] = range;
  }
};

Result<const Release*> Release::find(std::string_view name) {
  const auto& all = ReleaseTable::all();
  const auto found = std::ranges::find(all, name, &Release::name);
  if (found != all.end()) return &*found;
  std::string names;
  for (const Release& release : all) names += (names.empty() ? "" : ", ") + release.name();
  return fail(Errc::kInvalidArgument,
              fmt::format("no such release of Kafka: '{}'; known: {}", name, names));
}

std::optional<Release::Range> Release::range(std::int16_t api_key) const {
  const auto found = ranges_.find(api_key);
  return found == ranges_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<ApiRow> offered(const ApiRow& row, const Release* release) {
  if (release == nullptr) return row;
  const auto range = release->range(row.key);
  if (!range || (row.condition == ApiCondition::kConsumerGroups && !release->has_features()))
    return std::nullopt;
  ApiRow narrowed = row;
  narrowed.min = std::max(row.min, range->min);
  narrowed.max = std::min(row.max, range->max);
  if (row.advertised_min == row.min) narrowed.advertised_min = narrowed.min;
  return narrowed.min <= narrowed.max ? std::optional(narrowed) : std::nullopt;
}

}  // namespace ktrial::fakebroker
