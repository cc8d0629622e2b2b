// SPDX-License-Identifier: Apache-2.0
#include "harness/run/ledger_check.h"

#include <fmt/format.h>

#include <map>
#include <tuple>

namespace ktrial::harness {
namespace {

// Who sent what: peer address, API key, version, correlation id.
using Key = std::tuple<std::string, std::int64_t, std::int64_t, std::int64_t>;

std::int64_t integer(const boost::json::object& data, const char* member) {
  const auto* value = data.if_contains(member);
  return value != nullptr && value->is_int64() ? value->get_int64() : -1;
}

std::string describe(const Key& key) {
  return fmt::format("API {} v{} correlation {} from {}", std::get<1>(key), std::get<2>(key),
                     std::get<3>(key), std::get<0>(key));
}

}  // namespace

std::optional<std::string> ledger_mismatch(const std::vector<fakebroker::LedgerEntry>& ledger,
                                           const capture::EventLog& log) {
  std::map<Key, int> captured;   // minus those of the ledger
  std::map<Key, bool> answered;  // a captured request that got a response was read whole
  for (const auto& event : log.events) {
    if ((event.type != "req" && event.type != "resp") || event.conn < 0) continue;
    const auto& connection = log.connections[static_cast<std::size_t>(event.conn)];
    const Key key{connection.client, integer(event.data, "key"), integer(event.data, "version"),
                  integer(event.data, "correlation_id")};
    if (event.type == "req") ++captured[key];
    if (event.type == "resp") answered[key] = true;
  }
  for (const auto& entry : ledger) {
    if (entry.kind != fakebroker::LedgerEntry::Kind::kRequest) continue;
    const Key key{entry.peer, entry.api_key, entry.api_version, entry.correlation_id};
    if (--captured[key] < 0)
      return "ledger and capture disagree: the cluster was asked " + describe(key) +
             ", the capture did not see it";
  }
  for (const auto& [key, left] : captured) {
    if (left > 0 && answered.contains(key))
      return "ledger and capture disagree: the capture saw " + describe(key) +
             ", the cluster has no account of it";
  }
  return std::nullopt;
}

}  // namespace ktrial::harness
