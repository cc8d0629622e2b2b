// SPDX-License-Identifier: Apache-2.0
// A driver for tests of the harness: `ktrial-scripted-driver MODE`. It speaks the driver protocol
// (docs/drivers.md) well, but for what its mode says. Its `send` dials the first bootstrap broker
// and asks for ApiVersions, so that there is something to capture; it is no Kafka client.
#include <boost/json.hpp>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace {

namespace json = boost::json;

void say(const json::object& line) { std::cout << line << std::endl; }

void forever() {
  for (;;) pause();
}

// What goes wrong at the first `send`, by mode.
void misbehave(std::string_view mode) {
  if (mode == "crash") std::abort();
  if (mode == "exit") std::_Exit(3);
  if (mode == "hang") forever();
  if (mode == "nonsense") std::cout << "INFO: this is no JSON\n" << std::flush;
  if (mode == "long-line") std::cout << std::string(std::size_t{3} << 20U, 'x') << std::flush;
  while (mode == "flood")
    say({{"event", "log"}, {"level", "info"}, {"message", std::string(1000, 'f')}});
  while (mode == "stderr-flood") std::cerr << std::string(100'000, 'e') << '\n';
}

// A process that outlives this one if nobody cares: its own session, all files closed.
void leave_a_grandchild() {
  if (fork() != 0) return;
  setsid();
  for (int file = 0; file < 64; ++file) close(file);
  forever();
}

int dial(const std::string& bootstrap) {
  const std::string first = bootstrap.substr(0, bootstrap.find(','));
  const std::size_t colon = first.rfind(':');
  sockaddr_in address{};
  address.sin_family = AF_INET;
  std::uint16_t port = 0;
  std::from_chars(first.data() + colon + 1, first.data() + first.size(), port);
  address.sin_port = htons(port);
  inet_pton(AF_INET, first.substr(0, colon).c_str(), &address.sin_addr);
  const int socket_fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (connect(socket_fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0)
    return socket_fd;
  close(socket_fd);
  return -1;
}

// ApiVersions v0 with a null client id, and its answer, whatever that is.
bool ask_api_versions(int socket_fd) {
  constexpr std::uint8_t kRequest[] = {0, 0, 0, 10, 0, 18, 0, 0, 0, 0, 0, 7, 0xff, 0xff};
  if (write(socket_fd, kRequest, sizeof kRequest) != static_cast<ssize_t>(sizeof kRequest))
    return false;
  std::uint32_t size = 0;
  if (recv(socket_fd, &size, sizeof size, MSG_WAITALL) != static_cast<ssize_t>(sizeof size))
    return false;
  std::vector<char> body(ntohl(size));
  return recv(socket_fd, body.data(), body.size(), MSG_WAITALL) ==
         static_cast<ssize_t>(body.size());
}

class ScriptedDriver {
 public:
  explicit ScriptedDriver(std::string mode) : mode_(std::move(mode)) {}

  int run() {
    if (mode_ == "exit-at-once") return 4;
    if (mode_ == "no-hello") forever();
    if (mode_ == "grandchild") leave_a_grandchild();
    say({{"event", "hello"},
         {"protocol", 1},
         {"name", "scripted"},
         {"version", "1"},
         {"roles", {"producer"}},
         {"commands", {"create", "send", "flush", "close", "exit"}},
         {"config", {"bootstrap.servers", "client.id"}},
         {"capabilities", json::array{}}});
    for (std::string line; std::getline(std::cin, line);) {
      if (!answer(line)) return 0;
    }
    if (mode_ == "deaf") forever();  // its stdin has ended: it should have left
    return 0;
  }

 private:
  bool answer(const std::string& line) {
    boost::system::error_code bad;
    const json::value parsed = json::parse(line, bad);
    if (bad || !parsed.is_object()) return true;
    const json::object& command = parsed.get_object();
    const json::value id = command.at("id");
    const std::string_view verb(command.at("cmd").as_string());
    if (verb == "exit") {
      say({{"id", id}, {"ok", true}});
      return false;
    }
    say(perform(verb, command, id));
    return true;
  }

  json::object perform(std::string_view verb, const json::object& command, const json::value& id) {
    const std::string client(command.at("client").as_string());
    if (verb == "create") return create(client, command.at("config").as_object(), id);
    if (!bootstrap_.contains(client))
      return {{"id", id},
              {"ok", false},
              {"error", {{"code", "NO_CLIENT"}, {"message", "no such client"}}}};
    if (verb == "send") return send(client, id);
    if (verb == "flush") return {{"id", id}, {"ok", true}};
    if (verb == "close") {
      if (sockets_.contains(client)) close(sockets_.at(client));
      sockets_.erase(client);
      return {{"id", id}, {"ok", true}};
    }
    return {{"id", id}, {"unsupported", "command " + std::string(verb)}};
  }

  json::object create(const std::string& client, const json::object& config,
                      const json::value& id) {
    const std::set<std::string_view> known{"bootstrap.servers", "client.id"};
    for (const auto& [key, value] : config) {
      if (!known.contains(key)) return {{"id", id}, {"unsupported", "config " + std::string(key)}};
    }
    bootstrap_[client] = std::string(config.at("bootstrap.servers").as_string());
    return {{"id", id}, {"ok", true}};
  }

  json::object send(const std::string& client, const json::value& id) {
    misbehave(mode_);
    if (!sockets_.contains(client)) sockets_[client] = dial(bootstrap_.at(client));
    if (!ask_api_versions(sockets_.at(client)))
      return {
          {"id", id}, {"ok", false}, {"error", {{"code", "NETWORK"}, {"message", "no answer"}}}};
    return {
        {"id", id}, {"ok", true}, {"result", {{"topic", "t"}, {"partition", 0}, {"offset", 0}}}};
  }

  std::string mode_;
  std::map<std::string, std::string> bootstrap_;
  std::map<std::string, int> sockets_;
};

}  // namespace

int main(int argc, char** argv) { return ScriptedDriver(argc > 1 ? argv[1] : "good").run(); }
