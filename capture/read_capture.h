// SPDX-License-Identifier: Apache-2.0
// A finished capture, ours or a foreign one, as an event log.
#pragma once

#include "capture/analyzer.h"
#include "common/result.h"

#include <string>

namespace ktrial::capture {

struct ReadOptions {
  AnalyzerOptions analyzer;
  // A capture whose end is damaged (its writer was killed) counts as far as it goes; the fault is
  // one of the log's problems. Otherwise it is an error.
  bool accept_damaged_end = false;
};

Result<EventLog> analyze_file(const std::string& path, const ReadOptions& options = {});

}  // namespace ktrial::capture
