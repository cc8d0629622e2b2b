// SPDX-License-Identifier: Apache-2.0
#include "clients/reference/consumer.h"

#include "clients/reference/application_tasks.h"
#include "clients/reference/client_thread.h"

#include <future>

namespace ktrial::client {

struct Consumer::Impl {
  explicit Impl(Config config) : thread(std::move(config)) {}

  // `start(core, done)` on the I/O thread; waits for done(value).
  template <class T, class Start>
  T wait_for(Start start) {
    const auto promise = std::make_shared<std::promise<T>>();
    thread.post([promise, start = std::move(start)](ConsumerCore& core) mutable {
      start(core, [promise](T value) { promise->set_value(std::move(value)); });
    });
    return promise->get_future().get();
  }

  // The same, running callbacks meanwhile.
  template <class T, class Start>
  T wait_running_callbacks(Start start) {
    std::atomic<bool> finished = false;
    T result{};
    thread.post([this, &finished, &result, start = std::move(start)](ConsumerCore& core) mutable {
      start(core, [this, &finished, &result](T value) {
        tasks.add([&finished, &result, value = std::move(value)]() mutable {
          result = std::move(value);
          finished = true;
        });
      });
    });
    tasks.run_until(finished);
    return result;
  }

  [[nodiscard]] Millis patience() const { return thread.config().api_timeout; }

  ApplicationTasks tasks;
  ClientThread<ConsumerCore> thread;
};

Consumer::Consumer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Consumer::~Consumer() = default;

Result<std::unique_ptr<Consumer>> Consumer::create(const std::map<std::string, std::string>& config,
                                                   RebalanceCallback rebalanced) {
  auto parsed = parse_config(Role::kConsumer, config);
  KTRIAL_TRY(parsed);
  std::unique_ptr<Consumer> consumer(new Consumer(std::make_unique<Impl>(std::move(*parsed))));
  Impl* impl = consumer->impl_.get();
  // The application's thread calls back, then the I/O thread goes on.
  auto listener = [impl, rebalanced = std::move(rebalanced)](
                      RebalanceKind kind, const std::vector<TopicPartition>& partitions,
                      std::function<void()> done) {
    impl->tasks.add([impl, rebalanced, kind, partitions, done = std::move(done)] {
      if (rebalanced) rebalanced(kind, partitions);
      impl->thread.post([done](ConsumerCore&) { done(); });
    });
  };
  impl->thread.post([listener = std::move(listener)](ConsumerCore& core) mutable {
    core.start(std::move(listener));
  });
  impl->thread.start();
  return consumer;
}

void Consumer::subscribe(const std::set<std::string>& topics) {
  impl_->thread.post([topics](ConsumerCore& core) { core.subscribe(topics); });
}

void Consumer::assign(const std::map<TopicPartition, std::optional<std::int64_t>>& partitions) {
  impl_->thread.post([partitions](ConsumerCore& core) { core.assign(partitions); });
}

Consumer::Partitions Consumer::assignment() {
  return impl_->wait_for<Partitions>(
      [](ConsumerCore& core, const auto& done) { done(core.assignment()); });
}

GroupMember Consumer::group_member() {
  return impl_->wait_for<GroupMember>(
      [](ConsumerCore& core, const auto& done) { done(core.group_member()); });
}

Polled Consumer::poll(Millis timeout) {
  return impl_->wait_running_callbacks<Polled>(
      [timeout](ConsumerCore& core, auto done) { core.poll(timeout, std::move(done)); });
}

void Consumer::seek(const TopicPartition& at, std::int64_t offset) {
  impl_->thread.post([at, offset](ConsumerCore& core) { core.seek(at, offset); });
}

void Consumer::seek_to_beginning(const Partitions& partitions) {
  impl_->thread.post(
      [partitions](ConsumerCore& core) { core.seek_to(partitions, kEarliestTimestamp); });
}

void Consumer::seek_to_end(const Partitions& partitions) {
  impl_->thread.post(
      [partitions](ConsumerCore& core) { core.seek_to(partitions, kLatestTimestamp); });
}

void Consumer::pause(const Partitions& partitions) {
  impl_->thread.post([partitions](ConsumerCore& core) { core.set_paused(partitions, true); });
}

void Consumer::resume(const Partitions& partitions) {
  impl_->thread.post([partitions](ConsumerCore& core) { core.set_paused(partitions, false); });
}

Consumer::Partitions Consumer::paused() {
  return impl_->wait_for<Partitions>(
      [](ConsumerCore& core, const auto& done) { done(core.paused()); });
}

Consumer::Outcome<std::int64_t> Consumer::position(const TopicPartition& at) {
  return impl_->wait_for<Outcome<std::int64_t>>(
      [at, patience = impl_->patience()](ConsumerCore& core, auto done) {
        core.position(at, patience, std::move(done));
      });
}

Consumer::Outcome<Positions> Consumer::committed(const Partitions& partitions) {
  return impl_->wait_for<Outcome<Positions>>(
      [partitions, patience = impl_->patience()](ConsumerCore& core, auto done) {
        core.committed(partitions, patience, std::move(done));
      });
}

Consumer::Outcome<Positions> Consumer::beginning_offsets(const Partitions& partitions) {
  return impl_->wait_for<Outcome<Positions>>(
      [partitions, patience = impl_->patience()](ConsumerCore& core, auto done) {
        core.offsets_at(partitions, kEarliestTimestamp, patience, std::move(done));
      });
}

Consumer::Outcome<Positions> Consumer::end_offsets(const Partitions& partitions) {
  return impl_->wait_for<Outcome<Positions>>(
      [partitions, patience = impl_->patience()](ConsumerCore& core, auto done) {
        core.offsets_at(partitions, kLatestTimestamp, patience, std::move(done));
      });
}

std::optional<ClientError> Consumer::commit() {
  return impl_->wait_for<std::optional<ClientError>>(
      [patience = impl_->patience()](ConsumerCore& core, auto done) {
        core.commit(std::nullopt, patience, std::move(done));
      });
}

std::optional<ClientError> Consumer::commit(const Positions& offsets) {
  return impl_->wait_for<std::optional<ClientError>>(
      [offsets, patience = impl_->patience()](ConsumerCore& core, auto done) {
        core.commit(offsets, patience, std::move(done));
      });
}

namespace {

ConsumerCore::Committed on_application_thread(ApplicationTasks& tasks, CommitCallback done) {
  return [&tasks, done = std::move(done)](const std::optional<ClientError>& error) {
    if (done) tasks.add([done, error] { done(error); });
  };
}

}  // namespace

void Consumer::commit_async(CommitCallback done) {
  auto told = on_application_thread(impl_->tasks, std::move(done));
  impl_->thread.post([told](ConsumerCore& core) { core.commit(std::nullopt, Nanos(0), told); });
}

void Consumer::commit_async(const Positions& offsets, CommitCallback done) {
  auto told = on_application_thread(impl_->tasks, std::move(done));
  impl_->thread.post([offsets, told](ConsumerCore& core) { core.commit(offsets, Nanos(0), told); });
}

void Consumer::close(Millis timeout) {
  impl_->wait_running_callbacks<bool>(
      [timeout](ConsumerCore& core, auto done) { core.close(timeout, [done] { done(true); }); });
}

}  // namespace ktrial::client
