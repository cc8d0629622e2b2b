// SPDX-License-Identifier: Apache-2.0
#include "client.h"

#include "output.h"

namespace driver {

void Client::submit(boost::json::object command) {
  {
    const std::lock_guard lock(mutex_);
    commands_.push_back(std::move(command));
    if (!started_) {
      started_ = true;
      // The process leaves by _exit on end of input: no client outlives it.
      std::thread(&Client::run, this).detach();
    }
  }
  arrived_.notify_one();
}

std::optional<boost::json::object> Client::next_command() {
  std::unique_lock lock(mutex_);
  if (!has_background_work()) arrived_.wait(lock, [this] { return !commands_.empty(); });
  if (commands_.empty()) return std::nullopt;
  boost::json::object command = std::move(commands_.front());
  commands_.pop_front();
  return command;
}

void Client::run() {
  for (;;) {
    const auto command = next_command();
    if (command) {
      answer(*command);
    } else {
      background_work();
    }
  }
}

void Client::answer(const boost::json::object& command) {
  const boost::json::value id = command.contains("id") ? command.at("id") : nullptr;
  try {
    auto result = execute(command);
    if (result) write_line(ok(id, std::move(*result)));
  } catch (const Unsupported& e) {
    write_line(unsupported(id, e.what()));
  } catch (const Failed& e) {
    write_line(failed(id, e.error()));
  } catch (const std::exception& e) {
    write_line(failed(id, describe("BAD_COMMAND", e.what())));
  }
}

std::string text(const boost::json::object& command, std::string_view member) {
  const auto* value = command.if_contains(member);
  if (value == nullptr || !value->is_string()) {
    throw std::invalid_argument("member '" + std::string(member) + "' must be a string");
  }
  return std::string(value->as_string());
}

std::int64_t number(const boost::json::object& command, std::string_view member,
                    std::int64_t otherwise) {
  const auto* value = command.if_contains(member);
  if (value == nullptr || value->is_null()) return otherwise;
  if (!value->is_number()) {
    throw std::invalid_argument("member '" + std::string(member) + "' must be a number");
  }
  return value->to_number<std::int64_t>();
}

bool flag(const boost::json::object& command, std::string_view member) {
  const auto* value = command.if_contains(member);
  return value != nullptr && value->is_bool() && value->as_bool();
}

}  // namespace driver
