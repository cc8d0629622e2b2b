// SPDX-License-Identifier: Apache-2.0
// The commands behind the command line; each returns the exit code (DESIGN: 0 met, 1 unexpected
// failure, 2 usage, 3 inconclusive, 5 harness or driver error, 77 all skipped, 130 interrupted).
#pragma once

#include "harness/cli/security_options.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ktrial::harness {

inline constexpr int kExitMet = 0;
inline constexpr int kExitFailed = 1;
inline constexpr int kExitUsage = 2;
inline constexpr int kExitInconclusive = 3;
inline constexpr int kExitError = 5;
inline constexpr int kExitSkipped = 77;
inline constexpr int kExitInterrupted = 130;

struct RunOptions {
  std::vector<std::string> globs;
  std::string set;                   // of scenarios/sets.yaml; empty: any
  std::vector<std::string> clients;  // names, or a path to a driver
  std::string out;                   // empty: ktrial-out/<time>
  int parallel = 0;                  // 0: by calibration
  int repeat = 1;
  double time_scale = 1;
  double accelerate = 1;  // the clients' clocks, times the real one
  bool strict = false;    // SHOULD counts like MUST
  bool report_only = false;
  std::string shard;  // "i/n"
  std::vector<std::string> arguments;
};

struct ClusterOptions {
  std::string file;  // YAML, as a scenario's `cluster:`; empty: none
  int brokers = 3;   // where the file does not say
  std::string listen = "127.0.0.1";
  std::uint16_t port = 9092;        // of the first broker; the others follow
  std::string advertise;            // HOST[:PORT] that answers name; empty: where they listen
  std::vector<std::string> topics;  // NAME[:PARTITIONS]
  std::string topics_file;          // YAML; empty: none
  std::string release;              // of Kafka to pass for; empty: the newest
  std::vector<std::string> config;  // KEY=VALUE, of every broker
  std::optional<std::int64_t> record_memory;  // bytes
  bool discard = false;
  bool json = false;
  bool no_auto_create = false;
  bool exit_with_parent = false;
  std::string control = "127.0.0.1:0";  // ADDRESS:PORT or PORT; "off"
  std::string control_token;
  SecurityOptions security;
};

struct DiagramOptions {
  std::string dir, id;          // a run's folder, a case of it
  std::string client, variant;  // if the id alone is several cases
  std::string from, until;      // seconds or a mark's name; empty: the case's begin, its end
  std::size_t lanes = 24;
  std::string out;  // empty: stdout
};

int run_command(const RunOptions& options);
int list_command(const std::string& what);
int cluster_command(ClusterOptions options);
int verify_command(const std::string& dir);
int report_command(const std::vector<std::string>& dirs);
int diagram_command(const DiagramOptions& options);
int doctor_command();
int self_test_command(const std::vector<std::string>& globs, const std::string& set, int parallel);
int driver_check_command(const std::vector<std::string>& command);
int case_command(const std::string& dir);

}  // namespace ktrial::harness
