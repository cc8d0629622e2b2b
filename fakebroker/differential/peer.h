// SPDX-License-Identifier: Apache-2.0
// Peer: one of the two clusters under comparison, over blocking sockets with names ("a", "b", ...),
// opened when first used and again after the broker closed them. "a@2" is one to broker 2; without
// a number they are to broker 1.
#pragma once

#include "common/slice.h"

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace ktrial::fakebroker::differential {

struct Frame {
  std::int16_t key = 0;
  std::int16_t version = 0;
  std::span<const std::uint8_t> body;
};

struct Received {
  enum class Kind : std::uint8_t { kAnswer, kClosed, kSilence };
  Kind kind = Kind::kSilence;
  Slice body;  // without the response header
};

class Peer {
 public:
  explicit Peer(std::uint16_t port) : ports_{port} {}
  // Of the brokers 1, 2, ...
  explicit Peer(std::vector<std::uint16_t> ports) : ports_(std::move(ports)) {}
  ~Peer();
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;

  void send(const std::string& connection, const Frame& frame);
  // The answer to the last frame sent there.
  Received receive(const std::string& connection, std::chrono::milliseconds patience);
  void close_all();
  [[nodiscard]] int brokers() const { return static_cast<int>(ports_.size()); }

 private:
  struct Connection {
    int socket = -1;
    std::int32_t correlation = 0;
    std::int16_t key = 0;
    std::int16_t version = 0;
  };
  Connection& open(const std::string& name);
  static bool read_exactly(int socket, std::span<std::uint8_t> into, bool& silent);
  void drop(Connection& connection);
  [[nodiscard]] std::uint16_t port_of(const std::string& connection) const;

  std::vector<std::uint16_t> ports_;
  std::map<std::string, Connection> connections_;
};

}  // namespace ktrial::fakebroker::differential
