// SPDX-License-Identifier: Apache-2.0
// OffsetLookup: ListOffsets, to each partition's leader.
#pragma once

#include "clients/reference/metadata.h"
#include "clients/reference/outcome.h"
#include "protocol/messages/list_offsets_response.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>

namespace ktrial::client {

class OffsetLookup {
 public:
  using Timestamps = std::map<TopicPartition, std::int64_t>;  // -1 the end, -2 the beginning
  using Found = std::map<TopicPartition, tl::expected<std::int64_t, ClientError>>;

  OffsetLookup(Env& env, Network& network, Metadata& metadata)
      : env_(env), network_(network), metadata_(metadata) {}

  // One attempt; every partition is in the answer. Where the leader was wrong or there is none,
  // new metadata has been asked for.
  void find(const Timestamps& wanted, std::function<void(Found)> done);

 private:
  struct Call;
  void ask(int leader, const Timestamps& wanted, const std::shared_ptr<Call>& call);

  Env& env_;
  Network& network_;
  Metadata& metadata_;
};

}  // namespace ktrial::client
