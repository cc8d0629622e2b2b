// SPDX-License-Identifier: Apache-2.0
// Two witnesses: what the fake cluster says it was asked must be what the capture saw. A
// difference is a fault of ktrial, never of the client.
#pragma once

#include "capture/event_log.h"
#include "fakebroker/ledger.h"

#include <optional>
#include <string>
#include <vector>

namespace ktrial::harness {

// The first difference in words, or nothing. A request that the broker had not read whole when its
// connection ended may be in the capture only.
std::optional<std::string> ledger_mismatch(const std::vector<fakebroker::LedgerEntry>& ledger,
                                           const capture::EventLog& log);

}  // namespace ktrial::harness
