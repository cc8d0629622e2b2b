// SPDX-License-Identifier: Apache-2.0
// The matrix: rows are scenarios, columns client@version, a cell the worst verdict of its cases.
#pragma once

#include "reports/model/run_result.h"

#include <string>
#include <string_view>

namespace ktrial::reports {

std::string matrix_html(const RunResult& run);

// The verdict as icon, letter and word, never colour alone.
std::string verdict_chip(Verdict verdict, std::string_view text);

// The element id of a case's section; unique in a run.
std::string case_anchor(const RunResult& run, std::size_t index);

}  // namespace ktrial::reports
