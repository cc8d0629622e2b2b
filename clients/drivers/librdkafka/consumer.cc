// SPDX-License-Identifier: Apache-2.0
// A librdkafka consumer: subscribe or assign, polled when a poll command says so.
#include "client.h"
#include "config_map.h"
#include "output.h"

namespace driver {
namespace {

using SteadyClock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds kPollSlice{100};

struct ListDelete {
  void operator()(rd_kafka_topic_partition_list_t* list) const { rd_kafka_topic_partition_list_destroy(list); }
};
using List = std::unique_ptr<rd_kafka_topic_partition_list_t, ListDelete>;

class Consumer final : public Client {
 public:
  using Client::Client;
  ~Consumer() override { destroy(); }

 private:
  std::optional<boost::json::object> execute(const boost::json::object& command) override {
    const std::string verb = text(command, "cmd");
    if (verb == "create") {
      create(command);
      return boost::json::object{};
    }
    if (handle_ == nullptr) throw Failed(describe("CLOSED", "the client is closed"));
    if (verb == "subscribe") {
      subscribe(command);
    } else if (verb == "assign") {
      check(rd_kafka_assign(handle_, partitions(command).get()));
    } else if (verb == "poll") {
      return poll(command);
    } else if (verb == "stop_poll") {
      polling_ = false;
    } else if (verb == "commit") {
      const rd_kafka_resp_err_t error = rd_kafka_commit(handle_, nullptr, 0);
      if (error != RD_KAFKA_RESP_ERR__NO_OFFSET) check(error);
    } else if (verb == "seek") {
      seek(command);
    } else if (verb == "close") {
      polling_ = false;
      check(rd_kafka_consumer_close(handle_));
      destroy();
    } else {
      throw Unsupported("command " + verb + " for a consumer");
    }
    return boost::json::object{};
  }

  void create(const boost::json::object& command) {
    const auto* config = command.if_contains("config");
    if (config == nullptr || !config->as_object().contains("group.id"))
      throw Unsupported("a consumer without group.id");
    Conf made = make_conf(config != nullptr ? config->as_object() : boost::json::object{}, false);
    if (made.conf == nullptr) throw Unsupported(made.unsupported);
    rd_kafka_conf_set_rebalance_cb(made.conf, &Consumer::rebalanced);
    rd_kafka_conf_set_opaque(made.conf, this);
    char reason[512];
    handle_ = rd_kafka_new(RD_KAFKA_CONSUMER, made.conf, reason, sizeof reason);
    if (handle_ == nullptr) {
      rd_kafka_conf_destroy(made.conf);
      throw Failed(describe("BAD_CONFIG", reason));
    }
    rd_kafka_poll_set_consumer(handle_);
  }

  void subscribe(const boost::json::object& command) {
    const List topics(rd_kafka_topic_partition_list_new(1));
    for (const auto& topic : command.at("topics").as_array()) {
      rd_kafka_topic_partition_list_add(topics.get(), topic.as_string().c_str(), RD_KAFKA_PARTITION_UA);
    }
    check(rd_kafka_subscribe(handle_, topics.get()));
  }

  static List partitions(const boost::json::object& command) {
    List list(rd_kafka_topic_partition_list_new(1));
    for (const auto& element : command.at("partitions").as_array()) {
      const auto& json = element.as_object();
      auto* added = rd_kafka_topic_partition_list_add(list.get(), text(json, "topic").c_str(),
                                                      static_cast<std::int32_t>(number(json, "partition", 0)));
      added->offset = number(json, "offset", RD_KAFKA_OFFSET_INVALID);
    }
    return list;
  }

