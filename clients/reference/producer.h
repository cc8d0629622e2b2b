// SPDX-License-Identifier: Apache-2.0
// Producer: sends records; every member may be called from any thread.
#pragma once

#include "clients/reference/config.h"
#include "clients/reference/outcome.h"

#include <map>
#include <memory>
#include <string>

namespace ktrial::client {

class Producer {
 public:
  // Connects in the background, as the policy and mutants say.
  static Result<std::unique_ptr<Producer>> create(const std::map<std::string, std::string>& config);
  ~Producer();
  Producer(const Producer&) = delete;
  Producer& operator=(const Producer&) = delete;

  void send(OutRecord record, DeliveryCallback callback);
  // False if records are still under way after `timeout`.
  bool flush(Millis timeout);
  // Delivers what was accepted, for at most `timeout`; when it returns the sockets are closed.
  void close(Millis timeout);

 private:
  struct Impl;
  explicit Producer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace ktrial::client
