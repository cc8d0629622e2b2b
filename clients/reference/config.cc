// SPDX-License-Identifier: Apache-2.0
#include "clients/reference/config.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

namespace ktrial::client {
namespace {

using Apply = Result<void> (*)(Config&, std::string_view);

tl::unexpected<Error> unsupported_value(std::string_view value) {
  return fail(Errc::kUnsupported, "value " + std::string(value));
}

Result<std::int64_t> integer(std::string_view text, std::int64_t least = 0,
                             std::int64_t most = INT64_MAX) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < least || value > most) {
    return fail(Errc::kInvalidArgument, "not a number in range: " + std::string(text));
  }
  return value;
}

template <Millis Config::* Member, std::int64_t Least = 0>
Result<void> millis(Config& config, std::string_view text) {
  return integer(text, Least, INT64_MAX / 2'000'000).map([&](std::int64_t value) {
    config.*Member = Millis(value);
  });
}

template <auto Member, std::int64_t Least = 0>
Result<void> number(Config& config, std::string_view text) {
  return integer(text, Least, INT32_MAX).map([&](std::int64_t value) {
    config.*Member = static_cast<std::remove_reference_t<decltype(config.*Member)>>(value);
  });
}

template <bool Config::* Member>
Result<void> boolean(Config& config, std::string_view text) {
  if (text != "true" && text != "false") {
    return fail(Errc::kInvalidArgument, "not a boolean: " + std::string(text));
  }
  config.*Member = text == "true";
  return {};
}

template <auto Member>
Result<void> string(Config& config, std::string_view text) {
  config.*Member = std::string(text);
  return {};
}

Result<void> bootstrap(Config& config, std::string_view text) {
  return parse_host_ports(text).map([&](auto list) { config.bootstrap = std::move(list); });
}

Result<void> acks(Config& config, std::string_view text) {
  if (text != "all" && text != "-1" && text != "0" && text != "1") {
    return fail(Errc::kInvalidArgument, "acks " + std::string(text));
  }
  config.acks = text == "0" ? 0 : text == "1" ? 1 : -1;
  return {};
}

Result<void> codec(Config& config, std::string_view text) {
  return parse_codec(text).map([&](Codec parsed) { config.codec = parsed; });
}

Result<void> reset(Config& config, std::string_view text) {
  if (text == "earliest") {
    config.offset_reset = OffsetReset::kEarliest;
  } else if (text == "latest") {
    config.offset_reset = OffsetReset::kLatest;
  } else if (text == "none") {
    config.offset_reset = OffsetReset::kNone;
  } else {
    return unsupported_value(text);
  }
  return {};
}

Result<void> isolation(Config& config, std::string_view text) {
  if (text != "read_committed" && text != "read_uncommitted") return unsupported_value(text);
  config.isolation_level = text == "read_committed" ? 1 : 0;
  return {};
}

Result<void> policy(Config& config, std::string_view text) {
  if (text != "article" && text != "sparse") return unsupported_value(text);
  config.policy = text == "article" ? Policy::kArticle : Policy::kSparse;
  return {};
}

Result<void> recovery(Config& config, std::string_view text) {
  if (text != "rebootstrap" && text != "none") return unsupported_value(text);
  config.rebootstrap = text == "rebootstrap";
  return {};
}

Result<void> mutants(Config& config, std::string_view text) {
  return Mutants::parse(text).map([&](Mutants parsed) { config.mutants = parsed; });
}

Result<void> security(Config& config, std::string_view text) {
  if (text != "PLAINTEXT" && text != "SASL_PLAINTEXT") return unsupported_value(text);
  config.sasl = text == "SASL_PLAINTEXT";
  return {};
}

Result<void> mechanism(Config&, std::string_view text) {
  return text == "PLAIN" ? Result<void>() : unsupported_value(text);
}

// What follows `option="`, up to the quote that no backslash is before.
std::optional<std::string> jaas_option(std::string_view text, std::string_view option) {
  const std::size_t at = text.find(" " + std::string(option) + "=\"");
  if (at == std::string_view::npos) return std::nullopt;
  std::string value;
  for (std::size_t i = at + option.size() + 3; i < text.size() && text[i] != '"'; ++i) {
    if (text[i] == '\\' && i + 1 < text.size()) ++i;
    value += text[i];
  }
  return value;
}

// MODULE required username="NAME" password="PASSWORD";
Result<void> jaas(Config& config, std::string_view text) {
  if (text.find("plain.PlainLoginModule") == std::string_view::npos) return unsupported_value(text);
  const auto user = jaas_option(text, "username");
  const auto password = jaas_option(text, "password");
  if (!user || !password)
    return fail(Errc::kInvalidArgument, "username=\"...\" and password=\"...\" are needed");
  config.sasl_user = *user;
  config.sasl_password = *password;
  return {};
}

