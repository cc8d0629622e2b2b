// SPDX-License-Identifier: Apache-2.0
// The swimlane: one SVG lane per connection, driver calls and broker actions above, time to the
// right. Static, styled by templates/swimlane.css so that it follows the theme and prints.
#pragma once

#include "reports/model/run_result.h"

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace ktrial::reports {

// What of a case is drawn: connections that live within the range, and what happens in it.
struct SwimlaneView {
  double from = 0;                             // seconds from the first packet
  std::optional<double> until = std::nullopt;  // none: to the end
  std::size_t max_lanes = 24;                  // the others are only counted
  double width = 1080;
};

// A swimlane without its <svg> element.
struct SwimlaneDrawing {
  std::string body;
  double height = 0;
  std::string label;                 // for readers who do not see it
  std::set<std::string_view> drawn;  // of "meta", "setup", "prod", "fetch", "group", "stall"
};

SwimlaneDrawing draw_swimlane(const CaseResult& result, const SwimlaneView& view);

// The case's whole swimlane. Empty if the case has no connection or call to show. Packets that a
// failing check cites are ringed.
std::string swimlane_svg(const CaseResult& result);

}  // namespace ktrial::reports
