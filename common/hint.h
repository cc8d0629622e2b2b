// SPDX-License-Identifier: Apache-2.0
// Hints for someone who mistyped a name.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace ktrial {

// The candidate that is nearest to `text` if it is near enough to have been meant.
std::string nearest(std::string_view text, std::span<const std::string> candidates);
// "; did you mean 'topics'?" or "; known: a, b, c" or "".
std::string hint(std::string_view text, std::span<const std::string> candidates);

}  // namespace ktrial