  void seek(const boost::json::object& command) {
    const List list(rd_kafka_topic_partition_list_new(1));
    auto* added = rd_kafka_topic_partition_list_add(list.get(), text(command, "topic").c_str(),
                                                    static_cast<std::int32_t>(number(command, "partition", 0)));
    added->offset = number(command, "offset", 0);
    rd_kafka_error_t* error = rd_kafka_seek_partitions(handle_, list.get(), 10'000);
    if (error != nullptr) {
      const boost::json::object described = describe(rd_kafka_error_code(error), rd_kafka_error_string(error));
      rd_kafka_error_destroy(error);
      throw Failed(described);
    }
  }

  boost::json::object poll(const boost::json::object& command) {
    const bool endless = !command.contains("for_ms");
    const auto until = SteadyClock::now() + std::chrono::milliseconds(number(command, "for_ms", 0));
    if (flag(command, "background")) {
      polling_ = true;
      poll_until_ = endless ? SteadyClock::time_point::max() : until;
      return {};
    }
    const std::int64_t wanted = number(command, "until_records", INT64_MAX);
    std::int64_t records = 0;
    do {
      records += poll_once(until - SteadyClock::now());
    } while (records < wanted && SteadyClock::now() < until);
    return {{"records", records}};
  }

  [[nodiscard]] bool has_background_work() const override { return polling_; }

  void background_work() override {
    poll_once(kPollSlice);
    if (SteadyClock::now() >= poll_until_) polling_ = false;
  }

  // Returns the number of records: 0 or 1.
  std::int64_t poll_once(SteadyClock::duration left) {
    const auto slice = std::clamp<SteadyClock::duration>(left, SteadyClock::duration::zero(), kPollSlice);
    const auto wait = std::chrono::duration_cast<std::chrono::milliseconds>(slice);
    rd_kafka_message_t* message = rd_kafka_consumer_poll(handle_, static_cast<int>(wait.count()));
    if (message == nullptr) return 0;
    const bool is_record = message->err == RD_KAFKA_RESP_ERR_NO_ERROR;
    if (is_record) {
      write_line({{"event", "record"},
                  {"client", name()},
                  {"topic", rd_kafka_topic_name(message->rkt)},
                  {"partition", message->partition},
                  {"offset", message->offset},
                  {"size", message->len}});
    } else {
      write_line({{"event", "log"},
                  {"client", name()},
                  {"level", "error"},
                  {"message", rd_kafka_message_errstr(message)}});
    }
    rd_kafka_message_destroy(message);
    return is_record ? 1 : 0;
  }

  static void rebalanced(rd_kafka_t* handle, rd_kafka_resp_err_t what,
                         rd_kafka_topic_partition_list_t* partitions, void* opaque) {
    const bool assign = what == RD_KAFKA_RESP_ERR__ASSIGN_PARTITIONS;
    const bool lost = !assign && rd_kafka_assignment_lost(handle) != 0;
    const bool cooperative = std::string_view(rd_kafka_rebalance_protocol(handle)) == "COOPERATIVE";
    boost::json::array list;
    for (int i = 0; i < partitions->cnt; ++i) {
      list.push_back({{"topic", partitions->elems[i].topic}, {"partition", partitions->elems[i].partition}});
    }
    write_line({{"event", "rebalance"},
                {"client", static_cast<Consumer*>(opaque)->name()},
                {"kind", assign ? "assigned" : lost ? "lost" : "revoked"},
                {"partitions", std::move(list)}});
    rd_kafka_error_t* error = nullptr;
    if (cooperative) {
      error = assign ? rd_kafka_incremental_assign(handle, partitions)
                     : rd_kafka_incremental_unassign(handle, partitions);
    } else {
      rd_kafka_assign(handle, assign ? partitions : nullptr);
    }
    if (error != nullptr) rd_kafka_error_destroy(error);
  }

  static void check(rd_kafka_resp_err_t error) {
    if (error != RD_KAFKA_RESP_ERR_NO_ERROR) throw Failed(describe(error));
  }

  void destroy() {
    if (handle_ != nullptr) rd_kafka_destroy(handle_);
    handle_ = nullptr;
  }

  rd_kafka_t* handle_ = nullptr;
  bool polling_ = false;
  SteadyClock::time_point poll_until_;
};

}  // namespace

std::unique_ptr<Client> make_consumer(std::string name) {
  return std::make_unique<Consumer>(std::move(name));
}

}  // namespace driver
