// SPDX-License-Identifier: Apache-2.0
#include "protocol/codegen/names.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace ktrial::codegen {
namespace {

bool upper(char c) { return std::isupper(static_cast<unsigned char>(c)) != 0; }
char lowered(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }

constexpr std::array<std::string_view, 10> kKeywords{
    "default", "operator", "register", "namespace", "class", "struct", "private", "public", "delete", "new"};

}  // namespace

std::string snake_case(std::string_view name) {
  std::string out;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const bool starts_word = i > 0 && upper(name[i]) &&
                             (!upper(name[i - 1]) || (i + 1 < name.size() && !upper(name[i + 1])));
    if (starts_word) out += '_';
    out += lowered(name[i]);
  }
  return out;
}

std::string member_name(std::string_view name) {
  std::string out = snake_case(name);
  if (std::find(kKeywords.begin(), kKeywords.end(), out) != kKeywords.end()) out += '_';
  return out;
}

std::string json_name(std::string_view name) {
  std::string out(name);
  if (!out.empty()) out[0] = lowered(out[0]);
  return out;
}

}  // namespace ktrial::codegen
