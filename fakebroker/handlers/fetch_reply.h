// SPDX-License-Identifier: Apache-2.0
// RecordsReply: the response of Fetch or ShareFetch, whose records stay in the log until the socket
// writes them. In the response each records field is a stand-in that has the length of all its
// runs; encoding puts the runs in its place.
#pragma once

#include "fakebroker/reply.h"
#include "protocol/messages/fetch_response.h"
#include "protocol/messages/share_fetch_response.h"

#include <utility>
#include <vector>

namespace ktrial::fakebroker {

// Adopts runs of so many bytes as the records of the partition.
template <class PartitionData>
void set_records(PartitionData& partition, std::size_t bytes) {
  // Never read: only its length is written.
  static constexpr std::uint8_t kStandIn = 0;
  partition.records = bytes == 0 ? Slice() : Slice::unowned({&kStandIn, bytes});
}

template <class Response>
class RecordsReply final : public ReplyMessage {
 public:
  // `runs` holds the records of each partition that has any, in the response's order.
  RecordsReply(Response response, std::vector<std::vector<Slice>> runs)
      : response_(std::move(response)), runs_(std::move(runs)) {}

  void encode(std::int16_t version, protocol::Writer& writer,
              std::vector<protocol::Splice>& splices) const override;
  void set_errors(std::int16_t code, std::int16_t version) override {
    set_error_codes(response_, code, version);
  }
  int set_errors(const PlacedError& of, std::int16_t version) override {
    return PartSearch(of, version).set_errors(response_, of.error, of.given);
  }
  // A list that is cleared takes its records along.
  std::string rewrite(const Rewrite& changes, std::int16_t version) override {
    std::string fault = rewrite_members(response_, changes, version);
    if (response_.responses.empty() || changes.fields.contains("responses")) runs_.clear();
    return fault;
  }
  void set_throttle(std::int32_t ms, std::int16_t) override { response_.throttle_time_ms = ms; }

 private:
  Response response_;
  std::vector<std::vector<Slice>> runs_;
};

using FetchReply = RecordsReply<protocol::FetchResponse>;
using ShareFetchReply = RecordsReply<protocol::ShareFetchResponse>;

}  // namespace ktrial::fakebroker
