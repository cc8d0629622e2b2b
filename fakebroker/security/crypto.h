// SPDX-License-Identifier: Apache-2.0
// What SASL and tokens need of OpenSSL, on strings of bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ktrial::fakebroker {

enum class Hash : std::uint8_t { kSha256, kSha512 };

[[nodiscard]] std::size_t size_of(Hash hash);
[[nodiscard]] std::string digest(Hash hash, std::string_view bytes);
[[nodiscard]] std::string hmac(Hash hash, std::string_view key, std::string_view bytes);
[[nodiscard]] std::string pbkdf2(Hash hash, std::string_view password, std::string_view salt,
                                 int iterations);
// In time that does not depend on where they differ.
[[nodiscard]] bool same_secret(std::string_view a, std::string_view b);
[[nodiscard]] std::string random_bytes(std::size_t count);
// Letters and digits: a nonce.
[[nodiscard]] std::string random_text();

[[nodiscard]] std::string to_base64(std::string_view bytes);
// With padding, and nothing else around or in it.
[[nodiscard]] std::optional<std::string> from_base64(std::string_view text);
// RFC 4648 section 5, padding optional.
[[nodiscard]] std::optional<std::string> from_base64url(std::string_view text);

}  // namespace ktrial::fakebroker
