// SPDX-License-Identifier: Apache-2.0
// Quotas at the connection: what a Produce request or the answer to a Fetch costs, and how a broker
// tells its client that it is over the limit.
#include "fakebroker/connection.h"
#include "protocol/messages/create_partitions_request.h"
#include "protocol/messages/create_topics_request.h"
#include "protocol/messages/delete_topics_request.h"
#include "protocol/messages/fetch_request.h"
#include "protocol/messages/produce_request.h"
#include "protocol/messages/share_fetch_request.h"
#include "protocol/record_batch_layout.h"

namespace ktrial::fakebroker {
namespace {

constexpr std::size_t kLengthField = 4;

// Of the answer without its header.
std::size_t size_of(const Reply& reply, std::int16_t version) {
  protocol::Writer writer;
  std::vector<protocol::Splice> splices;
  reply.message().encode(version, writer, splices);
  std::size_t size = kLengthField + writer.size();
  for (const protocol::Splice& splice : splices) size += splice.bytes.size();
  return size;
}

// Those that controller_mutation_rate is for. Their handlers know what a request costs; how long
// the client is to keep still is the first field of the answer.
bool mutates_topics(std::int16_t api_key) {
  return api_key == protocol::CreateTopicsRequest::kApiKey ||
         api_key == protocol::CreatePartitionsRequest::kApiKey ||
         api_key == protocol::DeleteTopicsRequest::kApiKey;
}

Millis throttle_told(const Reply& reply, std::int16_t version) {
  protocol::Writer writer;
  std::vector<protocol::Splice> splices;
  reply.message().encode(version, writer, splices);
  return Millis(protocol::load_be<std::int32_t>(writer.span().data()));
}

}  // namespace

Millis Connection::charge(Reply& reply) {
  const bool has_message = reply.kind() == Reply::Kind::kMessage;
  if (has_message && mutates_topics(header_.api_key))
    return throttle_told(reply, header_.api_version);
  const bool produces = header_.api_key == protocol::ProduceRequest::kApiKey;
  const bool fetches = header_.api_key == protocol::FetchRequest::kApiKey ||
                       header_.api_key == protocol::ShareFetchRequest::kApiKey;
  if (!produces && !(fetches && has_message)) return Millis(0);
  Throttler& throttler = services_.throttler;
  const std::string_view quota = produces ? Throttler::kProducer : Throttler::kConsumer;
  const QuotaHolder who{identity_.broker,
                        user_of(security_ ? std::string_view(security_->principal()) : kAnonymous),
                        header_.client_id ? std::string_view(*header_.client_id) : ""};
  if (!throttler.limits(quota, who)) return Millis(0);
  const auto bytes =
      static_cast<double>(produces ? request_bytes_ : size_of(reply, header_.api_version));
  const TimePoint now = services_.state.clock().now();
  const Millis throttled = throttler.charge(quota, who, bytes, now);
  if (throttled == Millis(0) || !has_message) return throttled;
  if (fetches) {
    // Nothing is sent, so nothing is counted: the client asks for the same again.
    throttler.refund(quota, who, bytes, now);
    reply.message().rewrite({.set = {}, .clear = {"responses"}}, header_.api_version);
  }
  reply.message().set_throttle(static_cast<std::int32_t>(throttled.count()), header_.api_version);
  return throttled;
}

}  // namespace ktrial::fakebroker
