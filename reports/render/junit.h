// SPDX-License-Identifier: Apache-2.0
// JUnit XML: one <testsuite> per client@version, one <testcase> per case. fail is a <failure>,
// error and inconclusive are <error>, n/a and unsupported are <skipped>.
#pragma once

#include "reports/model/run_result.h"

#include <string>

namespace ktrial::reports {

std::string junit_xml(const RunResult& run);

}  // namespace ktrial::reports
