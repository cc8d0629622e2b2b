// SPDX-License-Identifier: Apache-2.0
// AlterReplicaLogDirs (34), v1-2: moves replicas of the asked broker between its directories. A
// replica that the broker does not have yet will be made in the directory.
#include "fakebroker/handlers/handlers.h"
#include "fakebroker/handlers/refusals.h"
#include "fakebroker/request_context.h"
#include "protocol/messages/alter_replica_log_dirs_request.h"
#include "protocol/messages/alter_replica_log_dirs_response.h"

#include <algorithm>
#include <map>
#include <utility>

namespace ktrial::fakebroker {
namespace {

using protocol::AlterReplicaLogDirsRequest;
using protocol::AlterReplicaLogDirsResponse;
using protocol::KafkaError;

KafkaError move(RequestContext& ctx, const std::string& name, std::int32_t index,
                const std::string& dir) {
  if (!LogDirs::exists(dir)) return KafkaError::kLogDirNotFound;
  const Partition* const partition = ctx.cluster.topics().find_partition(name, index);
  if (partition == nullptr) return KafkaError::kUnknownTopicOrPartition;
  ctx.cluster.log_dirs().move(ctx.broker, partition->serial, dir);
  const auto& replicas = partition->replicas;
  const bool has_it = std::find(replicas.begin(), replicas.end(), ctx.broker) != replicas.end();
  return has_it ? KafkaError::kNone : KafkaError::kReplicaNotAvailable;
}

// One answer for each partition, in the order of topics; of two directories the last counts.
template <class ErrorOf>
AlterReplicaLogDirsResponse answer(const AlterReplicaLogDirsRequest& request, ErrorOf error_of) {
  std::map<std::pair<std::string, std::int32_t>, std::string> wanted;
  for (const auto& dir : request.dirs) {
    for (const auto& topic : dir.topics) {
      for (const std::int32_t index : topic.partitions) wanted[{topic.name, index}] = dir.path;
    }
  }
  AlterReplicaLogDirsResponse response;
  for (const auto& [at, dir] : wanted) {
    if (response.results.empty() || response.results.back().topic_name != at.first)
      response.results.emplace_back().topic_name = at.first;
    auto& result = response.results.back().partitions.emplace_back();
    result.partition_index = at.second;
    result.error_code = error_of(at.first, at.second, dir);
  }
  return response;
}

}  // namespace

Reply alter_replica_log_dirs(RequestContext& ctx, const AlterReplicaLogDirsRequest& request) {
  return answer(request,
                [&ctx](const std::string& topic, std::int32_t index, const std::string& dir) {
                  return code(move(ctx, topic, index, dir));
                });
}

Reply refuse_alter_replica_log_dirs(RequestContext&, const AlterReplicaLogDirsRequest& request,
                                    std::int16_t error) {
  return answer(request, [error](const auto&, auto, const auto&) { return error; });
}

}  // namespace ktrial::fakebroker
