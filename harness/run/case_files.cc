// SPDX-License-Identifier: Apache-2.0
#include "harness/run/case_files.h"

#include "capture/event_json.h"

#include <array>
#include <fstream>
#include <string_view>

namespace ktrial::harness {

void write_case_file(const std::filesystem::path& folder, const boost::json::object& line,
                     const capture::EventLog& log) {
  std::ofstream out(folder / "case.jsonl", std::ios::binary);
  out << line << '\n' << capture::to_json(log.stats) << '\n';
  for (const auto& connection : log.connections)
    out << capture::to_json(connection, log.stats.first_ns) << '\n';
  for (const auto& event : log.events) out << capture::to_json(event, log.stats.first_ns) << '\n';
}

void write_ledger(const std::filesystem::path& folder,
                  const std::vector<fakebroker::LedgerEntry>& ledger) {
  constexpr std::array<std::string_view, 4> kKinds{"accept", "request", "response", "close"};
  std::ofstream out(folder / "cluster.jsonl", std::ios::binary);
  for (const auto& entry : ledger) {
    const boost::json::object line{{"kind", kKinds[static_cast<std::size_t>(entry.kind)]},
                                   {"ns", entry.at.time_since_epoch().count()},
                                   {"broker", entry.broker},
                                   {"connection", entry.connection},
                                   {"peer", entry.peer},
                                   {"api_key", entry.api_key},
                                   {"version", entry.api_version},
                                   {"correlation_id", entry.correlation_id},
                                   {"bytes", entry.bytes},
                                   {"client_id", entry.client_id},
                                   {"detail", entry.detail}};
    out << line << '\n';
  }
}

}  // namespace ktrial::harness
