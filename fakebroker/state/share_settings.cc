// SPDX-License-Identifier: Apache-2.0
#include "fakebroker/state/share_settings.h"

#include "fakebroker/state/configs.h"

#include <charconv>
#include <regex>

namespace ktrial::fakebroker {
namespace {

constexpr std::string_view kByDuration = "by_duration:";

std::int64_t number(const std::string& text, std::int64_t otherwise) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? value : otherwise;
}

void apply(ShareSettings& settings, std::string_view name, const std::string& value) {
  const auto millis = [&value](Millis otherwise) {
    return Millis(number(value, otherwise.count()));
  };
  const auto count = [&value](std::int32_t otherwise) {
    return static_cast<std::int32_t>(number(value, otherwise));
  };
  if (name == "share.session.timeout.ms") {
    settings.session_timeout = millis(settings.session_timeout);
  } else if (name == "share.heartbeat.interval.ms") {
    settings.heartbeat_interval = millis(settings.heartbeat_interval);
  } else if (name == "share.assignment.interval.ms") {
    settings.assignment_interval = millis(settings.assignment_interval);
  } else if (name == "share.record.lock.duration.ms") {
    settings.record_lock = millis(settings.record_lock);
  } else if (name == "share.delivery.count.limit") {
    settings.delivery_count_limit = count(settings.delivery_count_limit);
  } else if (name == "share.partition.max.record.locks") {
    settings.max_record_locks = count(settings.max_record_locks);
  } else if (name == "share.isolation.level") {
    settings.read_committed = value == "read_committed";
  } else if (name == "share.renew.acknowledge.enable") {
    settings.renew_enabled = value == "true";
  } else if (name == "share.auto.offset.reset") {
    const auto back = reset_duration(value);
    settings.reset = back                  ? ShareSettings::Reset::kDuration
                     : value == "earliest" ? ShareSettings::Reset::kEarliest
                                           : ShareSettings::Reset::kLatest;
    settings.reset_back = back.value_or(Millis(0));
  }
}

}  // namespace

ShareSettings share_settings(const Configs& configs, const std::string& group, int broker) {
  ShareSettings settings;
  for (const DescribedConfig& config : configs.of_group(group, broker)) {
    if (config.source != ConfigSource::kDefault && config.value)
      apply(settings, config.key->name, *config.value);
  }
  return settings;
}

std::optional<Millis> reset_duration(std::string_view reset) {
  if (!reset.starts_with(kByDuration) || reset.size() > 64) return std::nullopt;
  static const std::regex kIso8601(
      R"(P(?:(\d{1,6})D)?(T(?:(\d{1,9})H)?(?:(\d{1,9})M)?(?:(\d{1,9})(?:\.(\d{1,9}))?S)?)?)",
      std::regex::icase | std::regex::optimize);
  const std::string text(reset.substr(kByDuration.size()));
  std::smatch parts;
  if (!std::regex_match(text, parts, kIso8601)) return std::nullopt;
  // "P" and "PT" by themselves are no durations, nor is one that ends in "T".
  if (text.size() < 3 || text.back() == 'T' || text.back() == 't') return std::nullopt;
  const auto part = [&parts](std::size_t at) { return number(parts[at].str(), 0); };
  const std::string thousandths = (parts[6].str() + "000").substr(0, 3);
  return Millis(((part(1) * 24 + part(3)) * 60 + part(4)) * 60'000 + part(5) * 1'000 +
                number(thousandths, 0));
}

}  // namespace ktrial::fakebroker
