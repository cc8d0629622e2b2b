// SPDX-License-Identifier: Apache-2.0
// The swimlane: one SVG lane per connection, driver calls and broker actions above, time to the
// right. Static, styled by the page's CSS variables so that it follows the theme and prints.
#pragma once

#include "reports/model/run_result.h"

#include <string>

namespace ktrial::reports {

// Empty if the case has no connection, call or mark to show. Packets that a failing check cites
// are ringed.
std::string swimlane_svg(const CaseResult& result);

}  // namespace ktrial::reports
