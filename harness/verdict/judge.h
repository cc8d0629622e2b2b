// SPDX-License-Identifier: Apache-2.0
// Judging a case: every check over the event log, offline, the same live and from the pcapng.
#pragma once

#include "harness/scenario/scenario.h"
#include "harness/verdict/verdict.h"

#include <optional>
#include <string>
#include <vector>

namespace ktrial::capture {
struct EventLog;
}

namespace ktrial::harness {

struct CheckVerdict {
  const CheckSpec* spec = nullptr;  // of the scenario judged
  Verdict verdict = Verdict::kPass;
  std::string sentence;
  std::string reason;  // code: of an inconclusive or n/a one
  std::string expanded;
  std::vector<Evidence> evidence;
  std::vector<Quantity> arithmetic;
  std::vector<std::string> preconditions;
  std::string tshark;
  boost::json::value measured;
  std::optional<bool> holds;  // what it asserts, whatever its level; absent: nothing can be said
  bool finding = false;       // an INFO check that shows something else than expected
};

struct CaseVerdict {
  Verdict verdict = Verdict::kPass;
  std::string reason;
  std::int64_t first_ns = 0;  // times in JSON count from here
  std::vector<CheckVerdict> checks;
};

// `scenario` must be bound with the same context and outlive the result.
CaseVerdict judge(const Scenario& scenario, const CaseContext& context,
                  const capture::EventLog& log);

}  // namespace ktrial::harness
