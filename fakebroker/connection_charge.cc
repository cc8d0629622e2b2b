// SPDX-License-Identifier: Apache-2.0
// Quotas at the connection: what a Produce request or the answer to a Fetch costs, and how a broker
// tells its client that it is over the limit.
#include "fakebroker/connection.h"
#include "protocol/messages/fetch_request.h"
#include "protocol/messages/produce_request.h"
#include "protocol/messages/share_fetch_request.h"

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

}  // namespace

Millis Connection::charge(Reply& reply) {
  const bool has_message = reply.kind() == Reply::Kind::kMessage;
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
