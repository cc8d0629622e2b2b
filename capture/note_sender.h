// SPDX-License-Identifier: Apache-2.0
// Sends notes (note.h) over the captured interface. A bound sink socket takes the datagrams, so
// that the kernel answers none with an ICMP message; nobody reads it.
#pragma once

#include "capture/note.h"
#include "common/result.h"

#include <boost/json.hpp>

#include <atomic>
#include <cstdint>
#include <string>

namespace ktrial::capture {

struct NoteSenderOptions {
  std::string address = "127.0.0.1";
  std::uint16_t port = kNotePort;
  std::size_t datagram_limit = 16000;  // longer notes are split
};

class NoteSender {
 public:
  static Result<NoteSender> open(const NoteSenderOptions& options = {});
  NoteSender(NoteSender&& other) noexcept;
  NoteSender& operator=(NoteSender&& other) noexcept;
  NoteSender(const NoteSender&) = delete;
  NoteSender& operator=(const NoteSender&) = delete;
  ~NoteSender();

  // When this returns the datagrams have passed the interface. From any thread.
  Result<void> send(const boost::json::object& note);
  // False where the port needs rights that are missing: notes still pass, ICMP may follow them.
  [[nodiscard]] bool has_sink() const { return sink_ >= 0; }

 private:
  NoteSender() = default;

  int socket_ = -1;
  int sink_ = -1;
  std::uint32_t address_ = 0;  // network order
  std::uint16_t port_ = kNotePort;
  std::size_t limit_ = 0;
  std::atomic<std::uint64_t> number_{0};
};

}  // namespace ktrial::capture
