// SPDX-License-Identifier: Apache-2.0
#include "fakebroker/state/telemetry.h"

#include "common/crc32c.h"
#include "fakebroker/state/config_rules.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <regex>
#include <set>

namespace ktrial::fakebroker {
namespace {

using protocol::KafkaError;
using protocol::Uuid;

constexpr std::int32_t kDefaultIntervalMs = 300'000;
constexpr std::int8_t kLastCodec = 4;  // zstd
constexpr std::size_t kMostConnections = 16'384;
constexpr Millis kLeastMemory{60'000};

// As Java's Uuid has it: the id of a subscription is made with it.
std::int32_t hash(const Uuid& id) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < id.bytes.size(); i += 4) {
    value ^= static_cast<std::uint32_t>(id.bytes[i]) << 24U |
             static_cast<std::uint32_t>(id.bytes[i + 1]) << 16U |
             static_cast<std::uint32_t>(id.bytes[i + 2]) << 8U | id.bytes[i + 3];
  }
  return static_cast<std::int32_t>(value);
}

std::int32_t id_of(const TelemetrySubscription& subscription, const Uuid& client) {
  const std::string text =
      fmt::format("[{}]{}", fmt::join(subscription.metrics, ", "), subscription.push_interval_ms);
  const std::span<const std::uint8_t> bytes(reinterpret_cast<const std::uint8_t*>(text.data()),
                                            text.size());
  return static_cast<std::int32_t>(crc32c(bytes)) ^ hash(client);
}

// A client that was told so by its last push is to ask again at once.
bool asks_because_of(KafkaError error) {
  return error == KafkaError::kUnknownSubscriptionId ||
         error == KafkaError::kUnsupportedCompressionType;
}

std::int32_t interval_of(const ConfigValues& values) {
  const auto set = values.find("interval.ms");
  std::int32_t interval = kDefaultIntervalMs;
  if (set != values.end()) {
    const std::string& text = set->second;
    std::from_chars(text.data(), text.data() + text.size(), interval);
  }
  return interval;
}

std::string without_spaces(std::string text) {
  text.erase(std::remove(text.begin(), text.end(), ' '), text.end());
  return text;
}

}  // namespace

void Telemetry::note_software(std::uint64_t connection, std::string name, std::string version) {
  software_[connection] = {std::move(name), std::move(version)};
  if (software_.size() > kMostConnections) software_.erase(software_.begin());
}

Uuid Telemetry::next_instance() {
  // Of version 4 in form, but counted: runs repeat.
  Uuid id;
  id.bytes = {0x6b, 0x74, 0x72, 0x69, 0x61, 0x6c, 0x47, 0, 0x80, 0, 0, 0, 0, 0, 0, 0};
  std::uint64_t value = ++last_instance_;
  for (std::size_t i = 15; value != 0; --i, value >>= 8U)
    id.bytes[i] = static_cast<std::uint8_t>(value & 0xffU);
  return id;
}

std::optional<std::string> Telemetry::attribute(const TelemetryClient& client,
                                                std::string_view name) const {
  if (name == "client_id") return client.client_id;
  if (name == "client_instance_id") return client.instance.to_string();
  if (name == "client_source_address") return client.address;
  const auto software = software_.find(client.connection);
  if (software == software_.end()) return std::nullopt;
  if (name == "client_software_name") return software->second.first;
  if (name == "client_software_version") return software->second.second;
  return std::nullopt;
}

bool Telemetry::is_meant(const TelemetryClient& client, const std::string& subscription) const {
  const ConfigValues& values = configs_.of(ConfigResource::kClientMetrics, subscription);
  const auto match = values.find("match");
  if (match == values.end()) return true;
  const std::vector<std::string> patterns = config_list(match->second);
  return std::all_of(patterns.begin(), patterns.end(), [&](const std::string& pattern) {
    const std::size_t equals = pattern.find('=');  // there is one: it was checked
    const auto value = attribute(client, without_spaces(pattern.substr(0, equals)));
    const std::string wanted = without_spaces(pattern.substr(equals + 1));
    return value && std::regex_match(*value, std::regex(wanted));
  });
}

