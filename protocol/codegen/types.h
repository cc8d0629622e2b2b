// SPDX-License-Identifier: Apache-2.0
// The primitive types of the notation.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace ktrial::codegen {

inline constexpr std::array<std::string_view, 9> kNumbers{"bool",   "int8",   "int16",  "int32",  "int64",
                                                          "uint8", "uint16", "uint32", "float64"};
inline constexpr std::array<std::string_view, 4> kOtherPrimitives{"uuid", "string", "bytes", "records"};

inline bool is_number(std::string_view type) {
  return std::find(kNumbers.begin(), kNumbers.end(), type) != kNumbers.end();
}
inline bool is_primitive(std::string_view type) {
  return is_number(type) || std::find(kOtherPrimitives.begin(), kOtherPrimitives.end(), type) != kOtherPrimitives.end();
}

}  // namespace ktrial::codegen