Result<void> group_protocol(Config& config, std::string_view text) {
  if (text != "classic" && text != "consumer") return unsupported_value(text);
  config.group_protocol = text == "consumer" ? GroupProtocol::kConsumer : GroupProtocol::kClassic;
  return {};
}

Result<void> assignors(Config& config, std::string_view text) {
  return parse_assignors(text).map([&](auto list) { config.assignors = std::move(list); });
}

constexpr unsigned kForProducer = 1;
constexpr unsigned kForConsumer = 2;
constexpr unsigned kForBoth = kForProducer | kForConsumer;

struct Key {
  std::string_view name;
  unsigned roles;
  Apply apply;
};

constexpr std::array kKeys{
    Key{"bootstrap.servers", kForBoth, bootstrap},
    Key{"client.id", kForBoth, string<&Config::client_id>},
    Key{"metadata.max.age.ms", kForBoth, millis<&Config::metadata_max_age>},
    Key{"retry.backoff.ms", kForBoth, millis<&Config::retry_backoff>},
    Key{"retry.backoff.max.ms", kForBoth, millis<&Config::retry_backoff_max>},
    Key{"reconnect.backoff.ms", kForBoth, millis<&Config::reconnect_backoff>},
    Key{"reconnect.backoff.max.ms", kForBoth, millis<&Config::reconnect_backoff_max>},
    Key{"socket.connection.setup.timeout.ms", kForBoth, millis<&Config::setup_timeout>},
    Key{"socket.connection.setup.timeout.max.ms", kForBoth, millis<&Config::setup_timeout_max>},
    Key{"request.timeout.ms", kForBoth, millis<&Config::request_timeout>},
    Key{"connections.max.idle.ms", kForBoth, millis<&Config::idle, -1>},
    Key{"metadata.recovery.strategy", kForBoth, recovery},
    Key{"metadata.recovery.rebootstrap.trigger.ms", kForBoth, millis<&Config::rebootstrap_trigger>},
    Key{"security.protocol", kForBoth, security},
    Key{"sasl.mechanism", kForBoth, mechanism},
    Key{"sasl.jaas.config", kForBoth, jaas},
    Key{"ktrial.policy", kForBoth, policy},
    Key{"ktrial.mutants", kForBoth, mutants},
    Key{"acks", kForProducer, acks},
    Key{"linger.ms", kForProducer, millis<&Config::linger>},
    Key{"batch.size", kForProducer, number<&Config::batch_size>},
    Key{"max.request.size", kForProducer, number<&Config::max_request_size>},
    Key{"max.in.flight.requests.per.connection", kForProducer, number<&Config::max_in_flight, 1>},
    Key{"retries", kForProducer, number<&Config::retries>},
    Key{"compression.type", kForProducer, codec},
    Key{"delivery.timeout.ms", kForProducer, millis<&Config::delivery_timeout>},
    Key{"max.block.ms", kForProducer, millis<&Config::max_block>},
    Key{"enable.idempotence", kForProducer, boolean<&Config::idempotent>},
    Key{"buffer.memory", kForProducer, number<&Config::buffer_memory>},
    Key{"metadata.max.idle.ms", kForProducer, millis<&Config::metadata_max_idle, 5'000>},
    Key{"transactional.id", kForProducer, string<&Config::transactional_id>},
    Key{"transaction.timeout.ms", kForProducer, millis<&Config::transaction_timeout, 1>},
    Key{"group.id", kForConsumer, string<&Config::group_id>},
    Key{"group.instance.id", kForConsumer, string<&Config::group_instance_id>},
    Key{"group.protocol", kForConsumer, group_protocol},
    Key{"partition.assignment.strategy", kForConsumer, assignors},
    Key{"session.timeout.ms", kForConsumer, millis<&Config::session_timeout>},
    Key{"heartbeat.interval.ms", kForConsumer, millis<&Config::heartbeat_interval>},
    Key{"max.poll.interval.ms", kForConsumer, millis<&Config::max_poll_interval>},
    Key{"auto.offset.reset", kForConsumer, reset},
    Key{"enable.auto.commit", kForConsumer, boolean<&Config::auto_commit>},
    Key{"auto.commit.interval.ms", kForConsumer, millis<&Config::auto_commit_interval>},
    Key{"fetch.min.bytes", kForConsumer, number<&Config::fetch_min_bytes>},
    Key{"fetch.max.bytes", kForConsumer, number<&Config::fetch_max_bytes>},
    Key{"fetch.max.wait.ms", kForConsumer, millis<&Config::fetch_max_wait>},
    Key{"max.partition.fetch.bytes", kForConsumer, number<&Config::partition_fetch_bytes>},
    Key{"max.poll.records", kForConsumer, number<&Config::max_poll_records, 1>},
    Key{"isolation.level", kForConsumer, isolation},
    Key{"allow.auto.create.topics", kForConsumer, boolean<&Config::auto_create_topics>},
    Key{"client.rack", kForConsumer, string<&Config::rack>},
    Key{"group.remote.assignor", kForConsumer, string<&Config::remote_assignor>},
    Key{"check.crcs", kForConsumer, boolean<&Config::check_crcs>},
    Key{"default.api.timeout.ms", kForConsumer, millis<&Config::api_timeout>},
};

}  // namespace

