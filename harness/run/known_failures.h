// SPDX-License-Identifier: Apache-2.0
// Known failures (scenarios/known.yaml): faults of real clients that a run is not to fail for. They
// stay failures in every report; one that no longer fails fails the run, so that the list stays
// true.
#pragma once

#include "common/result.h"
#include "harness/scenario/client_match.h"

#include <boost/json.hpp>

#include <string>
#include <vector>

namespace ktrial::harness {

struct KnownFailure {
  std::string name;
  std::string scenario;             // a glob over ids, with or without the variant: a/b, a/b/x=1*
  std::vector<std::string> checks;  // that may fail
  ClientMatch client;
  std::string reason;
  bool sometimes = false;  // a case that passes is no news

  // Is it about this case of run.jsonl?
  [[nodiscard]] bool concerns(const boost::json::object& line) const;
  // ... and explains all that failed there?
  [[nodiscard]] bool excuses(const boost::json::object& line) const;
};

// An Error names file, line and column.
Result<std::vector<KnownFailure>> read_known_failures(const std::string& path);

}  // namespace ktrial::harness
