// SPDX-License-Identifier: Apache-2.0
// Text made safe for HTML, SVG and XML.
#pragma once

#include <string>
#include <string_view>

namespace ktrial::reports {

// Escapes & < > " ' and drops what XML 1.0 cannot hold: control characters and broken UTF-8
// become U+FFFD. Client names, topic names and log lines are untrusted.
std::string escape(std::string_view text);

// An element id from any text: letters, digits, '-' and '_'; other bytes become their hex.
std::string anchor(std::string_view text);

}  // namespace ktrial::reports
