// SPDX-License-Identifier: Apache-2.0
#include "capture/packet.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <charconv>
#include <cstring>

namespace ktrial::capture {

namespace {
constexpr std::array<std::uint8_t, 12> kMappedPrefix{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
}  // namespace

Endpoint Endpoint::v4(std::uint32_t host_order_address, std::uint16_t port) {
  Endpoint out;
  std::memcpy(out.address.data(), kMappedPrefix.data(), kMappedPrefix.size());
  for (std::size_t i = 0; i < 4; ++i)
    out.address[12 + i] = static_cast<std::uint8_t>(host_order_address >> (24 - 8 * i));
  out.port = port;
  return out;
}

std::optional<Endpoint> Endpoint::parse(std::string_view host, std::uint16_t port) {
  if (host == "localhost") host = "127.0.0.1";
  if (host.size() > 2 && host.front() == '[' && host.back() == ']')
    host = host.substr(1, host.size() - 2);
  const std::string text(host);
  in_addr four{};
  if (inet_pton(AF_INET, text.c_str(), &four) == 1) return v4(ntohl(four.s_addr), port);
  in6_addr six{};
  if (inet_pton(AF_INET6, text.c_str(), &six) != 1) return std::nullopt;
  Endpoint out;
  std::memcpy(out.address.data(), &six, sizeof six);
  out.port = port;
  return out;
}

std::optional<Endpoint> Endpoint::parse(std::string_view text) {
  const auto colon = text.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const std::string_view digits = text.substr(colon + 1);
  std::uint16_t port = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), port);
  if (error != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
  return parse(text.substr(0, colon), port);
}

bool Endpoint::is_v4() const {
  return std::memcmp(address.data(), kMappedPrefix.data(), kMappedPrefix.size()) == 0;
}

std::string Endpoint::to_string() const {
  char text[INET6_ADDRSTRLEN] = {};
  if (is_v4()) {
    inet_ntop(AF_INET, address.data() + 12, text, sizeof text);
    return std::string(text) + ":" + std::to_string(port);
  }
  inet_ntop(AF_INET6, address.data(), text, sizeof text);
  return "[" + std::string(text) + "]:" + std::to_string(port);
}

std::size_t EndpointHash::operator()(const Endpoint& endpoint) const noexcept {
  std::uint64_t high = 0;
  std::uint64_t low = 0;
  std::memcpy(&high, endpoint.address.data(), 8);
  std::memcpy(&low, endpoint.address.data() + 8, 8);
  std::uint64_t mixed = (high ^ (low * 0x9e3779b97f4a7c15ULL)) + endpoint.port;
  mixed ^= mixed >> 29;
  mixed *= 0xbf58476d1ce4e5b9ULL;
  return static_cast<std::size_t>(mixed ^ (mixed >> 32));
}

}  // namespace ktrial::capture
