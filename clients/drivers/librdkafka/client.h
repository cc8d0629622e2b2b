// SPDX-License-Identifier: Apache-2.0
// One librdkafka handle and the only thread that calls it; commands are answered in order, so
// that a call that blocks holds up no other client.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>

#include <boost/json.hpp>

namespace driver {

// Thrown by a command that this client cannot do; answered with "unsupported".
class Unsupported : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Thrown by a command that failed; carries the answer's "error" object.
class Failed : public std::exception {
 public:
  explicit Failed(boost::json::object error) : error_(std::move(error)) {}
  [[nodiscard]] const boost::json::object& error() const { return error_; }

 private:
  boost::json::object error_;
};

class Client {
 public:
  explicit Client(std::string name) : name_(std::move(name)) {}
  virtual ~Client() = default;
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  void submit(boost::json::object command);

 protected:
  // The result, or nothing if the command has been answered already.
  virtual std::optional<boost::json::object> execute(const boost::json::object& command) = 0;
  // Work between commands; while it wants none, the thread sleeps until the next command.
  [[nodiscard]] virtual bool has_background_work() const { return false; }
  virtual void background_work() {}

  [[nodiscard]] const std::string& name() const { return name_; }

 private:
  void run();
  void answer(const boost::json::object& command);
  std::optional<boost::json::object> next_command();

  const std::string name_;
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::deque<boost::json::object> commands_;
  bool started_ = false;
};

std::unique_ptr<Client> make_producer(std::string name);
std::unique_ptr<Client> make_consumer(std::string name);

// Typed access to a command's members; throws std::invalid_argument naming the member.
std::string text(const boost::json::object& command, std::string_view member);
std::int64_t number(const boost::json::object& command, std::string_view member, std::int64_t otherwise);
bool flag(const boost::json::object& command, std::string_view member);

}  // namespace driver
