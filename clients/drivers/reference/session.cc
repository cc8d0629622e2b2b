// SPDX-License-Identifier: Apache-2.0
#include "clients/drivers/reference/session.h"

#include "clients/drivers/reference/output.h"

#include <thread>

namespace ktrial::reference_driver {

void Session::submit(Command command) {
  {
    const std::lock_guard lock(mutex_);
    commands_.push_back(std::move(command));
    if (!started_) {
      started_ = true;
      // The process leaves by _exit: no session outlives it.
      std::thread(&Session::run, this).detach();
    }
  }
  arrived_.notify_one();
}

std::optional<Command> Session::next_command() {
  std::unique_lock lock(mutex_);
  if (!has_background_work()) arrived_.wait(lock, [this] { return !commands_.empty(); });
  if (commands_.empty()) return std::nullopt;
  Command command = std::move(commands_.front());
  commands_.pop_front();
  return command;
}

void Session::run() {
  for (;;) {
    if (const auto command = next_command()) {
      answer(*command);
    } else {
      background_work();
    }
  }
}

void Session::answer(const Command& command) {
  const boost::json::value id = command.contains("id") ? command.at("id") : nullptr;
  try {
    if (auto result = execute(command)) write_line(ok(id, std::move(*result)));
  } catch (const Unsupported& e) {
    write_line(unsupported(id, e.what()));
  } catch (const Failed& e) {
    write_line(failed(id, e.error()));
  } catch (const std::exception& e) {
    write_line(failed(id, {"BAD_COMMAND", false, e.what()}));
  }
}

std::string text(const Command& command, std::string_view member) {
  const auto* value = command.if_contains(member);
  if (value == nullptr || !value->is_string()) {
    throw std::invalid_argument("member '" + std::string(member) + "' must be a string");
  }
  return std::string(value->as_string());
}

std::int64_t number(const Command& command, std::string_view member, std::int64_t otherwise) {
  const auto* value = command.if_contains(member);
  if (value == nullptr || value->is_null()) return otherwise;
  if (!value->is_number()) {
    throw std::invalid_argument("member '" + std::string(member) + "' must be a number");
  }
  return value->to_number<std::int64_t>();
}

bool flag(const Command& command, std::string_view member) {
  const auto* value = command.if_contains(member);
  return value != nullptr && value->is_bool() && value->as_bool();
}

std::map<std::string, std::string> config_of(const Command& command) {
  std::map<std::string, std::string> config;
  if (const auto* entries = command.if_contains("config")) {
    for (const auto& [key, value] : entries->as_object()) {
      config[std::string(key)] =
          value.is_string() ? std::string(value.as_string()) : boost::json::serialize(value);
    }
  }
  return config;
}

void refuse_config(const Error& error) {
  if (error.code == Errc::kUnsupported) throw Unsupported(error.message);
  throw Failed({"BAD_CONFIG", false, error.message});
}

}  // namespace ktrial::reference_driver
