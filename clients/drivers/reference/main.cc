// SPDX-License-Identifier: Apache-2.0
// Drives the reference client by the JSON-lines protocol of docs/drivers.md.
#include "clients/drivers/reference/output.h"
#include "clients/drivers/reference/session.h"
#include "clients/reference/config.h"

#include <unistd.h>

#include <csignal>
#include <iostream>

namespace ktrial::reference_driver {
namespace {

void say_hello() {
  boost::json::array keys;
  for (const std::string_view key : client::known_config_keys()) keys.emplace_back(key);
  write_line({{"event", "hello"},
              {"protocol", 1},
              {"name", "reference"},
              {"version", "0.1.0"},
              {"roles", {"producer", "consumer"}},
              {"commands",
               {"create", "send", "flush", "begin", "commit_txn", "abort", "subscribe", "assign",
                "poll", "stop_poll", "commit", "seek", "close", "exit"}},
              {"config", std::move(keys)},
              {"capabilities",
               {"idle_close", "metadata_age", "reconnect_backoff", "idempotence", "transactions",
                "static_membership", "threads"}}});
}

class Driver {
 public:
  void handle(const std::string& line) {
    boost::system::error_code bad;
    const boost::json::value json = boost::json::parse(line, bad);
    if (bad || !json.is_object()) {
      return write_line(failed(nullptr, {"BAD_COMMAND", false, "not a JSON object"}));
    }
    const Command& command = json.get_object();
    const boost::json::value id = command.contains("id") ? command.at("id") : nullptr;
    try {
      dispatch(command, id);
    } catch (const Unsupported& e) {
      write_line(unsupported(id, e.what()));
    } catch (const std::exception& e) {
      write_line(failed(id, {"BAD_COMMAND", false, e.what()}));
    }
  }

 private:
  void dispatch(const Command& command, const boost::json::value& id) {
    const std::string verb = text(command, "cmd");
    if (verb == "exit") {
      write_line(ok(id));
      _exit(0);
    }
    const std::string name = text(command, "client");
    if (verb == "create") {
      if (sessions_.contains(name))
        throw std::invalid_argument("client '" + name + "' exists already");
      const std::string role = text(command, "role");
      if (role != "producer" && role != "consumer") throw Unsupported("role " + role);
      sessions_[name] =
          role == "producer" ? make_producer_session(name) : make_consumer_session(name);
    } else if (!sessions_.contains(name)) {
      throw std::invalid_argument("no client '" + name + "': create it first");
    }
    sessions_.at(name)->submit(command);
  }

  std::map<std::string, std::unique_ptr<Session>> sessions_;
};

}  // namespace
}  // namespace ktrial::reference_driver

int main() {
  std::signal(SIGPIPE, SIG_IGN);
  ktrial::reference_driver::say_hello();
  // Never destroyed: the sessions' threads use it until the process leaves.
  auto* driver = new ktrial::reference_driver::Driver;
  std::string line;
  while (std::getline(std::cin, line)) {
    if (!line.empty()) driver->handle(line);
  }
  // The harness is gone: leave at once, and close nothing politely.
  _exit(0);
}
