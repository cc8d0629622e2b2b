// SPDX-License-Identifier: Apache-2.0
#include "fakebroker/connection_quotas.h"

#include "fakebroker/state/config_rules.h"

#include <fmt/core.h>

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <charconv>

namespace ktrial::fakebroker {
namespace {

constexpr Millis kLongestWait{1'000};  // quota.window.size.seconds

std::int64_t number(const Configs& configs, std::string_view name, int broker) {
  const std::string text = configs.broker_value(name, broker).value_or("");
  std::int64_t value = ConnectionLimits::kNone;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

// As it is printed of a socket; empty if it is no address.
std::string normal_address(std::string text) {
  if (text == "localhost") return "127.0.0.1";
  if (text.starts_with('[') && text.ends_with(']')) text = text.substr(1, text.size() - 2);
  std::array<std::uint8_t, sizeof(in6_addr)> bytes{};
  std::array<char, INET6_ADDRSTRLEN> printed{};
  for (const int family : {AF_INET, AF_INET6}) {
    if (::inet_pton(family, text.c_str(), bytes.data()) == 1)
      return ::inet_ntop(family, bytes.data(), printed.data(), printed.size());
  }
  return {};
}

}  // namespace

ConnectionLimits ConnectionLimits::of(const Configs& configs, int broker) {
  ConnectionLimits limits;
  limits.most = number(configs, "max.connections", broker);
  limits.most_per_ip = number(configs, "max.connections.per.ip", broker);
  limits.most_per_second = number(configs, "max.connection.creation.rate", broker);
  // One that could not be read was refused when it was set.
  limits.of_ip = read_overrides(configs.broker_value(kOverrides, broker).value_or(""))
                     .value_or(std::map<std::string, std::int64_t>());
  return limits;
}

Result<std::map<std::string, std::int64_t>> ConnectionLimits::read_overrides(
    std::string_view text) {
  std::map<std::string, std::int64_t> overrides;
  for (const std::string& one : config_list(text)) {
    const std::size_t colon = one.rfind(':');
    const std::string address = normal_address(one.substr(0, colon));
    std::int32_t most = -1;
    const char* const end = one.data() + one.size();
    const auto parsed = colon == std::string::npos
                            ? std::from_chars_result{end, std::errc::invalid_argument}
                            : std::from_chars(one.data() + colon + 1, end, most);
    if (address.empty() || parsed.ec != std::errc() || parsed.ptr != end || most < 0) {
      return fail(Errc::kInvalidArgument,
                  fmt::format("'{}' in {} is not ADDRESS:COUNT", one, kOverrides));
    }
    overrides[address] = most;
  }
  return overrides;
}

Millis ConnectionQuotas::arrived(TimePoint now) {
  rate_.record(1, now);
  if (limits_.most_per_second == ConnectionLimits::kNone) return Millis(0);
  return std::min(rate_.excess(static_cast<double>(limits_.most_per_second), now), kLongestWait);
}

bool ConnectionQuotas::take(const std::string& address) {
  const auto own = limits_.of_ip.find(address);
  const std::int64_t most = own == limits_.of_ip.end() ? limits_.most_per_ip : own->second;
  ++count_;
  return ++by_address_[address] <= most;
}

void ConnectionQuotas::leave(const std::string& address) {
  const auto found = by_address_.find(address);
  if (found == by_address_.end()) return;
  --count_;
  if (--found->second == 0) by_address_.erase(found);
}

}  // namespace ktrial::fakebroker
