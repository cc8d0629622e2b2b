// SPDX-License-Identifier: Apache-2.0
// Requests that nobody wrote: for each API and version an empty one, one with every field filled,
// one with nulls, one byte short, some bytes long; versions that are not offered.
#pragma once

#include "fakebroker/differential/engine.h"

#include <vector>

namespace ktrial::fakebroker::differential {

std::vector<Conversation> generated_conversations(const std::vector<ServedApi>& apis);

}  // namespace ktrial::fakebroker::differential
