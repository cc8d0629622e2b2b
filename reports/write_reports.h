// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "common/result.h"

#include <filesystem>

namespace ktrial::reports {

struct ReportPaths {
  std::filesystem::path html;
  std::filesystem::path junit;
};

// Reads the run in `dir` and writes report.html and junit.xml beside it.
Result<ReportPaths> write_reports(const std::filesystem::path& dir);

}  // namespace ktrial::reports
