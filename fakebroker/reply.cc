// SPDX-License-Identifier: Apache-2.0
#include "fakebroker/reply.h"

namespace ktrial::fakebroker {

Responder& Responder::operator=(Responder&& other) noexcept {
  if (this == &other) return *this;
  if (ticket_ != 0) send(Reply::close("request abandoned"));
  sink_ = std::exchange(other.sink_, {});
  ticket_ = std::exchange(other.ticket_, 0);
  return *this;
}

Responder::~Responder() {
  if (ticket_ != 0) send(Reply::close("request abandoned"));
}

void Responder::send(Reply reply) {
  const std::uint64_t ticket = std::exchange(ticket_, 0);
  if (ticket == 0) return;
  if (const auto sink = sink_.lock()) sink->complete(ticket, std::move(reply));
}

}  // namespace ktrial::fakebroker
