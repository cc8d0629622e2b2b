// SPDX-License-Identifier: Apache-2.0
// A captured packet as every source yields it, live or from a file, and an address with its port.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace ktrial::capture {

// The link types the analyser reads; the values are those of the pcap and pcapng formats.
enum class LinkType : std::uint16_t {
  kNull = 0,
  kEthernet = 1,
  kRawBsd = 12,
  kRaw = 101,
  kLoop = 108,
  kLinuxSll = 113,
  kRawIpv4 = 228,
  kRawIpv6 = 229,
  kLinuxSll2 = 276,
};

// A view: the bytes belong to the source and live until its next packet.
struct PacketView {
  std::int64_t at_ns = 0;  // since 1970
  LinkType link = LinkType::kEthernet;
  std::span<const std::uint8_t> bytes;
  std::uint32_t original_length = 0;  // on the wire; larger than bytes.size() when snapped
};

// An IPv4 address is kept in its IPv6-mapped form, so that one comparison serves both families.
struct Endpoint {
  std::array<std::uint8_t, 16> address{};
  std::uint16_t port = 0;

  static Endpoint v4(std::uint32_t host_order_address, std::uint16_t port);
  // "127.0.0.1:9092", "[::1]:9092" or "localhost:9092"; names are not looked up.
  static std::optional<Endpoint> parse(std::string_view text);
  static std::optional<Endpoint> parse(std::string_view host, std::uint16_t port);

  [[nodiscard]] bool is_v4() const;
  [[nodiscard]] std::string to_string() const;
  auto operator<=>(const Endpoint&) const = default;
};

struct EndpointHash {
  std::size_t operator()(const Endpoint& endpoint) const noexcept;
};

}  // namespace ktrial::capture
