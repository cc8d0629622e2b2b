// SPDX-License-Identifier: Apache-2.0
// ControlServer: ControlApi over HTTP, the ledger as it grows over WebSocket (/v1/events), and a
// live page at /. On a thread of its own: a slow reader never holds up the cluster.
#pragma once

#include "common/result.h"
#include "fakebroker/cluster.h"

#include <cstdint>
#include <memory>
#include <string>

namespace ktrial::fakebroker {

struct ControlOptions {
  std::string host = "127.0.0.1";
  std::uint16_t port = 0;  // 0: the kernel chooses
  // Then each request needs "Authorization: Bearer TOKEN", or ?token=TOKEN as browsers can send it.
  std::string token = {};
};

class ControlServer {
 public:
  // kInvalidArgument for an address that others can reach, without a token. The cluster must
  // outlive the server.
  static Result<std::unique_ptr<ControlServer>> start(Cluster& cluster, ControlOptions options);
  ~ControlServer();
  ControlServer(const ControlServer&) = delete;
  ControlServer& operator=(const ControlServer&) = delete;

  [[nodiscard]] std::string url() const;  // "http://127.0.0.1:8080/"

 private:
  class Impl;
  explicit ControlServer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace ktrial::fakebroker
