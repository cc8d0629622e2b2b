// SPDX-License-Identifier: Apache-2.0
#include "clients/reference/consumer.h"

#include "clients/reference/client_thread.h"

#include <future>

namespace ktrial::client {

struct Consumer::Impl {
  explicit Impl(Config config) : thread(std::move(config)) {}
  ClientThread<ConsumerCore> thread;
};

Consumer::Consumer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Consumer::~Consumer() = default;

Result<std::unique_ptr<Consumer>> Consumer::create(const std::map<std::string, std::string>& config,
                                                   RebalanceCallback rebalanced) {
  auto parsed = parse_config(Role::kConsumer, config);
  KTRIAL_TRY(parsed);
  std::unique_ptr<Consumer> consumer(new Consumer(std::make_unique<Impl>(std::move(*parsed))));
  consumer->impl_->thread.post([rebalanced = std::move(rebalanced)](ConsumerCore& core) mutable {
    core.start(std::move(rebalanced));
  });
  return consumer;
}

void Consumer::subscribe(const std::set<std::string>& topics) {
  impl_->thread.post([topics](ConsumerCore& core) { core.subscribe(topics); });
}

void Consumer::assign(const std::map<TopicPartition, std::optional<std::int64_t>>& partitions) {
  impl_->thread.post([partitions](ConsumerCore& core) { core.assign(partitions); });
}

void Consumer::seek(const TopicPartition& at, std::int64_t offset) {
  impl_->thread.post([at, offset](ConsumerCore& core) { core.seek(at, offset); });
}

std::vector<InRecord> Consumer::poll(Millis timeout) {
  const auto done = std::make_shared<std::promise<std::vector<InRecord>>>();
  impl_->thread.post([done, timeout](ConsumerCore& core) {
    core.poll(timeout,
              [done](std::vector<InRecord> records) { done->set_value(std::move(records)); });
  });
  return done->get_future().get();
}

std::optional<ClientError> Consumer::commit() {
  const auto done = std::make_shared<std::promise<std::optional<ClientError>>>();
  impl_->thread.post([done](ConsumerCore& core) {
    core.commit([done](std::optional<ClientError> error) { done->set_value(std::move(error)); });
  });
  return done->get_future().get();
}

void Consumer::close(Millis timeout) {
  const auto done = std::make_shared<std::promise<void>>();
  impl_->thread.post(
      [done, timeout](ConsumerCore& core) { core.close(timeout, [done] { done->set_value(); }); });
  done->get_future().wait();
}

}  // namespace ktrial::client
