// SPDX-License-Identifier: Apache-2.0
#include "clients/reference/producer.h"

#include "clients/reference/client_thread.h"
#include "clients/reference/producer_core.h"

#include <algorithm>
#include <future>

namespace ktrial::client {

struct Producer::Impl {
  explicit Impl(Config config) : thread(std::move(config)) {}

  // What was sent before comes first, whichever thread was to announce it.
  template <class Fn>
  void post(Fn fn) {
    thread.post([fn = std::move(fn)](ProducerCore& core) mutable {
      core.take_inbox();
      fn(core);
    });
  }

  ClientThread<ProducerCore> thread;
};

Producer::Producer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Producer::~Producer() = default;

Result<std::unique_ptr<Producer>> Producer::create(
    const std::map<std::string, std::string>& config) {
  auto parsed = parse_config(Role::kProducer, config);
  KTRIAL_TRY(parsed);
  // The mutant must have something queued to drop.
  if (parsed->mutated(Mutant::kDropQueuedOnClose)) {
    parsed->linger = std::max(parsed->linger, Millis(1'000));
  }
  std::unique_ptr<Producer> producer(new Producer(std::make_unique<Impl>(std::move(*parsed))));
  producer->impl_->post([](ProducerCore& core) { core.start(); });
  producer->impl_->thread.start();
  return producer;
}

void Producer::send(OutRecord record, DeliveryCallback callback) {
  const Config& config = impl_->thread.config();
  RecordInbox::Entry entry{std::move(record), std::move(callback)};
  entry.size = record_size(entry.record);
  const auto refuse = [&](ClientError error) { entry.callback(tl::unexpected(std::move(error))); };
  if (entry.size > std::min(config.max_request_size, config.buffer_memory))
    return refuse({"MESSAGE_TOO_LARGE", false, "exceeds max.request.size or buffer.memory"});
  const Millis patience = impl_->thread.on_its_thread() ? Millis(0) : config.max_block;
  switch (impl_->thread.core().inbox().put(entry, patience)) {
    case RecordInbox::Put::kFirst:
      return impl_->post([](ProducerCore&) {});
    case RecordInbox::Put::kJoined:
      return;
    case RecordInbox::Put::kNoRoom:
      return refuse({"TIMED_OUT", true, "no room in buffer.memory within max.block.ms"});
    case RecordInbox::Put::kClosed:
      return refuse({"CLOSED", false, "the producer is closed"});
  }
}

bool Producer::flush(Millis timeout) {
  const auto done = std::make_shared<std::promise<void>>();
  impl_->post([done](ProducerCore& core) { core.flush([done] { done->set_value(); }); });
  return done->get_future().wait_for(timeout) == std::future_status::ready;
}

void Producer::close(Millis timeout) {
  const auto done = std::make_shared<std::promise<void>>();
  impl_->post(
      [done, timeout](ProducerCore& core) { core.close(timeout, [done] { done->set_value(); }); });
  done->get_future().wait();
}

std::optional<ClientError> Producer::wait_for(std::function<void(ProducerCore&, Done)> start) {
  const auto result = std::make_shared<std::promise<std::optional<ClientError>>>();
  impl_->post([result, start = std::move(start)](ProducerCore& core) {
    start(core,
          [result](std::optional<ClientError> error) { result->set_value(std::move(error)); });
  });
  auto future = result->get_future();
  if (future.wait_for(impl_->thread.config().max_block) != std::future_status::ready)
    return ClientError{"TIMED_OUT", true, "not answered within max.block.ms"};
  return future.get();
}

std::optional<ClientError> Producer::init_transactions() {
  return wait_for([](ProducerCore& core, const Done& done) { core.init_transactions(done); });
}

std::optional<ClientError> Producer::begin_transaction() {
  return wait_for([](ProducerCore& core, const Done& done) { core.begin_transaction(done); });
}

std::optional<ClientError> Producer::send_offsets(const Positions& offsets,
                                                  const GroupMember& member) {
  return wait_for([offsets, member](ProducerCore& core, const Done& done) {
    core.send_offsets(offsets, member, done);
  });
}

std::optional<ClientError> Producer::commit_transaction() {
  return wait_for([](ProducerCore& core, const Done& done) {
    core.end_transaction(Transactions::Ending::kCommit, done);
  });
}

std::optional<ClientError> Producer::abort_transaction() {
  return wait_for([](ProducerCore& core, const Done& done) {
    core.end_transaction(Transactions::Ending::kAbort, done);
  });
}

}  // namespace ktrial::client
