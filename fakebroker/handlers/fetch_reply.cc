// SPDX-License-Identifier: Apache-2.0
#include "fakebroker/handlers/fetch_reply.h"

namespace ktrial::fakebroker {

template <class Response>
void RecordsReply<Response>::encode(std::int16_t version, protocol::Writer& writer,
                                    std::vector<protocol::Splice>& splices) const {
  std::vector<protocol::Splice> stand_ins;
  writer.collect_splices(&stand_ins);
  protocol::encode(response_, version, writer);
  writer.collect_splices(nullptr);
  for (std::size_t i = 0; i < stand_ins.size(); ++i) {
    // Records that a rule gives are no stand-ins.
    if (i >= runs_.size()) {
      splices.push_back(stand_ins[i]);
      continue;
    }
    for (const Slice& run : runs_[i]) splices.push_back({stand_ins[i].at, run});
  }
}

template class RecordsReply<protocol::FetchResponse>;
template class RecordsReply<protocol::ShareFetchResponse>;

}  // namespace ktrial::fakebroker
