// SPDX-License-Identifier: Apache-2.0
// Reads a run's folder (run.jsonl and each case's case.jsonl) into a RunResult.
#pragma once

#include "common/result.h"
#include "reports/model/run_result.h"

#include <filesystem>

namespace ktrial::reports {

// A run that was cut short is read as far as it goes, with complete = false. A line that is no
// JSON object, or of another format version, is an Error naming file and line.
Result<RunResult> read_run(const std::filesystem::path& dir);

}  // namespace ktrial::reports
