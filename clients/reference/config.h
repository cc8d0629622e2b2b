// SPDX-License-Identifier: Apache-2.0
// Config: what the Java clients' documented keys mean here, with their defaults. A key or value
// that this client does not honour is an error, never ignored.
#pragma once

#include "clients/reference/assignor.h"
#include "clients/reference/mutants.h"
#include "common/clock.h"
#include "common/compression.h"
#include "common/result.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ktrial::client {

struct HostPort {
  std::string host = {};
  std::uint16_t port = 0;
  auto operator<=>(const HostPort&) const = default;
};

enum class Role : std::uint8_t { kProducer, kConsumer };
// Whom a producer connects to without being asked: every broker it hears of, or only who it needs.
enum class Policy : std::uint8_t { kSparse, kArticle };
enum class OffsetReset : std::uint8_t { kEarliest, kLatest, kNone };
// KIP-848 is kConsumer.
enum class GroupProtocol : std::uint8_t { kClassic, kConsumer };

struct Config {
  Role role = Role::kProducer;
  std::vector<HostPort> bootstrap = {};
  std::string client_id = {};
  Millis metadata_max_age{300'000};
  Millis retry_backoff{100};
  Millis retry_backoff_max{1'000};
  Millis reconnect_backoff{50};
  Millis reconnect_backoff_max{1'000};
  Millis setup_timeout{10'000};
  Millis setup_timeout_max{30'000};
  Millis request_timeout{30'000};
  Millis idle{540'000};                 // negative: off
  bool rebootstrap = true;              // metadata.recovery.strategy
  Millis rebootstrap_trigger{300'000};  // without Metadata for so long
  bool sasl = false;                    // by PLAIN
  std::string sasl_user = {};
  std::string sasl_password = {};
  Policy policy = Policy::kSparse;
  Mutants mutants = {};

  std::int16_t acks = -1;
  Millis linger{5};
  std::size_t batch_size = 16'384;
  std::size_t max_request_size = 1'048'576;
  std::size_t max_in_flight = 5;
  std::int64_t retries = INT32_MAX;
  Codec codec = Codec::kNone;
  Millis delivery_timeout{120'000};
  Millis max_block{60'000};
  bool idempotent = true;
  std::size_t buffer_memory = 33'554'432;
  Millis metadata_max_idle{300'000};  // of a topic
  std::optional<std::string> transactional_id = {};
  Millis transaction_timeout{60'000};

  std::string group_id = {};
  std::optional<std::string> group_instance_id = {};
  Millis session_timeout{45'000};
  Millis heartbeat_interval{3'000};
  Millis max_poll_interval{300'000};
  OffsetReset offset_reset = OffsetReset::kLatest;
  bool auto_commit = true;
  Millis auto_commit_interval{5'000};
  std::int32_t fetch_min_bytes = 1;
  std::int32_t fetch_max_bytes = 52'428'800;
  Millis fetch_max_wait{500};
  std::int32_t partition_fetch_bytes = 1'048'576;
  std::size_t max_poll_records = 500;
  std::int8_t isolation_level = 0;
  bool auto_create_topics = true;
  std::string rack = {};
  GroupProtocol group_protocol = GroupProtocol::kClassic;
  std::string remote_assignor = {};  // empty: the coordinator's choice
  std::vector<std::shared_ptr<const Assignor>> assignors =
      *parse_assignors("range,cooperative-sticky");
  bool check_crcs = true;
  Millis api_timeout{60'000};  // of calls that wait for a broker

  // The article's model of a producer: closing what is idle is left to the broker.
  [[nodiscard]] bool passive_idle() const {
    return (policy == Policy::kArticle && role == Role::kProducer) || mutated(Mutant::kPassiveIdle);
  }
  // ... and nobody notices a broker's close before the connection is used again, unless a group's
  // heartbeats use it.
  [[nodiscard]] bool ignores_fin() const {
    return mutated(Mutant::kIgnoreBrokerFin) || passive_idle() ||
           (policy == Policy::kArticle && group_id.empty());
  }
  // Requests under way on a connection.
  [[nodiscard]] std::size_t in_flight_limit() const {
    if (mutated(Mutant::kInFlightUncapped)) return SIZE_MAX;
    return mutated(Mutant::kNoPipelining) ? 1 : max_in_flight;
  }
  [[nodiscard]] bool mutated(Mutant mutant) const { return mutants.has(mutant); }
};

// kUnsupported: a key or value this client does not know; kInvalidArgument: one that cannot be.
Result<Config> parse_config(Role role, const std::map<std::string, std::string>& entries);
std::vector<std::string_view> known_config_keys();

Result<std::vector<HostPort>> parse_host_ports(std::string_view list);

}  // namespace ktrial::client
