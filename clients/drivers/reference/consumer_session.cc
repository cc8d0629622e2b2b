// SPDX-License-Identifier: Apache-2.0
// A consumer of the reference client behind the driver's commands.
#include "clients/drivers/reference/output.h"
#include "clients/drivers/reference/session.h"
#include "clients/reference/consumer.h"

#include <algorithm>
#include <chrono>
#include <thread>

namespace ktrial::reference_driver {
namespace {

using client::Consumer;
using client::RebalanceKind;
using client::TopicPartition;
using SteadyClock = std::chrono::steady_clock;

constexpr Millis kPollSlice{100};
constexpr std::int64_t kCloseMs = 30'000;

class ConsumerSession final : public Session {
 public:
  using Session::Session;

 private:
  std::optional<boost::json::object> execute(const Command& command) override {
    const std::string verb = text(command, "cmd");
    if (verb == "create") return create(command);
    if (!consumer_) throw Failed({"CLOSED", false, "the client is closed"});
    if (verb == "subscribe") {
      std::set<std::string> topics;
      for (const auto& topic : command.at("topics").as_array()) topics.emplace(topic.as_string());
      if (!in_group_) throw Failed({"INVALID_GROUP_ID", false, "subscribe needs a group.id"});
      consumer_->subscribe(topics);
    } else if (verb == "assign") {
      assign(command);
    } else if (verb == "poll") {
      return poll(command);
    } else if (verb == "stop_poll") {
      polling_ = false;
    } else if (verb == "commit") {
      if (const auto error = consumer_->commit()) throw Failed(*error);
    } else if (verb == "seek") {
      consumer_->seek(place_of(command), number(command, "offset", 0));
    } else if (verb == "close") {
      polling_ = false;
      consumer_->close(Millis(number(command, "timeout_ms", kCloseMs)));
      consumer_.reset();
    } else {
      throw Unsupported("command " + verb + " for a consumer");
    }
    return boost::json::object{};
  }

  boost::json::object create(const Command& command) {
    const auto config = config_of(command);
    auto made = Consumer::create(
        config,
        [client = name()](RebalanceKind kind, const std::vector<TopicPartition>& partitions) {
          boost::json::array list;
          for (const TopicPartition& at : partitions) list.push_back(describe(at));
          write_line({{"event", "rebalance"},
                      {"client", client},
                      {"kind", kind == RebalanceKind::kAssigned  ? "assigned"
                               : kind == RebalanceKind::kRevoked ? "revoked"
                                                                 : "lost"},
                      {"partitions", std::move(list)}});
        });
    if (!made) refuse_config(made.error());
    consumer_ = std::move(*made);
    in_group_ = config.contains("group.id");
    return {};
  }

  static TopicPartition place_of(const Command& command) {
    return {text(command, "topic"), static_cast<std::int32_t>(number(command, "partition", 0))};
  }

  void assign(const Command& command) {
    std::map<TopicPartition, std::optional<std::int64_t>> partitions;
    for (const auto& element : command.at("partitions").as_array()) {
      const Command& json = element.as_object();
      auto& offset = partitions[place_of(json)];
      if (json.contains("offset")) offset = number(json, "offset", 0);
    }
    consumer_->assign(partitions);
  }

  boost::json::object poll(const Command& command) {
    const bool endless = !command.contains("for_ms");
    const auto until = SteadyClock::now() + Millis(number(command, "for_ms", 0));
    if (flag(command, "background")) {
      polling_ = true;
      poll_until_ = endless ? SteadyClock::time_point::max() : until;
      return {};
    }
    const std::int64_t wanted = number(command, "until_records", INT64_MAX);
    std::int64_t records = 0;
    do {
      records += poll_once(std::chrono::ceil<Millis>(until - SteadyClock::now()));
    } while (records < wanted && SteadyClock::now() < until);
    return {{"records", records}};
  }

  [[nodiscard]] bool has_background_work() const override { return polling_; }

  void background_work() override {
    try {
      poll_once(kPollSlice);
    } catch (const Failed& e) {
      write_line({{"event", "log"},
                  {"client", name()},
                  {"level", "error"},
                  {"message", "poll: " + e.error().code + ": " + e.error().message}});
      // A client that fails at once must not fill the log.
      std::this_thread::sleep_for(kPollSlice);
    }
    if (SteadyClock::now() >= poll_until_) polling_ = false;
  }

  std::int64_t poll_once(Millis left) {
    const client::Polled polled = consumer_->poll(std::clamp(left, Millis::zero(), kPollSlice));
    if (polled.error) throw Failed(*polled.error);
    for (const client::InRecord& record : polled.records) {
      boost::json::object event = describe(client::Place{record.at, record.offset});
      event["event"] = "record";
      event["client"] = name();
      event["size"] = record.value ? record.value->size() : 0;
      write_line(event);
    }
    return static_cast<std::int64_t>(polled.records.size());
  }

  std::unique_ptr<Consumer> consumer_;
  bool in_group_ = false;
  bool polling_ = false;
  SteadyClock::time_point poll_until_;
};

}  // namespace

std::unique_ptr<Session> make_consumer_session(std::string name) {
  return std::make_unique<ConsumerSession>(std::move(name));
}

}  // namespace ktrial::reference_driver
