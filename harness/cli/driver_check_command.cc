// SPDX-License-Identifier: Apache-2.0
// driver-check: an outsider's driver against an embedded cluster, one protocol rule a line.
#include "fakebroker/cluster.h"
#include "harness/cli/commands.h"
#include "harness/driver/driver_process.h"

#include <fmt/format.h>

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <iostream>

namespace ktrial::harness {
namespace {

namespace fs = std::filesystem;

constexpr Millis kHello{5'000};
constexpr Millis kAnswer{20'000};
constexpr Millis kLeave{2'000};

class DriverCheck {
 public:
  DriverCheck(DriverProcess& driver, std::string bootstrap)
      : driver_(driver), bootstrap_(std::move(bootstrap)) {}

  int run() {
    const auto hello = driver_.hello(kHello);
    item("says hello within five seconds", hello.has_value(), hello ? "" : hello.error().message);
    if (!hello) return kExitFailed;
    for (const char* member : {"protocol", "name", "version", "roles", "commands", "config"}) {
      item(fmt::format("hello has '{}'", member), hello->contains(member), "");
    }
    refuses("an unknown command is unsupported or an error",
            {{"cmd", "no-such-command"}, {"client", "none"}});
    refuses("a command for a client that was not created is an error",
            {{"cmd", "flush"}, {"client", "none"}});
    create_with_unknown_key();
    if (has_role(*hello, "producer")) produce();
    if (has_role(*hello, "consumer")) consume();
    const bool left = driver_.finish(kLeave);
    item("leaves within two seconds when stdin ends", left, "it had to be killed");
    item("prints nothing but answers and events", driver_.fault().empty(), driver_.fault());
    std::cout << fmt::format("\n{} of {} hold\n", held_, held_ + broken_);
    return broken_ == 0 ? kExitMet : kExitFailed;
  }

 private:
  static bool has_role(const boost::json::object& hello, std::string_view role) {
    const auto* roles = hello.if_contains("roles");
    if (roles == nullptr || !roles->is_array()) return false;
    return std::any_of(
        roles->get_array().begin(), roles->get_array().end(),
        [role](const auto& one) { return one.is_string() && one.get_string() == role; });
  }
  void item(std::string_view what, bool holds, std::string_view why) {
    ++(holds ? held_ : broken_);
    std::cout << fmt::format("{}  {}{}\n", holds ? "ok  " : "FAIL", what,
                             holds || why.empty() ? "" : fmt::format(": {}", why));
  }
  void accepts(std::string_view what, boost::json::object command) {
    const auto answer = driver_.call(std::move(command), kAnswer);
    const bool ok = answer && answer->contains("ok") && answer->at("ok") == true;
    item(what, ok, answer ? boost::json::serialize(*answer) : answer.error().message);
  }
  void refuses(std::string_view what, boost::json::object command) {
    const auto answer = driver_.call(std::move(command), kAnswer);
    const bool refused = answer && (answer->contains("unsupported") ||
                                    (answer->contains("ok") && answer->at("ok") == false));
    item(what, refused, answer ? boost::json::serialize(*answer) : answer.error().message);
  }
  void create_with_unknown_key() {
    const auto answer =
        driver_.call({{"cmd", "create"},
                      {"client", "odd"},
                      {"role", "producer"},
                      {"config", {{"bootstrap.servers", bootstrap_}, {"no.such.key", "1"}}}},
                     kAnswer);
    item("a config key that it cannot set is unsupported, not ignored",
         answer && answer->contains("unsupported"),
         answer ? boost::json::serialize(*answer) : answer.error().message);
  }
  void produce() {
    accepts("creates a producer", {{"cmd", "create"},
                                   {"client", "p"},
                                   {"role", "producer"},
                                   {"config", {{"bootstrap.servers", bootstrap_}}}});
    accepts("sends ten records and waits for their delivery", {{"cmd", "send"},
                                                               {"client", "p"},
                                                               {"topic", "t"},
                                                               {"partition", 0},
                                                               {"value", "v"},
                                                               {"count", 10}});
    accepts("flushes", {{"cmd", "flush"}, {"client", "p"}});
    accepts("closes the producer", {{"cmd", "close"}, {"client", "p"}});
  }
  void consume() {
    accepts("creates a consumer", {{"cmd", "create"},
                                   {"client", "c"},
                                   {"role", "consumer"},
                                   {"config",
                                    {{"bootstrap.servers", bootstrap_},
                                     {"group.id", "g"},
                                     {"auto.offset.reset", "earliest"}}}});
    accepts("subscribes",
            {{"cmd", "subscribe"}, {"client", "c"}, {"topics", boost::json::array{"t"}}});
    const auto answer = driver_.call(
        {{"cmd", "poll"}, {"client", "c"}, {"for_ms", 10'000}, {"until_records", 10}}, kAnswer);
    const auto* result = answer ? answer->if_contains("result") : nullptr;
    const bool all = result != nullptr && result->is_object() &&
                     result->get_object().contains("records") &&
                     result->at("records").to_number<int>() >= 10;
    item("polls the ten records", all,
         answer ? boost::json::serialize(*answer) : answer.error().message);
    accepts("closes the consumer", {{"cmd", "close"}, {"client", "c"}});
  }

  DriverProcess& driver_;
  std::string bootstrap_;
  int held_ = 0;
  int broken_ = 0;
};

}  // namespace

int driver_check_command(const std::vector<std::string>& command) {
  fakebroker::ClusterSpec spec;
  spec.brokers.resize(1);
  spec.topics.push_back({"t", 1, {}, {}});
  auto cluster = fakebroker::Cluster::start(std::move(spec));
  DriverProcess::Options options;
  options.command = command;
  const fs::path logs = fs::temp_directory_path() / fmt::format("ktrial-driver-check-{}", getpid());
  fs::create_directories(logs);
  options.stdout_log = (logs / "stdout").string();
  options.stderr_log = (logs / "stderr").string();
  auto driver = DriverProcess::start(std::move(options));
  if (!cluster || !driver) {
    std::cerr << "ktrial: " << (cluster ? driver.error() : cluster.error()).to_string() << '\n';
    return kExitError;
  }
  const int code = DriverCheck(**driver, (*cluster)->bootstrap_servers()).run();
  if (code == kExitMet) {
    fs::remove_all(logs);
  } else {
    std::cout << "what it printed: " << logs.string() << '\n';
  }
  return code;
}

}  // namespace ktrial::harness
