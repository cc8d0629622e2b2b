// SPDX-License-Identifier: Apache-2.0
#include "fakebroker/broker_config.h"

#include "fakebroker/connection_quotas.h"
#include "fakebroker/state/config_keys.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>

namespace ktrial::fakebroker {
namespace {

constexpr std::array<std::string_view, 7> kDecidedElsewhere{
    "advertised.listeners", "broker.id", "broker.rack", "listeners", "log.dirs", "node.id",
    "process.roles"};

// The value has been found to be of the key's type.
std::int64_t number(const std::string& text) {
  std::int64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}
std::int64_t unless_negative(const std::string& text) {
  const std::int64_t value = number(text);
  return value < 0 ? INT64_MAX : value;
}

using Setter = void (*)(ClusterSpec&, const std::string&);

// Those that the specification has a name of its own for.
const std::map<std::string_view, Setter>& setters() {
  static const std::map<std::string_view, Setter> kSetters{
      {"auto.create.topics.enable",
       [](ClusterSpec& spec, const std::string& value) {
         spec.auto_create_topics = value == "true";
       }},
      {"connections.max.idle.ms",
       [](ClusterSpec& spec, const std::string& value) {
         spec.idle_close = number(value) < 0 ? std::nullopt : std::optional(Millis(number(value)));
       }},
      {"group.consumer.heartbeat.interval.ms",
       [](ClusterSpec& spec, const std::string& value) {
         spec.consumer_heartbeat_interval = Millis(number(value));
       }},
      {"group.initial.rebalance.delay.ms",
       [](ClusterSpec& spec, const std::string& value) {
         spec.initial_rebalance_delay = Millis(number(value));
       }},
      {"group.share.heartbeat.interval.ms",
       [](ClusterSpec& spec, const std::string& value) {
         spec.share_heartbeat_interval = Millis(number(value));
       }},
      {"log.retention.bytes",
       [](ClusterSpec& spec, const std::string& value) {
         spec.partition_bytes = unless_negative(value);
       }},
      {"num.partitions",
       [](ClusterSpec& spec, const std::string& value) {
         spec.default_partitions = static_cast<int>(number(value));
       }},
      {"queued.max.request.bytes",
       [](ClusterSpec& spec, const std::string& value) {
         spec.request_bytes = unless_negative(value);
       }},
      {"socket.request.max.bytes",
       [](ClusterSpec& spec, const std::string& value) { spec.max_request_bytes = number(value); }},
  };
  return kSetters;
}

}  // namespace

Result<void> set_broker_config(ClusterSpec& spec, const std::string& key,
                               const std::string& value) {
  const ConfigKey* const known = find_config_key(broker_config_keys(), key);
  if (known == nullptr)
    return fail(Errc::kInvalidArgument, fmt::format("Unknown broker config name: {}", key));
  if (std::ranges::find(kDecidedElsewhere, key) != kDecidedElsewhere.end())
    return fail(Errc::kInvalidArgument, fmt::format("{} is not set this way", key));
  if (auto why = fault_of_value(*known, value)) return fail(Errc::kInvalidArgument, *why);
  if (key == ConnectionLimits::kOverrides) KTRIAL_TRY(ConnectionLimits::read_overrides(value));
  const auto setter = setters().find(key);
  if (setter != setters().end()) setter->second(spec, value);
  spec.broker_configs[key] = value;
  return {};
}

}  // namespace ktrial::fakebroker
