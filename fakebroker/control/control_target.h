// SPDX-License-Identifier: Apache-2.0
// ControlTarget: a request target (RFC 9112, origin form): its path's segments, decoded, what a
// pattern such as /v1/topics/{topic} finds in them, and its query.
#pragma once

#include "common/result.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ktrial::fakebroker {

class ControlTarget {
 public:
  static Result<ControlTarget> parse(std::string_view target);

  [[nodiscard]] const std::string& path() const { return path_; }
  // Then parameter() knows the pattern's names.
  bool match(std::string_view pattern);
  [[nodiscard]] std::string_view parameter(std::string_view name) const;
  // Nothing if it is no number that fits.
  [[nodiscard]] std::optional<std::int64_t> number(std::string_view name) const;
  [[nodiscard]] std::optional<std::string> query(std::string_view name) const;
  [[nodiscard]] Result<std::optional<std::int64_t>> query_number(std::string_view name,
                                                                 std::int64_t least,
                                                                 std::int64_t most) const;

 private:
  std::string path_;
  std::vector<std::string> segments_;
  std::map<std::string, std::string, std::less<>> parameters_;
  std::map<std::string, std::string, std::less<>> query_;
};

}  // namespace ktrial::fakebroker
