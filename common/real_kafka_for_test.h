// SPDX-License-Identifier: Apache-2.0
// RealKafka: a Kafka broker in a JVM of its own (ci/kafka/broker), alone or one node of several,
// for tests.
#pragma once

#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <utility>

namespace ktrial {

class RealKafka {
 public:
  // Of a node that is not alone: what its quorum knows of it.
  struct Seat {
    int id = 1;
    int controller_port = 0;
    std::string voters;  // of all nodes: "1@127.0.0.1:PORT,..."
  };

  explicit RealKafka(const std::string& properties, std::optional<Seat> seat = {})
      : seat_(std::move(seat)) {
    std::string name = std::filesystem::temp_directory_path() / "ktrial-kafka-XXXXXX";
    directory_ = mkdtemp(name.data());
    std::ofstream(directory_ / "extra.properties") << properties;
    port_ = free_port();
    controller_port_ = seat_ ? seat_->controller_port : free_port();
  }
  RealKafka(const RealKafka&) = delete;
  RealKafka& operator=(const RealKafka&) = delete;
  ~RealKafka() {
    if (running_) stop("KILL");
    std::filesystem::remove_all(directory_);
  }

  // False: there is no Java, no Maven or no registry here.
  [[nodiscard]] bool start() {
    running_ = script("start " + directory_.string() + ' ' + std::to_string(port_) + ' ' +
                      std::to_string(controller_port_) +
                      (seat_ ? ' ' + std::to_string(seat_->id) + ' ' + seat_->voters : "")) == 0;
    return running_;
  }
  // Returns when the process is gone; its data stays.
  void stop(const std::string& signal) {
    script("stop " + directory_.string() + ' ' + signal);
    running_ = false;
  }
  [[nodiscard]] int port() const { return port_; }
  [[nodiscard]] std::string bootstrap() const { return "127.0.0.1:" + std::to_string(port_); }

  // Nobody listens on it now; the system hands out others first.
  static int free_port() {
    const int probe = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    auto* generic = reinterpret_cast<sockaddr*>(&address);
    const bool bound = bind(probe, generic, size) == 0 && getsockname(probe, generic, &size) == 0;
    close(probe);
    return bound ? ntohs(address.sin_port) : 0;
  }

 private:
  static int script(const std::string& arguments) {
    const int status = std::system((KTRIAL_KAFKA_SCRIPT " " + arguments).c_str());  // NOLINT
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

  std::optional<Seat> seat_;
  std::filesystem::path directory_;
  int port_ = 0;
  int controller_port_ = 0;
  bool running_ = false;
};

}  // namespace ktrial
