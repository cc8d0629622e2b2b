// SPDX-License-Identifier: Apache-2.0
// What a case leaves in its folder besides the capture.
#pragma once

#include "capture/event_log.h"
#include "fakebroker/ledger.h"

#include <boost/json.hpp>

#include <filesystem>
#include <vector>

namespace ktrial::harness {

// case.jsonl: the case's line, capture statistics, connections, events.
void write_case_file(const std::filesystem::path& folder, const boost::json::object& line,
                     const capture::EventLog& log);
// cluster.jsonl: the fake cluster's own account.
void write_ledger(const std::filesystem::path& folder,
                  const std::vector<fakebroker::LedgerEntry>& ledger);

}  // namespace ktrial::harness
