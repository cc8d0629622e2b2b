// SPDX-License-Identifier: Apache-2.0
#include "common/hint.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>
#include <vector>

namespace ktrial {

namespace {

// Damerau-Levenshtein with adjacent transpositions, on bytes.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), now(b.size() + 1);
  std::iota(last.begin(), last.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    now[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = a[i - 1] == b[j - 1] ? 0 : 1;
      now[j] = std::min({last[j] + 1, now[j - 1] + 1, last[j - 1] + change});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        now[j] = std::min(now[j], before[j - 2] + 1);
    }
    std::swap(before, last);
    std::swap(last, now);
  }
  return last[b.size()];
}

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return out;
}

std::string join(std::span<const std::string> parts) {
  std::string out;
  for (const std::string& part : parts) {
    if (!out.empty()) out += ", ";
    out += part;
  }
  return out;
}

}  // namespace

std::string nearest(std::string_view text, std::span<const std::string> candidates) {
  constexpr std::size_t kLongest = 80;
  if (text.size() > kLongest) return {};
  const std::string wanted = lower(text);
  std::string best;
  std::size_t best_distance = std::max<std::size_t>(1, text.size() / 3) + 1;
  for (const std::string& candidate : candidates) {
    const std::size_t d = distance(wanted, lower(candidate));
    if (d < best_distance) {
      best = candidate;
      best_distance = d;
    }
  }
  return best;
}

std::string hint(std::string_view text, std::span<const std::string> candidates) {
  constexpr std::size_t kListed = 40;
  if (const std::string near = nearest(text, candidates); !near.empty())
    return "; did you mean '" + near + "'?";
  if (candidates.empty() || candidates.size() > kListed) return {};
  return "; known: " + join(candidates);
}

}  // namespace ktrial
