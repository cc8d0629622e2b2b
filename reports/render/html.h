// SPDX-License-Identifier: Apache-2.0
// The HTML report: one self-contained file, readable without JavaScript, dark and light.
#pragma once

#include "reports/model/run_result.h"

#include <string>

namespace ktrial::reports {

std::string html_report(const RunResult& run);

}  // namespace ktrial::reports
