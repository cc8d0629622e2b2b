// SPDX-License-Identifier: Apache-2.0
// A librdkafka producer. Delivery reports come from a thread that polls it all the time, as
// applications do.
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include "client.h"
#include "config_map.h"
#include "output.h"

namespace driver {
namespace {

// What a synchronous send waits for; an asynchronous one has none and reports by events.
struct Waiter {
  std::mutex mutex;
  std::condition_variable done;
  std::size_t left = 0;
  rd_kafka_resp_err_t error = RD_KAFKA_RESP_ERR_NO_ERROR;
  boost::json::object last;
};

struct Delivery {
  std::int64_t sequence = 0;
  std::shared_ptr<Waiter> waiter;
};

boost::json::object place(const rd_kafka_message_t& message) {
  return {{"topic", message.rkt != nullptr ? rd_kafka_topic_name(message.rkt) : ""},
          {"partition", message.partition},
          {"offset", message.offset}};
}

class Producer final : public Client {
 public:
  using Client::Client;
  ~Producer() override { destroy(); }

 private:
  std::optional<boost::json::object> execute(const boost::json::object& command) override {
    const std::string verb = text(command, "cmd");
    if (verb == "create") {
      create(command);
    } else if (handle_ == nullptr) {
      throw Failed(describe("CLOSED", "the client is closed"));
    } else if (verb == "send") {
      return send(command);
    } else if (verb == "flush") {
      check(rd_kafka_flush(handle_, static_cast<int>(number(command, "timeout_ms", 60'000))));
    } else if (verb == "close") {
      const auto timeout = number(command, "timeout_ms", 60'000);
      const rd_kafka_resp_err_t flushed = rd_kafka_flush(handle_, static_cast<int>(timeout));
      if (flushed != RD_KAFKA_RESP_ERR_NO_ERROR) {
        rd_kafka_purge(handle_, RD_KAFKA_PURGE_F_QUEUE | RD_KAFKA_PURGE_F_INFLIGHT);
      }
      destroy();
    } else {
      throw Unsupported("command " + verb + " for a producer");
    }
    return boost::json::object{};
  }

  void create(const boost::json::object& command) {
    const auto* config = command.if_contains("config");
    Conf made = make_conf(config != nullptr ? config->as_object() : boost::json::object{}, true);
    if (made.conf == nullptr) throw Unsupported(made.unsupported);
    rd_kafka_conf_set_dr_msg_cb(made.conf, &Producer::delivered);
    rd_kafka_conf_set_opaque(made.conf, this);
    char reason[512];
    handle_ = rd_kafka_new(RD_KAFKA_PRODUCER, made.conf, reason, sizeof reason);
    if (handle_ == nullptr) {
      rd_kafka_conf_destroy(made.conf);
      throw Failed(describe("BAD_CONFIG", reason));
    }
    polling_ = true;
    poller_ = std::thread([this] {
      while (polling_) rd_kafka_poll(handle_, 50);
    });
  }

  std::optional<boost::json::object> send(const boost::json::object& command) {
    const bool async = flag(command, "async");
    const auto count = number(command, "count", 1);
    const std::string topic = text(command, "topic");
    const std::string key = command.contains("key") ? text(command, "key") : "";
    const std::string value = command.contains("size")
                                  ? std::string(static_cast<std::size_t>(number(command, "size", 0)), '\0')
                                  : command.contains("value") ? text(command, "value") : "";
    const auto partition = static_cast<std::int32_t>(number(command, "partition", RD_KAFKA_PARTITION_UA));
    if (async) write_line(ok(command.at("id")));
    auto waiter = async ? nullptr : std::make_shared<Waiter>();
    const auto threads = async ? 1 : number(command, "threads", 1);
    if (waiter) waiter->left = static_cast<std::size_t>(count * threads);
    const auto send_one = [&] {
      auto delivery = std::make_unique<Delivery>(Delivery{sent_++, waiter});
      rd_kafka_resp_err_t error = RD_KAFKA_RESP_ERR_NO_ERROR;
      do {
        error = rd_kafka_producev(handle_, RD_KAFKA_V_TOPIC(topic.c_str()), RD_KAFKA_V_PARTITION(partition),
                                  RD_KAFKA_V_KEY(command.contains("key") ? key.data() : nullptr, key.size()),
                                  RD_KAFKA_V_VALUE(const_cast<char*>(value.data()), value.size()),
                                  RD_KAFKA_V_MSGFLAGS(RD_KAFKA_MSG_F_COPY), RD_KAFKA_V_OPAQUE(delivery.get()),
                                  RD_KAFKA_V_END);
        if (error == RD_KAFKA_RESP_ERR__QUEUE_FULL) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      } while (error == RD_KAFKA_RESP_ERR__QUEUE_FULL);
      if (error == RD_KAFKA_RESP_ERR_NO_ERROR) {
        static_cast<void>(delivery.release());  // delivered() takes it back
      } else {
        report(*delivery, error, {});
      }
    };
    const auto send_all = [&] {
      for (std::int64_t i = 0; i < count; ++i) send_one();
    };
    std::vector<std::jthread> senders;
    for (std::int64_t i = 1; i < threads; ++i) senders.emplace_back(send_all);
    send_all();
    senders.clear();  // joins
    if (async) return std::nullopt;
    std::unique_lock lock(waiter->mutex);
    waiter->done.wait(lock, [&] { return waiter->left == 0; });
    check(waiter->error);
    return waiter->last;
  }

  static void delivered(rd_kafka_t*, const rd_kafka_message_t* message, void* opaque) {
    const std::unique_ptr<Delivery> delivery(static_cast<Delivery*>(message->_private));
    static_cast<Producer*>(opaque)->report(*delivery, message->err, place(*message));
  }

  void report(const Delivery& delivery, rd_kafka_resp_err_t error, boost::json::object where) {
    if (!delivery.waiter) {
      where["event"] = "delivered";
      where["client"] = name();
      where["seq"] = delivery.sequence;
      if (error != RD_KAFKA_RESP_ERR_NO_ERROR) where["error"] = describe(error);
      write_line(where);
      return;
    }
    Waiter& waiter = *delivery.waiter;
    const std::lock_guard lock(waiter.mutex);
    if (error != RD_KAFKA_RESP_ERR_NO_ERROR) waiter.error = error;
    waiter.last = std::move(where);
    if (--waiter.left == 0) waiter.done.notify_all();
  }

  static void check(rd_kafka_resp_err_t error) {
    if (error != RD_KAFKA_RESP_ERR_NO_ERROR) throw Failed(describe(error));
  }

  void destroy() {
    polling_ = false;
    if (poller_.joinable()) poller_.join();
    if (handle_ != nullptr) rd_kafka_destroy(handle_);
    handle_ = nullptr;
  }

  rd_kafka_t* handle_ = nullptr;
  std::thread poller_;
  std::atomic<bool> polling_ = false;
  std::atomic<std::int64_t> sent_ = 0;
};

}  // namespace

std::unique_ptr<Client> make_producer(std::string name) {
  return std::make_unique<Producer>(std::move(name));
}

}  // namespace driver
