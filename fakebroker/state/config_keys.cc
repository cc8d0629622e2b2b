// SPDX-License-Identifier: Apache-2.0
#include "fakebroker/state/config_keys.h"

#include "fakebroker/state/share_settings.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

namespace ktrial::fakebroker {
namespace {

using enum ConfigType;

constexpr std::int64_t kMaxInt = std::numeric_limits<std::int32_t>::max();
constexpr std::string_view kLongMax = "9223372036854775807";
constexpr std::string_view kCodecs = "uncompressed, zstd, lz4, snappy, gzip, producer";

ConfigKey number(std::string_view name, ConfigType type, std::string_view fallback,
                 std::optional<std::int64_t> least, std::string_view broker_key = {},
                 std::optional<std::int64_t> most = {}) {
  return {.name = name,
          .type = type,
          .fallback = fallback,
          .least = least,
          .most = most,
          .broker_key = broker_key};
}
ConfigKey flag(std::string_view name, std::string_view fallback, std::string_view broker_key = {}) {
  return {.name = name, .type = kBoolean, .fallback = fallback, .broker_key = broker_key};
}
ConfigKey choice(std::string_view name, ConfigType type, std::string_view fallback,
                 std::string_view choices, std::string_view broker_key = {}) {
  return {.name = name,
          .type = type,
          .fallback = fallback,
          .choices = choices,
          .broker_key = broker_key};
}
ConfigKey text(std::string_view name, ConfigType type, std::optional<std::string_view> fallback) {
  return {.name = name, .type = type, .fallback = fallback};
}
ConfigKey unset(std::string_view name) {
  return {.name = name, .type = kLong, .fallback = std::nullopt};
}
ConfigKey fixed(ConfigKey key) {
  key.dynamic = false;
  return key;
}

const auto kTopicKeys = std::to_array<ConfigKey>({
    choice("cleanup.policy", kList, "delete", "compact, delete", "log.cleanup.policy"),
    number("compression.gzip.level", kInt, "-1", -1, "compression.gzip.level", 9),
    number("compression.lz4.level", kInt, "9", 1, "compression.lz4.level", 17),
    choice("compression.type", kString, "producer", kCodecs, "compression.type"),
    number("compression.zstd.level", kInt, "3", -131072, "compression.zstd.level", 22),
    number("delete.retention.ms", kLong, "86400000", 0, "log.cleaner.delete.retention.ms"),
    flag("errors.deadletterqueue.group.enable", "false"),
    number("file.delete.delay.ms", kLong, "60000", 0, "log.segment.delete.delay.ms"),
    number("flush.messages", kLong, kLongMax, 1, "log.flush.interval.messages"),
    number("flush.ms", kLong, kLongMax, 0, "log.flush.interval.ms"),
    text("follower.replication.throttled.replicas", kList, ""),
    number("index.interval.bytes", kInt, "4096", 0, "log.index.interval.bytes"),
    text("leader.replication.throttled.replicas", kList, ""),
    number("local.retention.bytes", kLong, "-2", -2, "log.local.retention.bytes"),
    number("local.retention.ms", kLong, "-2", -2, "log.local.retention.ms"),
    number("max.compaction.lag.ms", kLong, kLongMax, 1, "log.cleaner.max.compaction.lag.ms"),
    number("max.decompressed.message.bytes", kInt, "2147483639", 1,
           "max.decompressed.message.bytes"),
    number("max.message.bytes", kInt, "1048588", 0, "message.max.bytes"),
    number("message.timestamp.after.max.ms", kLong, "3600000", 0,
           "log.message.timestamp.after.max.ms"),
    number("message.timestamp.before.max.ms", kLong, kLongMax, 0,
           "log.message.timestamp.before.max.ms"),
    choice("message.timestamp.type", kString, "CreateTime", "CreateTime, LogAppendTime",
           "log.message.timestamp.type"),
    number("min.cleanable.dirty.ratio", kDouble, "0.5", 0, "log.cleaner.min.cleanable.ratio", 1),
    number("min.compaction.lag.ms", kLong, "0", 0, "log.cleaner.min.compaction.lag.ms"),
    number("min.insync.replicas", kInt, "1", 1, "min.insync.replicas"),
    flag("preallocate", "false", "log.preallocate"),
    number("remote.copy.lag.bytes", kLong, "-1", -1, "log.remote.copy.lag.bytes"),
    number("remote.copy.lag.ms", kLong, "0", -1, "log.remote.copy.lag.ms"),
    flag("remote.log.copy.disable", "false"),
    flag("remote.log.delete.on.disable", "false"),
    flag("remote.storage.enable", "false"),
    number("retention.bytes", kLong, "-1", {}, "log.retention.bytes"),
    number("retention.ms", kLong, "604800000", -1, "log.retention.ms"),
    number("segment.bytes", kInt, "1073741824", 1 << 20, "log.segment.bytes"),
    number("segment.index.bytes", kInt, "10485760", 4, "log.index.size.max.bytes"),
    number("segment.jitter.ms", kLong, "0", 0, "log.roll.jitter.ms"),
    number("segment.ms", kLong, "604800000", 1, "log.roll.ms"),
    flag("unclean.leader.election.enable", "false", "unclean.leader.election.enable"),
});

const auto kBrokerKeys = std::to_array<ConfigKey>({
    fixed(text("advertised.listeners", kList, std::nullopt)),
    fixed(flag("auto.create.topics.enable", "true")),
    number("background.threads", kInt, "10", 1),
    fixed(number("broker.id", kInt, "-1", {})),
    fixed(text("broker.rack", kString, std::nullopt)),
    number("compression.gzip.level", kInt, "-1", -1, {}, 9),
    number("compression.lz4.level", kInt, "9", 1, {}, 17),
    choice("compression.type", kString, "producer", kCodecs),
    number("compression.zstd.level", kInt, "3", -131072, {}, 22),
    fixed(number("connections.max.idle.ms", kLong, "600000", {})),
    fixed(number("default.replication.factor", kInt, "1", {})),
    fixed(flag("delete.topic.enable", "true")),
    number("group.consumer.assignment.interval.ms", kInt, "1000", 0),
    fixed(number("group.consumer.heartbeat.interval.ms", kInt, "5000", 1)),
    fixed(number("group.consumer.session.timeout.ms", kInt, "45000", 1)),
    fixed(number("group.initial.rebalance.delay.ms", kInt, "3000", {})),
    fixed(number("group.max.session.timeout.ms", kInt, "1800000", {})),
    fixed(number("group.min.session.timeout.ms", kInt, "6000", {})),
    number("group.share.assignment.interval.ms", kInt, "1000", 0),
    fixed(number("group.share.delivery.count.limit", kInt, "5", 2)),
    fixed(number("group.share.heartbeat.interval.ms", kInt, "5000", 1)),
    fixed(number("group.share.partition.max.record.locks", kInt, "2000", 100)),
    fixed(number("group.share.record.lock.duration.ms", kInt, "30000", 1000)),
    fixed(number("group.share.session.timeout.ms", kInt, "45000", 1)),
    text("listeners", kList, "PLAINTEXT://:9092"),
    number("log.cleaner.delete.retention.ms", kLong, "86400000", 0),
    number("log.cleaner.max.compaction.lag.ms", kLong, kLongMax, 1),
    number("log.cleaner.min.cleanable.ratio", kDouble, "0.5", 0, {}, 1),
    number("log.cleaner.min.compaction.lag.ms", kLong, "0", 0),
    number("log.cleaner.threads", kInt, "1", 0),
    choice("log.cleanup.policy", kList, "delete", "compact, delete"),
    fixed(text("log.dirs", kList, std::nullopt)),
    number("log.flush.interval.messages", kLong, kLongMax, 1),
    unset("log.flush.interval.ms"),
    number("log.index.interval.bytes", kInt, "4096", 0),
    number("log.index.size.max.bytes", kInt, "10485760", 4),
    number("log.local.retention.bytes", kLong, "-2", -2),
    number("log.local.retention.ms", kLong, "-2", -2),
    number("log.message.timestamp.after.max.ms", kLong, "3600000", 0),
    number("log.message.timestamp.before.max.ms", kLong, kLongMax, 0),
    choice("log.message.timestamp.type", kString, "CreateTime", "CreateTime, LogAppendTime"),
    flag("log.preallocate", "false"),
    number("log.remote.copy.lag.bytes", kLong, "-1", -1),
    number("log.remote.copy.lag.ms", kLong, "0", -1),
    number("log.retention.bytes", kLong, "-1", {}),
    fixed(number("log.retention.hours", kInt, "168", {})),
    unset("log.retention.ms"),
    unset("log.roll.jitter.ms"),
    unset("log.roll.ms"),
    number("log.segment.bytes", kInt, "1073741824", 1 << 20),
    number("log.segment.delete.delay.ms", kLong, "60000", 0),
    number("max.connection.creation.rate", kInt, "2147483647", 0),
    number("max.connections", kInt, "2147483647", 0),
    number("max.connections.per.ip", kInt, "2147483647", 0),
    text("max.connections.per.ip.overrides", kString, ""),
    number("max.decompressed.message.bytes", kInt, "2147483639", 1),
    number("message.max.bytes", kInt, "1048588", 0),
    number("min.insync.replicas", kInt, "1", 1),
    fixed(number("node.id", kInt, "-1", {})),
    number("num.io.threads", kInt, "8", 1),
    number("num.network.threads", kInt, "3", 1),
    fixed(number("num.partitions", kInt, "1", 1)),
    number("num.replica.fetchers", kInt, "1", {}),
    fixed(text("process.roles", kList, "")),
    fixed(number("queued.max.request.bytes", kLong, "-1", {})),
    fixed(number("queued.max.requests", kInt, "500", 1)),
    fixed(number("offsets.topic.num.partitions", kInt, "50", 1)),
    number("producer.id.expiration.ms", kInt, "86400000", 1),
    fixed(number("replica.lag.time.max.ms", kLong, "30000", {})),
    fixed(number("socket.request.max.bytes", kInt, "104857600", 1)),
    fixed(number("transaction.max.timeout.ms", kInt, "900000", 1)),
    flag("unclean.leader.election.enable", "false"),
});

const auto kGroupKeys = std::to_array<ConfigKey>({
    number("consumer.assignment.interval.ms", kInt, "1000", 0,
           "group.consumer.assignment.interval.ms", 15000),
    number("consumer.heartbeat.interval.ms", kInt, "5000", 5000,
           "group.consumer.heartbeat.interval.ms", 15000),
    number("consumer.session.timeout.ms", kInt, "45000", 45000, "group.consumer.session.timeout.ms",
           60000),
    number("share.assignment.interval.ms", kInt, "1000", 0, "group.share.assignment.interval.ms",
           15000),
    text("share.auto.offset.reset", kString, "latest"),
    number("share.delivery.count.limit", kInt, "5", 2, "group.share.delivery.count.limit", 10),
    number("share.heartbeat.interval.ms", kInt, "5000", 5000, "group.share.heartbeat.interval.ms",
           15000),
    choice("share.isolation.level", kString, "read_uncommitted",
           "read_committed, read_uncommitted"),
    number("share.partition.max.record.locks", kInt, "2000", 100,
           "group.share.partition.max.record.locks", 4000),
    // The broker's own least is 15000; it may be started with less, and tests are.
    number("share.record.lock.duration.ms", kInt, "30000", 1000,
           "group.share.record.lock.duration.ms", 60000),
    flag("share.renew.acknowledge.enable", "true"),
    number("share.session.timeout.ms", kInt, "45000", 45000, "group.share.session.timeout.ms",
           60000),
});

const auto kClientMetricsKeys = std::to_array<ConfigKey>({
    number("interval.ms", kInt, "300000", 100, {}, 3'600'000),
    text("match", kList, ""),
    text("metrics", kList, ""),
});

std::string_view type_name(ConfigType type) {
  if (type == kInt) return "INT";
  return type == kLong ? "LONG" : "DOUBLE";
}

// All of the text, or nothing.
template <class Number>
std::optional<Number> parse(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(value)
                                                                  : std::nullopt;
}

bool is_choice(std::string_view choices, std::string_view value) {
  for (std::size_t at = 0; at <= choices.size();) {
    const std::size_t comma = std::min(choices.find(", ", at), choices.size());
    if (choices.substr(at, comma - at) == value) return true;
    at = comma + 2;
  }
  return false;
}

std::optional<std::string> fault_of_number(const ConfigKey& key, const std::string& value) {
  std::optional<double> number = parse<double>(value);
  if (key.type != kDouble) {
    const auto whole = parse<std::int64_t>(value);
    const bool fits = whole && (key.type == kLong || (*whole <= kMaxInt && *whole >= -kMaxInt - 1));
    number = fits ? std::optional(static_cast<double>(*whole)) : std::nullopt;
  }
  if (!number) return fmt::format("Not a number of type {}", type_name(key.type));
  // Of gzip's levels only the default is below what it compresses with.
  if (key.name == "compression.gzip.level" && *number != -1 && (*number < 1 || *number > 9))
    return "Value must be between 1 and 9 or equal to -1";
  if (key.least && *number < static_cast<double>(*key.least))
    return fmt::format("Value must be at least {}", *key.least);
  if (key.most && *number > static_cast<double>(*key.most))
    return fmt::format("Value must be no more than {}", *key.most);
  return std::nullopt;
}

std::optional<std::string> fault_of_reset(const ConfigKey& key, const std::string& value) {
  if (value == "earliest" || value == "latest" || reset_duration(value)) return std::nullopt;
  return fmt::format(
      "Invalid value {0} for configuration {1}: Invalid value `{0}` for configuration {1}. The "
      "value must be either 'earliest', 'latest' or of the format 'by_duration:<PnDTnHnMn.nS>'.",
      value, key.name);
}

std::optional<std::string> fault_of_choices(const ConfigKey& key, const std::string& value) {
  if (key.name == "share.auto.offset.reset") return fault_of_reset(key, value);
  if (key.choices.empty()) return std::nullopt;
  const std::string_view all = value;
  for (std::size_t at = 0; at <= all.size();) {
    const std::size_t comma =
        key.type == kList ? std::min(all.find(',', at), all.size()) : all.size();
    const std::string_view one = all.substr(at, comma - at);
    if (!is_choice(key.choices, one)) {
      return fmt::format("Invalid value {} for configuration {}: String must be one of: {}", one,
                         key.name, key.choices);
    }
    at = comma + 1;
  }
  return std::nullopt;
}

}  // namespace

std::span<const ConfigKey> topic_config_keys() { return kTopicKeys; }
std::span<const ConfigKey> broker_config_keys() { return kBrokerKeys; }
std::span<const ConfigKey> group_config_keys() { return kGroupKeys; }
std::span<const ConfigKey> client_metrics_config_keys() { return kClientMetricsKeys; }

const ConfigKey* find_config_key(std::span<const ConfigKey> keys, std::string_view name) {
  const auto found = std::find_if(keys.begin(), keys.end(),
                                  [&](const ConfigKey& key) { return key.name == name; });
  return found == keys.end() ? nullptr : &*found;
}

std::optional<std::string> fault_of_value(const ConfigKey& key, const std::string& value) {
  std::optional<std::string> why;
  if (key.type == kBoolean) {
    if (value != "true" && value != "false") why = "Expected value to be either true or false";
  } else if (key.type == kString || key.type == kList) {
    return fault_of_choices(key, value);
  } else {
    why = fault_of_number(key, value);
  }
  if (why) why = fmt::format("Invalid value {} for configuration {}: {}", value, key.name, *why);
  return why;
}

}  // namespace ktrial::fakebroker
