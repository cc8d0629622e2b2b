// SPDX-License-Identifier: Apache-2.0
// SendQueue: replies on their way to a socket: bytes of our own with slices of logs between them,
// written by gathering. Replies queued while the socket is full go out together.
#pragma once

#include "protocol/writer.h"

#include <cstdint>
#include <vector>

namespace ktrial::fakebroker {

class TlsSession;

class SendQueue {
 public:
  // Append a frame here; what is set aside belongs in splices().
  [[nodiscard]] protocol::Writer& writer() { return next_.writer; }
  [[nodiscard]] std::vector<protocol::Splice>& splices() { return next_.splices; }

  enum class Status : std::uint8_t { kDone, kBlocked, kBroken };
  // Writes as much as the socket takes now, without waiting; through `tls` if there is one.
  Status flush(int socket, TlsSession* tls = nullptr);
  [[nodiscard]] std::size_t queued_bytes() const;

 private:
  struct Batch {
    protocol::Writer writer;
    std::vector<protocol::Splice> splices;
    [[nodiscard]] std::size_t size() const;
  };
  Status send(int socket, TlsSession* tls);
  void release();

  Batch next_;
  Batch sending_;
  std::size_t sending_size_ = 0;
  std::size_t sent_ = 0;  // of sending_
};

}  // namespace ktrial::fakebroker
