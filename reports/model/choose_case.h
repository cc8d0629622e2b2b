// SPDX-License-Identifier: Apache-2.0
// Finds the one case of a run that somebody named on a command line.
#pragma once

#include "common/result.h"
#include "reports/model/run_result.h"

#include <cstddef>
#include <string>

namespace ktrial::reports {

struct CaseChoice {
  std::string id;       // the whole id
  std::string client;   // NAME or NAME@VERSION; empty: any
  std::string variant;  // "axis=value ...", as reports write it; empty: any
};

// The case's index. Of repetitions of one case it is the first; if more than one client or variant
// fits, the Error names them.
Result<std::size_t> choose_case(const RunResult& run, const CaseChoice& choice);

// A point in a case's time: seconds from its first packet ("1.5"), or the name of a mark.
Result<double> point_in_time(const CaseResult& one, const std::string& text);

}  // namespace ktrial::reports
