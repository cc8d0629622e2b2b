// SPDX-License-Identifier: Apache-2.0
// One case's part of the page: verdict sentence, checks with evidence and arithmetic, swimlane,
// request table, how to run and judge it again.
#pragma once

#include "reports/model/run_result.h"

#include <string>

namespace ktrial::reports {

std::string case_html(const RunResult& run, std::size_t index);

}  // namespace ktrial::reports
