// SPDX-License-Identifier: Apache-2.0
// Any bytes as the requests of one client to a cluster, handled one after the other on a clock that
// moves between them: the brokers' state machines without sockets. Each request: int16 length, then
// the frame; its first byte past the length says how far the clock goes after it.
#include "common/manual_clock.h"
#include "fakebroker/handlers/registry.h"
#include "fakebroker/request_context.h"
#include "fakebroker/rules/rule.h"
#include "protocol/header.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>

namespace ktrial::fakebroker {
namespace {

constexpr std::size_t kLengthField = 2;

class Sink final : public ReplySink {
 public:
  void complete(std::uint64_t, Reply reply) override { encode(reply); }
  void speaks(std::int16_t version) { version_ = version; }
  void encode(const Reply& reply) const {
    if (reply.kind() != Reply::Kind::kMessage) return;
    protocol::Writer writer;
    std::vector<protocol::Splice> splices;
    reply.message().encode(reply.version().value_or(version_), writer, splices);
  }

 private:
  std::int16_t version_ = 0;
};

ClusterSpec spec() {
  ClusterSpec spec;
  spec.brokers = {{.id = 1, .port = 9092}, {.id = 2, .port = 9093}};
  spec.topics = {{.name = "t", .partitions = 2}, {.name = "u", .partitions = 1}};
  spec.auto_create_topics = true;
  spec.telemetry = true;
  spec.partition_bytes = 1 << 20;
  return spec;
}

void handle(ClusterState& state, const std::shared_ptr<Sink>& sink, const Slice& frame,
            std::uint64_t ticket) {
  std::size_t body = 0;
  const auto header = protocol::decode_request_header(frame, body);
  if (!header) return;
  const ApiRow* const row = find_row(header->api_key);
  if (row == nullptr || header->api_version < row->min || header->api_version > row->max) return;
  const auto request = row->decode(frame.part(body), header->api_version);
  if (!request) return;
  sink->speaks(header->api_version);
  RequestContext ctx{*header, state, 1, "127.0.0.1", 1, std::weak_ptr<ReplySink>(sink), ticket};
  static_cast<void>((*request)->names(state, 1, {.topic = "t", .partition = 0, .group = "g"}));
  sink->encode((*request)->refuse(ctx, 7));
  sink->encode((*request)->handle(ctx));
}

}  // namespace
}  // namespace ktrial::fakebroker

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ktrial;              // NOLINT(google-build-using-namespace)
  using namespace ktrial::fakebroker;  // NOLINT(google-build-using-namespace)
  ManualClock clock;
  const auto sink = std::make_shared<Sink>();
  ClusterState state(spec(), clock, clock);
  std::uint64_t ticket = 0;
  for (std::size_t at = 0; at + kLengthField < size;) {
    const std::size_t claimed = static_cast<std::size_t>(data[at]) << 8U | data[at + 1];
    at += kLengthField;
    const std::size_t length = std::min(claimed, size - at);
    handle(state, sink, Slice::copy_of({data + at, length}), ++ticket);
    at += length;
    clock.advance(at < size ? Millis(1U << (data[at] % 16U)) : Millis(1));
  }
  clock.advance(std::chrono::minutes(10));
  return 0;
}
