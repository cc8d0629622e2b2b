// SPDX-License-Identifier: Apache-2.0
// RequestContext: what a handler may touch while it answers one request: who asks, the broker that
// was asked, the cluster's state and its clock. A handler does no I/O and keeps no reference to it.
#pragma once

#include "common/clock.h"
#include "common/slice.h"
#include "fakebroker/reply.h"
#include "fakebroker/rules/part_search.h"
#include "fakebroker/security/principal.h"
#include "fakebroker/state/cluster_state.h"
#include "protocol/errors.h"
#include "protocol/header.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ktrial::fakebroker {

class Authentication;

struct RequestContext {
  const protocol::RequestHeader& header;
  ClusterState& cluster;
  int broker = 0;                // id of the broker that was asked
  std::string_view client_host;  // "127.0.0.1"
  std::uint64_t connection = 0;
  std::weak_ptr<ReplySink> sink;
  std::uint64_t ticket = 0;
  std::size_t listener = 0;                  // that the client came in by
  std::string_view principal = kAnonymous;   // "User:alice"
  Authentication* authentication = nullptr;  // of a SASL listener
  std::optional<TimePoint> as_of = {};       // Metadata shows the cluster as it was then
  // Of a rule, for partitions of a fetch; nullptr: none.
  std::shared_ptr<const std::vector<PlacedError>> part_errors = {};

  [[nodiscard]] std::int16_t version() const { return header.api_version; }
  [[nodiscard]] std::string_view client_id() const {
    return header.client_id ? std::string_view(*header.client_id) : std::string_view();
  }
  // Where this client reaches a broker.
  [[nodiscard]] Endpoint endpoint_of(const Node& node) const { return node.at(listener); }
  [[nodiscard]] TimePoint now() const { return cluster.clock().now(); }
  [[nodiscard]] Groups& groups() const { return cluster.groups(); }

  [[nodiscard]] protocol::KafkaError part_error(std::string_view topic,
                                                std::int32_t partition) const {
    if (!part_errors) return protocol::KafkaError::kNone;
    return static_cast<protocol::KafkaError>(error_of(*part_errors, topic, partition));
  }

  // Then return Reply::deferred(). Once per request.
  [[nodiscard]] Responder defer() const { return Responder(sink, ticket); }
};

}  // namespace ktrial::fakebroker
