// SPDX-License-Identifier: Apache-2.0
// Strings on the wire should be UTF-8 but hold what the peer sent; JSON must be UTF-8.
#pragma once

#include <string>
#include <string_view>

namespace ktrial::protocol {

bool is_utf8(std::string_view text);
// Each byte that is part of no character becomes U+FFFD.
std::string to_utf8(std::string_view text);

}  // namespace ktrial::protocol
