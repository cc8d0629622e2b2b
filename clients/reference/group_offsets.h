// SPDX-License-Identifier: Apache-2.0
// GroupOffsets: what the group has committed, read and written at its coordinator.
#pragma once

#include "clients/reference/coordinator.h"
#include "protocol/messages/offset_commit_response.h"
#include "protocol/messages/offset_fetch_response.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ktrial::client {

using Positions = std::map<TopicPartition, std::int64_t>;

// As whom the coordinator knows this client; nobody if it is not in the group.
struct MemberIdentity {
  std::string member_id = {};
  std::int32_t epoch = -1;  // the generation of a classic group
  bool by_epoch = false;    // KIP-848: reading offsets takes the epoch too
};

// As whom a consumer's offsets are committed in a transaction.
struct GroupMember {
  std::string group_id = {};
  std::string member_id = {};
  std::int32_t generation = -1;  // or the member's epoch (KIP-848)
  std::optional<std::string> instance_id = {};
};

class GroupOffsets {
 public:
  using Fetched = std::function<void(const tl::expected<Positions, ClientError>&)>;
  using Committed = std::function<void(std::optional<ClientError>)>;

  GroupOffsets(Env& env, Network& network, Coordinator& coordinator,
               std::function<MemberIdentity()> who);

  // Both try again after what a retry may mend until `until`, at least once; then they fail.
  void fetch(const std::vector<TopicPartition>& partitions, TimePoint until, Fetched done);
  void commit(Positions positions, TimePoint until, Committed done);
  // What is under way fails when it is answered or its time has passed.
  void stop() { stopped_ = true; }

 private:
  struct FetchCall;
  struct CommitCall;
  void try_fetch(const std::shared_ptr<FetchCall>& call);
  void try_commit(const std::shared_ptr<CommitCall>& call);
  // Retries `call` by `attempt` if there is time, else fails it.
  template <class Call, class Attempt>
  void again_or_fail(const std::shared_ptr<Call>& call, const ClientError& error, Attempt attempt);
  template <class Call>
  void watch(const std::shared_ptr<Call>& call);

  Env& env_;
  Network& network_;
  Coordinator& coordinator_;
  std::function<MemberIdentity()> who_;
  bool stopped_ = false;
};

}  // namespace ktrial::client
