// SPDX-License-Identifier: Apache-2.0
// A case's swimlane as an SVG file of its own: title, legend and style inside, light and dark by
// the viewer's setting, for a README, an issue or a talk.
#pragma once

#include "reports/render/swimlane.h"

#include <string>

namespace ktrial::reports {

std::string diagram_svg(const CaseResult& result, const SwimlaneView& view);

}  // namespace ktrial::reports
