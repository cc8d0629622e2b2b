// SPDX-License-Identifier: Apache-2.0
// Drives librdkafka by the JSON-lines protocol of docs/drivers.md: one command a line on stdin,
// one answer each and any number of events on stdout.
#include <unistd.h>

#include <iostream>
#include <map>
#include <memory>
#include <string>

#include <boost/json/src.hpp>

#include "client.h"
#include "config_map.h"
#include "output.h"

namespace driver {
namespace {

void say_hello() {
  boost::json::array keys;
  for (const std::string_view key : known_keys()) keys.emplace_back(key);
  write_line({{"event", "hello"},
              {"protocol", 1},
              {"name", "librdkafka"},
              {"version", rd_kafka_version_str()},
              {"roles", {"producer", "consumer"}},
              {"commands", {"create", "send", "flush", "subscribe", "assign", "poll", "stop_poll", "commit",
                            "seek", "close", "exit"}},
              {"config", std::move(keys)},
              {"capabilities", {"idle_close", "metadata_age", "reconnect_backoff", "idempotence",
                                "static_membership", "threads"}}});
}

class Driver {
 public:
  void handle(const std::string& line) {
    boost::system::error_code bad;
    const boost::json::value json = boost::json::parse(line, bad);
    if (bad || !json.is_object()) {
      write_line(failed(nullptr, describe("BAD_COMMAND", "not a JSON object")));
      return;
    }
    const auto& command = json.get_object();
    const boost::json::value id = command.contains("id") ? command.at("id") : nullptr;
    try {
      dispatch(command, id);
    } catch (const Unsupported& e) {
      write_line(unsupported(id, e.what()));
    } catch (const std::exception& e) {
      write_line(failed(id, describe("BAD_COMMAND", e.what())));
    }
  }

 private:
  void dispatch(const boost::json::object& command, const boost::json::value& id) {
    const std::string verb = text(command, "cmd");
    if (verb == "exit") {
      write_line(ok(id));
      _exit(0);
    }
    const std::string name = text(command, "client");
    if (verb == "create") {
      if (clients_.contains(name)) throw std::invalid_argument("client '" + name + "' exists already");
      const std::string role = text(command, "role");
      if (role != "producer" && role != "consumer") throw Unsupported("role " + role);
      clients_[name] = role == "producer" ? make_producer(name) : make_consumer(name);
    } else if (!clients_.contains(name)) {
      throw std::invalid_argument("no client '" + name + "': create it first");
    }
    clients_.at(name)->submit(command);
  }

  std::map<std::string, std::unique_ptr<Client>> clients_;
};

}  // namespace
}  // namespace driver

int main() {
  driver::say_hello();
  driver::Driver driver;
  std::string line;
  while (std::getline(std::cin, line)) {
    if (!line.empty()) driver.handle(line);
  }
  // The harness is gone: leave at once, without closing clients politely.
  _exit(0);
}
