// SPDX-License-Identifier: Apache-2.0
#include "fakebroker/releases/releases.h"

#include "embedded/ktrial_fakebroker.h"
#include "protocol/api_info.h"

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

Result<Release> Release::described(std::string_view text) {
  std::optional<std::string> name;
  std::vector<std::string> limits;
  std::istringstream words{std::string(text)};
  for (std::string word; words >> word;) {
    if (word.find('=') != std::string::npos) {
      limits.push_back(word);
    } else if (name) {
      return fail(Errc::kInvalidArgument,
                  fmt::format("'{}' names two releases: '{}' and '{}'", text, *name, word));
    } else {
      name = word;
    }
  }
  if (!name && limits.empty()) return tl::unexpected<Error>(find("").error());
  Release release = ReleaseTable::all().back();
  release.is_newest_ = !name;
  if (name) {
    const auto known = find(*name);
    if (!known) return tl::unexpected<Error>(known.error());
    release = **known;
  }
  for (const std::string& each : limits) KTRIAL_TRY(release.limit(each));
  return release;
}

// NAME=MIN-MAX, NAME=VERSION, NAME=off
Result<void> Release::limit(const std::string& word) {
  constexpr std::int16_t kApiVersions = 18;
  const std::size_t equals = word.find('=');
  const std::string api = word.substr(0, equals);
  const std::string versions = word.substr(equals + 1);
  const protocol::ApiInfo* const info = protocol::find_api(std::string_view(api));
  const ApiRow* const row = info == nullptr ? nullptr : find_row(info->key);
  if (row == nullptr)
    return fail(Errc::kInvalidArgument, fmt::format("no API that is served: '{}'", api));
  if (versions == "off" && row->key != kApiVersions) {
    limits_[row->key] = std::nullopt;
    return {};
  }
  Range range;
  const char* const end = versions.data() + versions.size();
  auto read = std::from_chars(versions.data(), end, range.min);
  range.max = range.min;
  if (read.ec == std::errc() && read.ptr != end && *read.ptr == '-')
    read = std::from_chars(read.ptr + 1, end, range.max);
  const bool served =
      row->advertised_min <= range.min && range.min <= range.max && range.max <= row->max;
  if (read.ec != std::errc() || read.ptr != end || !served || range.max < row->min)
    return fail(
        Errc::kInvalidArgument,
        fmt::format("'{}' are no versions of {}: {}-{} or some of these{}", versions, api,
                    row->advertised_min, row->max, row->key == kApiVersions ? "" : ", or off"));
  limits_[row->key] = range;
  return {};
}

namespace {

std::optional<ApiRow> limited(ApiRow row, const Release& release) {
  const auto found = release.limits().find(row.key);
  if (found == release.limits().end()) return row;
  if (!found->second) return std::nullopt;
  row.advertised_min = std::max(row.advertised_min, found->second->min);
  row.min = std::max(row.min, found->second->min);
  row.max = std::min(row.max, found->second->max);
  return row.min <= row.max ? std::optional(row) : std::nullopt;
}

}  // namespace

std::optional<ApiRow> offered(const ApiRow& row, const Release* release) {
  if (release == nullptr) return row;
  if (release->is_newest()) return limited(row, *release);
  const auto range = release->range(row.key);
  if (!range || (row.condition == ApiCondition::kConsumerGroups && !release->has_features()))
    return std::nullopt;
  ApiRow narrowed = row;
  narrowed.min = std::max(row.min, range->min);
  narrowed.max = std::min(row.max, range->max);
  if (row.advertised_min == row.min) narrowed.advertised_min = narrowed.min;
  return narrowed.min <= narrowed.max ? limited(narrowed, *release) : std::nullopt;
}

}  // namespace ktrial::fakebroker
