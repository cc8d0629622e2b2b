// SPDX-License-Identifier: Apache-2.0
#include "capture/roles.h"

#include <algorithm>
#include <array>

namespace ktrial::capture {

namespace {

constexpr std::array<std::string_view, 4> kLeaderApis{"Produce", "Fetch", "ListOffsets",
                                                      "OffsetForLeaderEpoch"};
constexpr std::array<std::string_view, 10> kCoordinatorApis{"JoinGroup",
                                                            "SyncGroup",
                                                            "Heartbeat",
                                                            "LeaveGroup",
                                                            "OffsetCommit",
                                                            "OffsetFetch",
                                                            "ConsumerGroupHeartbeat",
                                                            "ConsumerGroupDescribe",
                                                            "ShareGroupHeartbeat",
                                                            "DescribeGroups"};
constexpr std::array<std::string_view, 4> kTransactionApis{"AddPartitionsToTxn", "AddOffsetsToTxn",
                                                           "EndTxn", "TxnOffsetCommit"};

template <std::size_t N>
bool in(const std::array<std::string_view, N>& list, std::string_view api) {
  return std::find(list.begin(), list.end(), api) != list.end();
}

void add_once(std::vector<std::string>& list, std::string_view item) {
  if (std::find(list.begin(), list.end(), item) == list.end()) list.emplace_back(item);
}

}  // namespace

void Roles::attempt(Connection& connection, bool at_bootstrap_address) {
  if (!at_bootstrap_address) return;
  if (answered_ns_.empty()) {
    add_once(connection.roles, "bootstrap");
  } else {
    undecided_.insert(connection.id);
  }
}

void Roles::request(Connection& connection, std::string_view api, std::string_view client_id) {
  const std::string id(client_id);
  add_once(connection.client_ids, id);
  if (undecided_.erase(connection.id) > 0) {
    const auto answered = answered_ns_.find(id);
    if (answered == answered_ns_.end() ||
        (connection.attempt_ns && answered->second > *connection.attempt_ns))
      add_once(connection.roles, "bootstrap");
  }
  if (api.empty() || connection.used_api(api)) return;
  connection.apis.emplace_back(api);
  if (in(kLeaderApis, api)) add_once(connection.roles, "leader");
  if (in(kCoordinatorApis, api)) add_once(connection.roles, "coordinator");
  if (in(kTransactionApis, api)) add_once(connection.roles, "transaction");
}

void Roles::metadata_answered(std::string_view client_id, std::int64_t at_ns) {
  answered_ns_.try_emplace(std::string(client_id), at_ns);
}

void Roles::client_created(std::string_view client_id) {
  answered_ns_.erase(std::string(client_id));
}

}  // namespace ktrial::capture
