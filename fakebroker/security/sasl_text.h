// SPDX-License-Identifier: Apache-2.0
// The character classes of SCRAM's and OAUTHBEARER's messages (RFC 5802, RFC 7628), and a cursor
// over such a message.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace ktrial::fakebroker {

class SaslText {
 public:
  explicit SaslText(std::string_view text) : text_(text) {}

  [[nodiscard]] bool at_end() const { return text_.empty(); }
  bool skip(std::string_view expected) {
    if (!text_.starts_with(expected)) return false;
    text_.remove_prefix(expected.size());
    return true;
  }
  // All up to the first character that is not of the class; nothing if that is none.
  template <class InClass>
  std::optional<std::string_view> take(InClass in_class) {
    std::size_t length = 0;
    while (length < text_.size() && in_class(text_[length])) ++length;
    if (length == 0) return std::nullopt;
    const std::string_view taken = text_.substr(0, length);
    text_.remove_prefix(length);
    return taken;
  }

  static bool is_value(char c) { return c > 0 && c != ','; }
  static bool is_letter(char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'); }
  static bool is_printable(char c) { return c >= '!' && c <= '~' && c != ','; }

 private:
  std::string_view text_;
};

// A saslname with its =2C and =3D replaced; nothing if it holds another '='.
inline std::optional<std::string> unescape_saslname(std::string_view name) {
  std::string out;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (name[i] != '=') {
      out += name[i];
      continue;
    }
    const std::string_view escape = name.substr(i, 3);
    if (escape != "=2C" && escape != "=3D") return std::nullopt;
    out += escape == "=2C" ? ',' : '=';
    i += 2;
  }
  return out;
}

}  // namespace ktrial::fakebroker
