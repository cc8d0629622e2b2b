// SPDX-License-Identifier: Apache-2.0
// What a finished run says, as data: the input of every report. Renderers compute nothing that a
// reader could dispute; they only lay this out.
#pragma once

#include <boost/json.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ktrial::reports {

enum class Verdict : std::uint8_t {
  kPass,
  kNonstrict,
  kInfo,
  kNotApplicable,
  kUnsupported,
  kInconclusive,
  kFail,
  kError,
};

std::string_view to_string(Verdict verdict);  // "pass", "n/a", ...
std::optional<Verdict> parse_verdict(std::string_view text);

struct Evidence {
  std::uint64_t packet = 0;
  double t = 0;  // seconds from the first packet
  int conn = -1;
  std::string text;
};

struct Quantity {  // one term of a check's arithmetic
  std::string name;
  std::string value;
  std::string unit;
};

struct CheckResult {
  std::string id, level, basis, sentence, requirement, expanded, tshark;
  Verdict verdict = Verdict::kError;
  std::vector<Evidence> evidence;
  std::vector<Quantity> arithmetic;
  std::vector<std::string> preconditions, claims;
  std::vector<std::string> decides;  // claims that hold if the check does
  std::optional<bool> holds;
  bool finding = false;  // an INFO check that shows something else than expected
};

struct Claim {  // of the founding article
  std::string id, text;
  std::string unobservable;  // why; empty: it can be observed
};

// One connection's lane in the swimlane; times in seconds from the first packet.
struct Lane {
  int id = 0;
  int broker = -1;
  std::string client, server, closer, close_kind;
  std::vector<std::string> roles, apis;
  std::optional<double> attempt, open, first_payload, last_payload, closed;
  std::uint64_t requests = 0, responses = 0;
};

struct Request {
  double t = 0;
  std::optional<double> answered;  // seconds from the first packet
  int conn = -1;
  int broker = -1;
  std::string api, error;
  int version = 0;
  std::int64_t correlation_id = 0;
  std::uint64_t bytes = 0, packet = 0, response_packet = 0;
};

struct Call {  // a driver call
  std::string name, detail;
  double begin = 0;
  std::optional<double> end;
  bool ok = true;
};

struct Moment {  // a mark, a broker action, a host stall
  std::string kind, text;
  double t = 0;
  double until = 0;  // == t for an instant
};

struct CaseResult {
  std::string id, title, why, file, client, version, variant, reason, dir;
  std::string known;  // why the run is not to fail for this failure; empty: it is
  int line = 0;
  int attempt_count = 1;
  Verdict verdict = Verdict::kError;
  double seconds = 0;
  std::vector<std::string> refs;
  std::vector<std::string> decides;  // claims, whether or not its checks came to be judged
  double accelerate = 1;             // of the client's clock
  std::vector<CheckResult> checks;
  // From case.jsonl; empty if the case never got that far.
  std::vector<Lane> lanes;
  std::vector<Request> requests;
  std::vector<Call> calls;
  std::vector<Moment> moments;
  double duration = 0;  // seconds from the first packet to the last

  [[nodiscard]] std::string column() const { return client + "@" + version; }
};

struct RunResult {
  std::string dir, started, ktrial_version;
  boost::json::object host, calibration;
  std::vector<std::string> arguments;
  std::vector<Claim> claims;  // empty: the run decides none
  std::vector<CaseResult> cases;
  bool complete = false;  // the run wrote its last line
  std::optional<int> exit_code;

  [[nodiscard]] std::map<Verdict, std::size_t> counts() const;
  // "FAILED: 2 cases: ..." in words, for the top of every report.
  [[nodiscard]] std::string sentence() const;
};

}  // namespace ktrial::reports
