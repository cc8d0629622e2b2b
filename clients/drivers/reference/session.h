// SPDX-License-Identifier: Apache-2.0
// Session: one client of the driver and the thread that runs its commands in order, so that a call
// that blocks holds up no other client.
#pragma once

#include "clients/reference/outcome.h"

#include <boost/json.hpp>

#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace ktrial::reference_driver {

using Command = boost::json::object;

// Thrown by a command that the client cannot do; answered with "unsupported".
class Unsupported : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Thrown by a command that failed.
class Failed : public std::runtime_error {
 public:
  explicit Failed(client::ClientError error)
      : std::runtime_error(error.message), error_(std::move(error)) {}
  [[nodiscard]] const client::ClientError& error() const { return error_; }

 private:
  client::ClientError error_;
};

class Session {
 public:
  explicit Session(std::string name) : name_(std::move(name)) {}
  virtual ~Session() = default;
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  void submit(Command command);

 protected:
  // The result, or nothing if the command has been answered already.
  virtual std::optional<boost::json::object> execute(const Command& command) = 0;
  // Work between commands; while there is none the thread sleeps until the next command.
  [[nodiscard]] virtual bool has_background_work() const { return false; }
  virtual void background_work() {}

  [[nodiscard]] const std::string& name() const { return name_; }

 private:
  void run();
  void answer(const Command& command);
  std::optional<Command> next_command();

  const std::string name_;
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::deque<Command> commands_;
  bool started_ = false;
};

std::unique_ptr<Session> make_producer_session(std::string name);
std::unique_ptr<Session> make_consumer_session(std::string name);

// Typed access to a command's members; throws std::invalid_argument naming the member.
std::string text(const Command& command, std::string_view member);
std::int64_t number(const Command& command, std::string_view member, std::int64_t otherwise);
bool flag(const Command& command, std::string_view member);
std::map<std::string, std::string> config_of(const Command& command);

// Throws what a refused configuration is answered with.
[[noreturn]] void refuse_config(const Error& error);

}  // namespace ktrial::reference_driver
