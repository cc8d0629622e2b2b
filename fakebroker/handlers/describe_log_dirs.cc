// SPDX-License-Identifier: Apache-2.0
// DescribeLogDirs (35), v1-5: what of the asked broker's replicas is in each of its directories.
#include "fakebroker/handlers/authorization.h"
#include "fakebroker/handlers/handlers.h"
#include "fakebroker/request_context.h"
#include "protocol/messages/describe_log_dirs_request.h"
#include "protocol/messages/describe_log_dirs_response.h"

#include <algorithm>

namespace ktrial::fakebroker {
namespace {

using protocol::DescribeLogDirsRequest;
using protocol::DescribeLogDirsResponse;
using protocol::describe_log_dirs_response::DescribeLogDirsResult;

bool is_wanted(const DescribeLogDirsRequest& request, const std::string& topic,
               std::int32_t partition) {
  if (!request.topics) return true;
  return std::any_of(request.topics->begin(), request.topics->end(), [&](const auto& wanted) {
    const auto& indexes = wanted.partitions;
    return wanted.topic == topic &&
           std::find(indexes.begin(), indexes.end(), partition) != indexes.end();
  });
}

bool is_in(const RequestContext& ctx, const Partition& partition, std::string_view dir) {
  const auto& replicas = partition.replicas;
  return std::find(replicas.begin(), replicas.end(), ctx.broker) != replicas.end() &&
         ctx.cluster.log_dirs().of(ctx.broker, partition.serial) == dir;
}

DescribeLogDirsResult describe(RequestContext& ctx, const DescribeLogDirsRequest& request,
                               std::string_view dir) {
  DescribeLogDirsResult result;
  result.log_dir = dir;
  std::int64_t used = 0;
  for (const auto& [name, topic] : ctx.cluster.topics().all()) {
    for (const auto& partition : topic->partitions) {
      if (!is_in(ctx, *partition, dir)) continue;
      used += partition->log.bytes();
      if (!is_wanted(request, name, partition->index)) continue;
      if (result.topics.empty() || result.topics.back().name != name)
        result.topics.emplace_back().name = name;
      auto& described = result.topics.back().partitions.emplace_back();
      described.partition_index = partition->index;
      described.partition_size = partition->log.bytes();
    }
  }
  result.total_bytes = LogDirs::kTotalBytes;
  result.usable_bytes = std::max<std::int64_t>(LogDirs::kTotalBytes - used, 0);
  return result;
}

}  // namespace

Reply describe_log_dirs(RequestContext& ctx, const DescribeLogDirsRequest& request) {
  DescribeLogDirsResponse response;
  if (!may_cluster(ctx, AclOperation::kDescribe)) {
    response.error_code = code(protocol::KafkaError::kClusterAuthorizationFailed);
    return response;
  }
  for (const std::string_view dir : LogDirs::all())
    response.results.push_back(describe(ctx, request, dir));
  return response;
}

}  // namespace ktrial::fakebroker
