// SPDX-License-Identifier: Apache-2.0
#include "clients/reference/producer.h"

#include "clients/reference/client_thread.h"
#include "clients/reference/producer_core.h"

#include <future>

namespace ktrial::client {

struct Producer::Impl {
  explicit Impl(Config config) : thread(std::move(config)) {}
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
  producer->impl_->thread.post([](ProducerCore& core) { core.start(); });
  return producer;
}

void Producer::send(OutRecord record, DeliveryCallback callback) {
  impl_->thread.post(
      [record = std::move(record), callback = std::move(callback)](ProducerCore& core) mutable {
        core.send(std::move(record), std::move(callback));
      });
}

bool Producer::flush(Millis timeout) {
  const auto done = std::make_shared<std::promise<void>>();
  impl_->thread.post([done](ProducerCore& core) { core.flush([done] { done->set_value(); }); });
  return done->get_future().wait_for(timeout) == std::future_status::ready;
}

void Producer::close(Millis timeout) {
  const auto done = std::make_shared<std::promise<void>>();
  impl_->thread.post(
      [done, timeout](ProducerCore& core) { core.close(timeout, [done] { done->set_value(); }); });
  done->get_future().wait();
}

}  // namespace ktrial::client
