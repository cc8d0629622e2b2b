// SPDX-License-Identifier: Apache-2.0
#include "config_map.h"

#include <algorithm>
#include <array>

namespace driver {
namespace {

enum class For { kBoth, kProducer, kConsumer };

struct Key {
  std::string_view java;
  std::string_view own;  // librdkafka's name
  For role = For::kBoth;
};

// librdkafka's CONFIGURATION.md is the source of the right-hand names.
constexpr std::array kKeys{
    Key{"bootstrap.servers", "bootstrap.servers"},
    Key{"client.id", "client.id"},
    Key{"client.rack", "client.rack"},
    Key{"metadata.max.age.ms", "topic.metadata.refresh.interval.ms"},
    Key{"request.timeout.ms", "socket.timeout.ms"},
    Key{"connections.max.idle.ms", "connections.max.idle.ms"},
    Key{"reconnect.backoff.ms", "reconnect.backoff.ms"},
    Key{"reconnect.backoff.max.ms", "reconnect.backoff.max.ms"},
    Key{"retry.backoff.ms", "retry.backoff.ms"},
    Key{"retry.backoff.max.ms", "retry.backoff.max.ms"},
    Key{"socket.connection.setup.timeout.ms", "socket.connection.setup.timeout.ms"},
    Key{"socket.connection.setup.timeout.max.ms", ""},
    Key{"metadata.recovery.strategy", "metadata.recovery.strategy"},
    Key{"metadata.recovery.rebootstrap.trigger.ms", "metadata.recovery.rebootstrap.trigger.ms"},
    Key{"security.protocol", "security.protocol"},
    Key{"allow.auto.create.topics", "allow.auto.create.topics"},
    Key{"acks", "acks", For::kProducer},
    Key{"linger.ms", "linger.ms", For::kProducer},
    Key{"batch.size", "batch.size", For::kProducer},
    Key{"compression.type", "compression.type", For::kProducer},
    Key{"retries", "retries", For::kProducer},
    Key{"delivery.timeout.ms", "delivery.timeout.ms", For::kProducer},
    Key{"enable.idempotence", "enable.idempotence", For::kProducer},
    Key{"transactional.id", "transactional.id", For::kProducer},
    Key{"max.in.flight.requests.per.connection", "max.in.flight.requests.per.connection"},
    Key{"group.id", "group.id", For::kConsumer},
    Key{"group.protocol", "group.protocol", For::kConsumer},
    Key{"group.instance.id", "group.instance.id", For::kConsumer},
    Key{"session.timeout.ms", "session.timeout.ms", For::kConsumer},
    Key{"heartbeat.interval.ms", "heartbeat.interval.ms", For::kConsumer},
    Key{"max.poll.interval.ms", "max.poll.interval.ms", For::kConsumer},
    Key{"auto.offset.reset", "auto.offset.reset", For::kConsumer},
    Key{"enable.auto.commit", "enable.auto.commit", For::kConsumer},
    Key{"auto.commit.interval.ms", "auto.commit.interval.ms", For::kConsumer},
    Key{"fetch.min.bytes", "fetch.min.bytes", For::kConsumer},
    Key{"fetch.max.bytes", "fetch.max.bytes", For::kConsumer},
    Key{"fetch.max.wait.ms", "fetch.wait.max.ms", For::kConsumer},
    Key{"max.partition.fetch.bytes", "max.partition.fetch.bytes", For::kConsumer},
    Key{"isolation.level", "isolation.level", For::kConsumer},
    Key{"partition.assignment.strategy", "partition.assignment.strategy", For::kConsumer},
    Key{"check.crcs", "check.crcs", For::kConsumer},
};

const Key* find(std::string_view java, bool producer) {
  const auto* found = std::find_if(kKeys.begin(), kKeys.end(), [&](const Key& key) {
    return key.java == java && (key.role == For::kBoth || (key.role == For::kProducer) == producer);
  });
  return found == kKeys.end() ? nullptr : found;
}

std::string text_of(const boost::json::value& value) {
  return value.is_string() ? std::string(value.as_string()) : boost::json::serialize(value);
}

// Values that mean the same thing under another spelling.
std::string own_value(std::string_view java, std::string value) {
  if (java == "connections.max.idle.ms" && value.starts_with('-')) return "0";  // Java: < 0 is off
  if (java == "partition.assignment.strategy") {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kAssignors{{
        {"org.apache.kafka.clients.consumer.RangeAssignor", "range"},
        {"org.apache.kafka.clients.consumer.RoundRobinAssignor", "roundrobin"},
        {"org.apache.kafka.clients.consumer.CooperativeStickyAssignor", "cooperative-sticky"},
    }};
    for (const auto& [java_name, own_name] : kAssignors) {
      const std::size_t at = value.find(java_name);
      if (at != std::string::npos) value.replace(at, java_name.size(), own_name);
    }
  }
  return value;
}

// The set-up timeout does not grow in librdkafka: a maximum equal to the base asks for just that.
bool is_constant_setup_timeout(const boost::json::object& config) {
  const auto* base = config.if_contains("socket.connection.setup.timeout.ms");
  const auto* maximum = config.if_contains("socket.connection.setup.timeout.max.ms");
  return base != nullptr && maximum != nullptr && text_of(*base) == text_of(*maximum);
}

}  // namespace

Conf make_conf(const boost::json::object& config, bool producer) {
  Conf made{rd_kafka_conf_new(), {}};
  const auto unsupported = [&made](std::string_view key, std::string_view why = {}) {
    rd_kafka_conf_destroy(made.conf);
    made.conf = nullptr;
    made.unsupported = "config " + std::string(key) + (why.empty() ? "" : ": " + std::string(why));
    return made;
  };
  for (const auto& [name, value] : config) {
    const std::string_view java(name.data(), name.size());
    const Key* key = find(java, producer);
    if (key == nullptr) return unsupported(java);
    if (key->own.empty()) {
      if (is_constant_setup_timeout(config)) continue;
      return unsupported(java, "the set-up timeout does not grow");
    }
    char reason[512];
    const std::string own = own_value(java, text_of(value));
    if (rd_kafka_conf_set(made.conf, std::string(key->own).c_str(), own.c_str(), reason,
                          sizeof reason) != RD_KAFKA_CONF_OK) {
      return unsupported(java, reason);
    }
  }
  return made;
}

std::vector<std::string_view> known_keys() {
  std::vector<std::string_view> names;
  for (const Key& key : kKeys) names.push_back(key.java);
  return names;
}

}  // namespace driver
