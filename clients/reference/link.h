// SPDX-License-Identifier: Apache-2.0
// Link: a TCP connection as the client's state machines see it, and Dialer, who makes them. The
// real ones are in event_loop.cc; tests bring their own.
#pragma once

#include "clients/reference/config.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace ktrial::client {

enum class CloseKind : std::uint8_t {
  kFin,
  kRst,
  kLeak,  // forget the socket and leave it open (mutants only)
};

class LinkListener {
 public:
  virtual ~LinkListener() = default;
  virtual void link_up() = 0;
  virtual void link_data(std::span<const std::uint8_t> bytes) = 0;
  // Refused, unreachable, reset, or closed by the peer. The link is closed when this is called.
  virtual void link_down(const std::string& why) = 0;
};

class Link {
 public:
  virtual ~Link() = default;
  virtual void write(std::vector<std::uint8_t> bytes) = 0;
  // The listener hears nothing more.
  virtual void close(CloseKind kind) = 0;
};

class Dialer {
 public:
  virtual ~Dialer() = default;
  // Never calls the listener before it returns.
  virtual std::unique_ptr<Link> dial(const HostPort& to, LinkListener& listener) = 0;
};

}  // namespace ktrial::client
