// SPDX-License-Identifier: Apache-2.0
// WaitCondition: what a `wait` step waits for, on the log that is still growing. The same
// selectors as in checks, so that what was waited for and what is judged cannot differ.
#pragma once

#include "harness/check/selector.h"

#include <memory>
#include <string>

namespace ktrial::capture {
struct EventLog;
}

namespace ktrial::harness {

class Reader;
struct Node;

struct WaitCondition {
  std::shared_ptr<const Selector> of;
  std::size_t count = 1;     // so many of them
  bool each_broker = false;  // so many for each of the selector's brokers

  [[nodiscard]] std::string text() const;  // "2 of resp Fetch for each of brokers 1|2"
};

// `node` is the wait's map without deadline and optional.
std::shared_ptr<const WaitCondition> read_wait(Reader& reader, const Node& node);

bool satisfied(const WaitCondition& condition, const capture::EventLog& log);

}  // namespace ktrial::harness
