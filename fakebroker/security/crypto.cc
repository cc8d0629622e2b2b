// SPDX-License-Identifier: Apache-2.0
#include "fakebroker/security/crypto.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>

#include <algorithm>
#include <stdexcept>

namespace ktrial::fakebroker {
namespace {

const EVP_MD* md_of(Hash hash) { return hash == Hash::kSha256 ? EVP_sha256() : EVP_sha512(); }

const unsigned char* bytes_of(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}
unsigned char* bytes_of(std::string& text) { return reinterpret_cast<unsigned char*>(text.data()); }

bool is_base64(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '+' ||
         c == '/';
}

// Out of memory, or a build of OpenSSL without the algorithm.
void check(bool good) {
  if (!good) throw std::runtime_error("OpenSSL failed");
}

}  // namespace

std::size_t size_of(Hash hash) { return static_cast<std::size_t>(EVP_MD_get_size(md_of(hash))); }

std::string digest(Hash hash, std::string_view bytes) {
  std::string out(size_of(hash), '\0');
  check(EVP_Digest(bytes.data(), bytes.size(), bytes_of(out), nullptr, md_of(hash), nullptr) == 1);
  return out;
}

std::string hmac(Hash hash, std::string_view key, std::string_view bytes) {
  std::string out(size_of(hash), '\0');
  check(HMAC(md_of(hash), key.data(), static_cast<int>(key.size()), bytes_of(bytes), bytes.size(),
             bytes_of(out), nullptr) != nullptr);
  return out;
}

std::string pbkdf2(Hash hash, std::string_view password, std::string_view salt, int iterations) {
  std::string out(size_of(hash), '\0');
  check(PKCS5_PBKDF2_HMAC(password.data(), static_cast<int>(password.size()), bytes_of(salt),
                          static_cast<int>(salt.size()), iterations, md_of(hash),
                          static_cast<int>(out.size()), bytes_of(out)) == 1);
  return out;
}

bool same_secret(std::string_view a, std::string_view b) {
  return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

std::string random_bytes(std::size_t count) {
  std::string out(count, '\0');
  check(RAND_bytes(bytes_of(out), static_cast<int>(count)) == 1);
  return out;
}

std::string random_text() {
  std::string text = to_base64(random_bytes(24));
  std::replace(text.begin(), text.end(), '+', 'A');
  std::replace(text.begin(), text.end(), '/', 'B');
  return text;
}

std::string to_base64(std::string_view bytes) {
  std::string out((bytes.size() + 2) / 3 * 4 + 1, '\0');
  const int length =
      EVP_EncodeBlock(bytes_of(out), bytes_of(bytes), static_cast<int>(bytes.size()));
  out.resize(static_cast<std::size_t>(length));
  return out;
}

std::optional<std::string> from_base64(std::string_view text) {
  if (text.size() % 4 != 0 || text.size() > (1U << 24U)) return std::nullopt;
  std::size_t padding = 0;
  while (padding < 2 && padding < text.size() && text[text.size() - 1 - padding] == '=') ++padding;
  if (!std::all_of(text.begin(), text.end() - static_cast<std::ptrdiff_t>(padding), is_base64))
    return std::nullopt;
  std::string out(text.size() / 4 * 3, '\0');
  if (EVP_DecodeBlock(bytes_of(out), bytes_of(text), static_cast<int>(text.size())) < 0)
    return std::nullopt;
  out.resize(out.size() - padding);
  return out;
}

std::optional<std::string> from_base64url(std::string_view text) {
  std::string plain(text);
  while (!plain.empty() && plain.back() == '=') plain.pop_back();
  for (char& c : plain) {
    if (c == '+' || c == '/') return std::nullopt;
    if (c == '-') c = '+';
    if (c == '_') c = '/';
  }
  plain.append((4 - plain.size() % 4) % 4, '=');
  return from_base64(plain);
}

}  // namespace ktrial::fakebroker
