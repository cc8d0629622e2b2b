// SPDX-License-Identifier: Apache-2.0
// A producer of the reference client behind the driver's commands.
#include "clients/drivers/reference/output.h"
#include "clients/drivers/reference/session.h"
#include "clients/reference/producer.h"

#include <thread>
#include <vector>

namespace ktrial::reference_driver {
namespace {

using client::ClientError;
using client::OutRecord;
using client::Place;
using client::Producer;
using Outcome = tl::expected<Place, ClientError>;

constexpr std::int64_t kLongMs = 300'000;

// What a synchronous send waits for; shared with the I/O thread.
struct Waiter {
  std::mutex mutex;
  std::condition_variable done;
  std::int64_t left = 0;
  std::optional<ClientError> error;
  Place last;
};

class ProducerSession final : public Session {
 public:
  using Session::Session;

 private:
  std::optional<boost::json::object> execute(const Command& command) override {
    const std::string verb = text(command, "cmd");
    if (verb == "create") {
      auto made = Producer::create(config_of(command));
      if (!made) refuse_config(made.error());
      producer_ = std::move(*made);
      return boost::json::object{};
    }
    if (!producer_) throw Failed({"CLOSED", false, "the client is closed"});
    if (verb == "send") return send(command);
    const Millis timeout(number(command, "timeout_ms", kLongMs));
    if (verb == "flush") {
      if (!producer_->flush(timeout))
        throw Failed({"TIMED_OUT", true, "records are still under way"});
    } else if (verb == "begin") {
      if (!initialized_) throw_if(producer_->init_transactions());
      initialized_ = true;
      throw_if(producer_->begin_transaction());
    } else if (verb == "commit_txn") {
      throw_if(producer_->commit_transaction());
    } else if (verb == "abort") {
      throw_if(producer_->abort_transaction());
    } else if (verb == "close") {
      producer_->close(timeout);
      producer_.reset();
    } else {
      throw Unsupported("command " + verb + " for a producer");
    }
    return boost::json::object{};
  }

  static void throw_if(const std::optional<ClientError>& error) {
    if (error) throw Failed(*error);
  }

  static OutRecord record_of(const Command& command) {
    OutRecord record;
    record.topic = text(command, "topic");
    if (command.contains("partition")) {
      record.partition = static_cast<std::int32_t>(number(command, "partition", 0));
    }
    if (command.contains("key")) record.key = text(command, "key");
    record.value = command.contains("size")
                       ? std::string(static_cast<std::size_t>(number(command, "size", 0)), 'x')
                   : command.contains("value") ? text(command, "value")
                                               : std::string();
    if (const auto* headers = command.if_contains("headers")) {
      for (const auto& [key, value] : headers->as_object()) {
        record.headers.emplace_back(key, value.as_string());
      }
    }
    return record;
  }

  std::optional<boost::json::object> send(const Command& command) {
    const OutRecord record = record_of(command);
    const std::int64_t count = number(command, "count", 1);
    if (flag(command, "async")) {
      write_line(ok(command.at("id")));
      for (std::int64_t i = 0; i < count; ++i) {
        producer_->send(record, [client = name(), sequence = sent_++](const Outcome& outcome) {
          boost::json::object event = outcome ? describe(*outcome) : boost::json::object();
          if (!outcome) event["error"] = describe(outcome.error());
          event["event"] = "delivered";
          event["client"] = client;
          event["seq"] = sequence;
          write_line(event);
        });
      }
      return std::nullopt;
    }
    const auto waiter = std::make_shared<Waiter>();
    const std::int64_t threads = number(command, "threads", 1);
    waiter->left = count * threads;
    sent_ += waiter->left;
    const auto send_all = [this, &record, &waiter, count] {
      for (std::int64_t i = 0; i < count; ++i) {
        producer_->send(record, [waiter](const Outcome& outcome) {
          const std::lock_guard lock(waiter->mutex);
          if (outcome) {
            waiter->last = *outcome;
          } else {
            waiter->error = outcome.error();
          }
          if (--waiter->left == 0) waiter->done.notify_all();
        });
      }
    };
    std::vector<std::jthread> senders;
    for (std::int64_t i = 1; i < threads; ++i) senders.emplace_back(send_all);
    send_all();
    senders.clear();  // joins
    std::unique_lock lock(waiter->mutex);
    waiter->done.wait(lock, [&] { return waiter->left <= 0; });
    if (waiter->error) throw Failed(*waiter->error);
    return describe(waiter->last);
  }

  std::unique_ptr<Producer> producer_;
  std::int64_t sent_ = 0;
  bool initialized_ = false;  // for transactions
};

}  // namespace

std::unique_ptr<Session> make_producer_session(std::string name) {
  return std::make_unique<ProducerSession>(std::move(name));
}

}  // namespace ktrial::reference_driver
