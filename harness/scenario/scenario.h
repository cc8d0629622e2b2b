// SPDX-License-Identifier: Apache-2.0
// Scenario: one case's worth of a scenario file as plain data: matrix axes chosen, expressions
// evaluated. The runner reads cluster, clients and steps; the judge reads checks and mutants.
// ScenarioFile (scenario_file.h) makes it.
#pragma once

#include "common/clock.h"
#include "fakebroker/rules/rule.h"
#include "fakebroker/security/security_spec.h"
#include "harness/scenario/client_match.h"
#include "harness/scenario/position.h"

#include <boost/json.hpp>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace ktrial::harness {

class Check;           // harness/check/check.h
struct WaitCondition;  // harness/check/wait.h

using Axes = std::map<std::string, std::string>;

// What a case is bound to. Before a client is chosen (a file is only being checked) profile and
// capabilities are absent, and what depends on them is left open.
struct CaseContext {
  std::string client, version;
  std::optional<boost::json::object> profile;  // values, or {"value","source"} leaves
  std::optional<std::vector<std::string>> capabilities;
  Axes axes;
  std::string case_name;  // ${case}
  double time_scale = 1;  // stretches waits, deadlines and upper slack, nothing else
  double accelerate = 1;  // the client's clock runs so much faster than the scenario's times
  // Set by the runner when the harness or the driver broke: the case is an error for this reason.
  std::optional<std::string> harness_error;
};

struct TopicPart {
  std::string name;
  int partitions = 1;
  std::vector<int> leaders;
  std::map<std::string, std::string> configs;
  bool discard = false;
};

struct RulePart {
  Position at;
  fakebroker::Rule rule;
};

// How clients get in. With more than one listener, they are told of the first.
struct SecurityPart {
  fakebroker::SecuritySpec spec;
  // What a client is given to get in by, under its own config: of security.protocol and sasl.*.
  std::map<std::string, std::string> client;
};

struct ClusterPart {
  int brokers = 1;                           // ids 1..brokers
  std::vector<int> bootstrap;                // broker ids, in this order; empty in the file: all
  std::vector<std::string> bootstrap_extra;  // host:port of no broker, after them in the list
  std::vector<int> unlisted;                 // ids that no answer names
  std::optional<int> coordinator, controller;
  std::optional<Millis> idle_close;  // absent: never
  bool auto_create_topics = false;
  bool keepalive = true;  // the brokers' own SO_KEEPALIVE
  bool consumer_groups = true;
  bool telemetry = false;
  bool share_groups = true;
  bool rack_aware_replicas = false;
  std::optional<std::string> release;   // of Kafka that the brokers pass for
  std::map<int, std::string> releases;  // of single brokers
  std::vector<std::string> racks;       // of the brokers in turn
  std::uint64_t seed = 0;               // of rules that act by chance
  bool discard = false;                 // what is produced is checked and counted, but not kept
  std::optional<std::int64_t> record_memory;  // bytes
  std::map<std::string, std::string> config;  // of every broker, by Kafka's keys
  SecurityPart security;
  Millis initial_rebalance_delay{0};
  Millis consumer_heartbeat_interval{5'000};
  std::vector<TopicPart> topics;
  std::vector<RulePart> rules;
};

struct ClientPart {
  std::string name;                           // "c1"
  std::string role;                           // "producer" or "consumer"
  std::map<std::string, std::string> config;  // Java key names; "default" in the file: left out
};

// A driver command: `members` are the driver protocol's, without id, cmd and client.
struct ClientStep {
  std::string client, call;
  boost::json::object members;
  std::optional<Millis> deadline;  // of the answer; absent: the runner's own
};
struct BrokerStep {
  std::optional<int> broker;  // absent: all
  std::string action;         // "start", "stop", "refuse", "blackhole", "close_connections", ...
  boost::json::object members;
};
struct ClusterStep {
  std::string action;  // "append", "create_topic", "move_leader", ...
  boost::json::object members;
  std::optional<RulePart> rule;  // of add_rule
};
struct MarkStep {
  std::string name;
};
struct SleepStep {
  Millis time{0};
};
struct WaitStep {
  std::shared_ptr<const WaitCondition> condition;
  Millis deadline{10'000};
  bool optional = false;
};
struct ParallelStep;

struct Step {
  Position at;
  std::string text;  // for the log and for "steps ended at ..."
  std::variant<MarkStep, SleepStep, WaitStep, ClientStep, BrokerStep, ClusterStep,
               std::shared_ptr<const ParallelStep>>
      what;
};
struct ParallelStep {
  std::vector<std::vector<Step>> branches;
};

enum class Level : std::uint8_t { kMust, kShould, kInfo };
std::string_view to_string(Level level);

// What an INFO check is expected to show for some clients; a difference is a finding.
struct Expectation {
  ClientMatch client;
  std::string text;                   // as written: "1..", "0", "true"
  std::optional<double> least, most;  // numbers
  std::optional<std::string> value;   // anything else
};

struct CheckSpec {
  Position at;
  std::string id;
  Level level = Level::kMust;
  std::string basis;  // protocol | config-doc | profile | house
  std::string requirement;
  std::vector<std::string> claims;  // that it says something about
  std::vector<std::string>
      decides;  // claims that hold if the check does, and do not if it does not
  std::vector<Expectation> expect;
  std::optional<std::string> not_applicable;  // why this client or variant is not judged
  std::shared_ptr<const Check> check;         // null only if not_applicable
};

struct Mutant {
  std::string name;
  Axes only;                        // empty: every variant
  std::vector<std::string> checks;  // must turn red
};

struct Repeat {
  int times = 1;
  int needed = 1;       // passes needed, of `times`
  bool median = false;  // else: judge the median of the times
};

struct Scenario {
  std::string file, id, title, why;
  Position at;
  boost::json::array refs;
  std::vector<std::string> claims, tags, was;
  Axes axes;
  std::string variant;                        // "first=client,mode=refuse", "" without a matrix
  std::vector<std::string> needs;             // capabilities
  std::optional<std::string> not_applicable;  // when / needs not met: the whole case is n/a
  Millis timeout{60'000};
  bool exclusive = false;
  bool bad_input = false;  // a client whose process dies has failed; it is no error of the harness
  Repeat repeat;
  std::map<std::string, std::string> sysctl;
  ClusterPart cluster;
  std::vector<ClientPart> clients;
  std::vector<Step> steps;
  std::vector<CheckSpec> checks;
  std::vector<Mutant> mutants;

  // "id" or "id/axis=value,axis=value".
  [[nodiscard]] std::string full_id() const;
  // Check ids that the mutant must turn red in this variant.
  [[nodiscard]] std::vector<std::string> killed_by(std::string_view mutant) const;
};

}  // namespace ktrial::harness