Result<std::vector<HostPort>> parse_host_ports(std::string_view list) {
  std::vector<HostPort> parsed;
  while (!list.empty()) {
    const std::size_t comma = list.find(',');
    const std::string_view entry = list.substr(0, comma);
    list = comma == std::string_view::npos ? std::string_view() : list.substr(comma + 1);
    const std::size_t colon = entry.rfind(':');
    if (colon == std::string_view::npos || colon == 0) {
      return fail(Errc::kInvalidArgument, "not host:port: " + std::string(entry));
    }
    const auto port = integer(entry.substr(colon + 1), 1, 65'535);
    KTRIAL_TRY(port);
    std::string_view host = entry.substr(0, colon);
    if (host.front() == '[' && host.back() == ']') host = host.substr(1, host.size() - 2);
    parsed.push_back({std::string(host), static_cast<std::uint16_t>(*port)});
  }
  if (parsed.empty()) return fail(Errc::kInvalidArgument, "bootstrap.servers is empty");
  return parsed;
}

namespace {

// With KIP-848 the brokers decide on these, and the other way round.
Result<void> check_group_protocol(const Config& config,
                                  const std::map<std::string, std::string>& entries) {
  const bool consumer = config.group_protocol == GroupProtocol::kConsumer;
  for (const char* key : {"session.timeout.ms", "heartbeat.interval.ms",
                          "partition.assignment.strategy", "group.remote.assignor"}) {
    const bool for_consumer = std::string_view(key) == "group.remote.assignor";
    if (consumer != for_consumer && entries.contains(key)) {
      return fail(Errc::kInvalidArgument,
                  std::string("config ") + key +
                      " cannot be set with group.protocol=" + (consumer ? "consumer" : "classic"));
    }
  }
  return {};
}

}  // namespace

Result<Config> parse_config(Role role, const std::map<std::string, std::string>& entries) {
  Config config;
  config.role = role;
  const unsigned bit = role == Role::kProducer ? kForProducer : kForConsumer;
  for (const auto& [name, value] : entries) {
    const auto* key = std::ranges::find(kKeys, std::string_view(name), &Key::name);
    if (key == kKeys.end() || (key->roles & bit) == 0) {
      return fail(Errc::kUnsupported, "config " + name);
    }
    if (auto applied = key->apply(config, value); !applied) {
      return fail(applied.error().code, "config " + name + ": " + applied.error().message);
    }
  }
  if (config.bootstrap.empty()) {
    return fail(Errc::kInvalidArgument, "config bootstrap.servers is missing");
  }
  if (config.sasl && config.sasl_user.empty())
    return fail(Errc::kInvalidArgument, "config sasl.jaas.config is missing");
  // Idempotence needs every replica's acknowledgement; asked for fewer, it is off unless demanded.
  if (config.acks != -1 || config.retries == 0 || config.max_in_flight > 5) {
    if (config.transactional_id)
      return fail(Errc::kInvalidArgument, "config transactional.id contradicts acks or retries");
    if (entries.contains("enable.idempotence") && config.idempotent) {
      return fail(Errc::kInvalidArgument, "config enable.idempotence contradicts acks or retries");
    }
    config.idempotent = false;
  }
  if (config.transactional_id && !config.idempotent)
    return fail(Errc::kInvalidArgument, "config transactional.id needs enable.idempotence");
  if (config.mutated(Mutant::kNoRetries)) config.retries = 0;
  if (config.mutated(Mutant::kNoIdempotence)) config.idempotent = false;
  if (role == Role::kConsumer) {
    config.idempotent = false;
    config.max_in_flight = 100;
    if (config.group_id.empty()) config.auto_commit = false;
    KTRIAL_TRY(check_group_protocol(config, entries));
  }
  return config;
}

std::vector<std::string_view> known_config_keys() {
  std::vector<std::string_view> names;
  for (const Key& key : kKeys) names.push_back(key.name);
  return names;
}

}  // namespace ktrial::client
