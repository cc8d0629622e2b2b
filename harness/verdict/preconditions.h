// SPDX-License-Identifier: Apache-2.0
// Preconditions: was the capture complete and the host quiet enough for what a check found to
// mean anything? A bad capture or a stalled host is never the client's fault: inconclusive.
#pragma once

#include "harness/check/log_view.h"
#include "harness/verdict/tolerance.h"
#include "harness/verdict/verdict.h"

#include <optional>
#include <string>
#include <vector>

namespace ktrial::harness {

struct Preconditions {
  std::vector<std::string> passed;  // "capture_drop: 0 of 812 packets"
  // The first that failed: its code and a sentence.
  std::optional<std::string> failed;
  std::string why;
};

Preconditions check_preconditions(const Outcome& outcome, const LogView& view,
                                  const HostRecord& host);

}  // namespace ktrial::harness
