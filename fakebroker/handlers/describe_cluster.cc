// SPDX-License-Identifier: Apache-2.0
// DescribeCluster (60), v0-2.
#include "fakebroker/handlers/authorization.h"
#include "fakebroker/handlers/handlers.h"
#include "fakebroker/request_context.h"
#include "protocol/messages/describe_cluster_request.h"
#include "protocol/messages/describe_cluster_response.h"

namespace ktrial::fakebroker {

using protocol::DescribeClusterRequest;
using protocol::DescribeClusterResponse;
using protocol::KafkaError;

Reply describe_cluster(RequestContext& ctx, const DescribeClusterRequest& request) {
  constexpr std::int8_t kBrokers = 1;
  constexpr std::int8_t kControllers = 2;
  DescribeClusterResponse response;
  response.endpoint_type = kBrokers;
  if (request.endpoint_type != kBrokers) {
    const bool known = request.endpoint_type == kControllers;
    response.error_code =
        code(known ? KafkaError::kMismatchedEndpointType : KafkaError::kUnsupportedEndpointType);
    response.error_message =
        known ? "The request was sent to an endpoint of type BROKER"
              : "Unsupported endpoint type " + std::to_string(int{request.endpoint_type});
    return response;
  }
  response.cluster_id = ctx.cluster.spec().cluster_id;
  response.controller_id = ctx.cluster.controller();
  if (request.include_cluster_authorized_operations)
    response.cluster_authorized_operations = cluster_operations(ctx);
  for (const Node& node : ctx.cluster.nodes()) {
    if (!node.listed) continue;
    auto& broker = response.brokers.emplace_back();
    broker.broker_id = node.id;
    Endpoint endpoint = ctx.endpoint_of(node);
    broker.host = std::move(endpoint.host);
    broker.port = endpoint.port;
    broker.rack = node.rack;
    broker.is_fenced = request.include_fenced_brokers && !node.up;
  }
  return response;
}

}  // namespace ktrial::fakebroker