TelemetrySubscription Telemetry::subscription_of(const TelemetryClient& client) const {
  TelemetrySubscription subscription;
  subscription.push_interval_ms = kDefaultIntervalMs;
  std::set<std::string> metrics;
  for (const std::string& name : configs_.names(ConfigResource::kClientMetrics)) {
    if (!is_meant(client, name)) continue;
    const ConfigValues& values = configs_.of(ConfigResource::kClientMetrics, name);
    if (const auto set = values.find("metrics"); set != values.end()) {
      for (std::string& metric : config_list(set->second)) metrics.insert(std::move(metric));
    }
    subscription.push_interval_ms = std::min(subscription.push_interval_ms, interval_of(values));
  }
  if (metrics.contains("*")) metrics = {"*"};
  subscription.metrics.assign(metrics.begin(), metrics.end());
  subscription.id = id_of(subscription, client.instance);
  return subscription;
}

// A broker forgets its client with the connection: one that comes over another is new.
Telemetry::Instance& Telemetry::instance_of(const TelemetryClient& client) {
  const auto [found, is_new] = instances_.try_emplace({client.broker, client.instance});
  Instance& instance = found->second;
  if (is_new || instance.connection != client.connection || instance.version != version_) {
    instance = Instance();
    instance.connection = client.connection;
    instance.version = version_;
    instance.subscription = subscription_of(client);
  }
  return instance;
}

void Telemetry::forget_idle() {
  const TimePoint now = clock_.now();
  std::erase_if(instances_, [now](const auto& entry) {
    const Instance& instance = entry.second;
    const auto last = std::max(instance.asked, instance.pushed);
    const Millis memory =
        std::max(kLeastMemory, Millis(instance.subscription.push_interval_ms) * 3);
    return last && now - *last > memory;
  });
}

KafkaError Telemetry::subscribe(const TelemetryClient& client, TelemetrySubscription& answer) {
  forget_idle();
  Instance& instance = instance_of(client);
  const TimePoint now = clock_.now();
  const auto last = std::max(instance.asked, instance.pushed);
  if (!last || now - *last >= Millis(instance.subscription.push_interval_ms)) {
    instance.asked = now;
  } else if (!asks_because_of(instance.last_error)) {
    return KafkaError::kThrottlingQuotaExceeded;
  }
  instance.last_error = KafkaError::kNone;
  answer = instance.subscription;
  return KafkaError::kNone;
}

// In the broker's order. A push right after the client asked may be early: its first interval is
// drawn at random.
KafkaError Telemetry::check(Instance& instance, const TelemetryPush& push) const {
  if (instance.terminating) return KafkaError::kInvalidRequest;
  const TimePoint now = clock_.now();
  const bool in_time = instance.asked > instance.pushed || !instance.pushed ||
                       now - *instance.pushed >= Millis(instance.subscription.push_interval_ms);
  if (in_time) instance.pushed = now;
  if (!in_time && !push.terminating) return KafkaError::kThrottlingQuotaExceeded;
  if (push.subscription != instance.subscription.id) return KafkaError::kUnknownSubscriptionId;
  if (push.compression < 0 || push.compression > kLastCodec)
    return KafkaError::kUnsupportedCompressionType;
  return push.bytes > kMaxBytes ? KafkaError::kTelemetryTooLarge : KafkaError::kNone;
}

KafkaError Telemetry::push(const TelemetryClient& client, const TelemetryPush& push) {
  if (client.instance.is_zero()) return KafkaError::kInvalidRequest;
  Instance& instance = instance_of(client);
  const KafkaError error = check(instance, push);
  instance.terminating = push.terminating;
  instance.last_error = error;
  if (error == KafkaError::kNone) {
    ++pushed_.pushes;
    pushed_.bytes += push.bytes;
  }
  return error;
}

}  // namespace ktrial::fakebroker
