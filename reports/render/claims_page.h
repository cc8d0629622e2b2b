// SPDX-License-Identifier: Apache-2.0
// The claims page: a row for each claim of the founding article, a column for each client, each
// verdict a link to a case that decided it.
#pragma once

#include "reports/model/run_result.h"

#include <string>

namespace ktrial::reports {

// "" if the run decides no claims.
std::string claims_html(const RunResult& run);

}  // namespace ktrial::reports
