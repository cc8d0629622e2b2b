// SPDX-License-Identifier: Apache-2.0
#include "harness/scenario/client_match.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <sstream>

namespace ktrial::harness {

namespace {

constexpr std::array<std::string_view, 6> kOperations{">=", "<=", "==", "!=", ">", "<"};

std::vector<long> numbers(std::string_view version) {
  std::vector<long> out;
  std::size_t at = 0;
  while (at < version.size()) {
    long number = 0;
    const auto [end, error] =
        std::from_chars(version.data() + at, version.data() + version.size(), number);
    if (error != std::errc()) break;
    out.push_back(number);
    at = static_cast<std::size_t>(end - version.data());
    if (at >= version.size() || version[at] != '.') break;
    ++at;
  }
  return out;
}

bool holds(std::string_view operation, int order) {
  if (operation == ">=") return order >= 0;
  if (operation == "<=") return order <= 0;
  if (operation == "==") return order == 0;
  if (operation == "!=") return order != 0;
  return operation == ">" ? order > 0 : order < 0;
}

}  // namespace

int compare_versions(std::string_view a, std::string_view b) {
  const auto x = numbers(a), y = numbers(b);
  for (std::size_t i = 0; i < std::max(x.size(), y.size()); ++i) {
    const long p = i < x.size() ? x[i] : 0, q = i < y.size() ? y[i] : 0;
    if (p != q) return p < q ? -1 : 1;
  }
  return 0;
}

Result<ClientMatch> ClientMatch::parse(std::string_view text) {
  ClientMatch out;
  out.text_ = text;
  std::istringstream words{std::string(text)};
  std::string word;
  while (words >> word) {
    if (out.name_.empty()) {
      if (word.starts_with('!')) {
        out.negated_ = true;
        word.erase(0, 1);
      }
      if (const auto at = word.find('@'); at != std::string::npos) {
        out.exact_ = word.substr(at + 1);
        word.resize(at);
      }
      if (word.empty())
        return fail(Errc::kInvalidArgument, "a client's name was expected in '" + out.text_ + "'");
      out.name_ = word;
      continue;
    }
    std::string_view operation;
    for (const std::string_view each : kOperations)
      if (word.starts_with(each)) {
        operation = each;
        break;
      }
    if (operation.empty() || numbers(std::string_view(word).substr(operation.size())).empty())
      return fail(Errc::kInvalidArgument,
                  "'" + word + "' is no version bound; write 'java >=2.3 <3.0'");
    out.bounds_.push_back({std::string(operation), word.substr(operation.size())});
  }
  if (out.name_.empty()) return fail(Errc::kInvalidArgument, "a client's name was expected");
  return out;
}

bool ClientMatch::matches(std::string_view client, std::string_view version) const {
  bool found = name_ == "*" || name_ == client;
  if (exact_ && *exact_ != version) found = false;
  for (const Bound& bound : bounds_)
    if (!holds(bound.operation, compare_versions(version, bound.version))) found = false;
  return found != negated_;
}

}  // namespace ktrial::harness
