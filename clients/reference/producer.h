// SPDX-License-Identifier: Apache-2.0
// Producer: sends records; every member may be called from any thread.
#pragma once

#include "clients/reference/config.h"
#include "clients/reference/outcome.h"
#include "clients/reference/transactions.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace ktrial::client {

class ProducerCore;

class Producer {
 public:
  // Connects in the background, as the policy and mutants say.
  static Result<std::unique_ptr<Producer>> create(const std::map<std::string, std::string>& config);
  ~Producer();
  Producer(const Producer&) = delete;
  Producer& operator=(const Producer&) = delete;

  // Waits for room in buffer.memory for at most max.block.ms, but not in a callback. The callback
  // runs once: on the I/O thread, or here if the record is not accepted.
  void send(OutRecord record, DeliveryCallback callback);
  // False if records are still under way after `timeout`.
  bool flush(Millis timeout);
  // Delivers what was accepted, for at most `timeout`; when it returns the sockets are closed. A
  // transaction that is open is aborted.
  void close(Millis timeout);

  // Transactions, if transactional.id is set: nothing if it went well. One call at a time; those
  // that wait for a broker do so for at most max.block.ms, and may be repeated then. After an error
  // abort_transaction() helps, unless it fails too: then only a new producer does.
  std::optional<ClientError> init_transactions();
  std::optional<ClientError> begin_transaction();
  std::optional<ClientError> send_offsets(const Positions& offsets, const GroupMember& member);
  std::optional<ClientError> commit_transaction();
  std::optional<ClientError> abort_transaction();

 private:
  using Done = std::function<void(std::optional<ClientError>)>;
  struct Impl;
  explicit Producer(std::unique_ptr<Impl> impl);
  // `start(core, done)` on the I/O thread.
  std::optional<ClientError> wait_for(std::function<void(ProducerCore&, Done)> start);
  std::unique_ptr<Impl> impl_;
};

}  // namespace ktrial::client
