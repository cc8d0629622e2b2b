// SPDX-License-Identifier: Apache-2.0
// Logging for people: one sink a process (stderr, or a file), a level, and a component name on
// each line. What a run must be judged by does not belong here but in the ledger or the capture.
// Formatting happens behind vlog(), so that a unit that logs compiles quickly.
#pragma once

#include "common/result.h"

#include <fmt/core.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace ktrial {

enum class LogLevel : std::uint8_t { kDebug, kInfo, kWarn, kError, kOff };

std::string_view to_string(LogLevel level);
Result<LogLevel> parse_log_level(std::string_view name);

// Starts as kWarn to stderr.
void set_log_level(LogLevel level);
[[nodiscard]] bool log_enabled(LogLevel level);
// Appends to the file from now on; an empty path means stderr.
Result<void> set_log_file(const std::string& path);

// Writes one line with one system call, so that lines of several threads do not mix.
void vlog(LogLevel level, std::string_view component, fmt::string_view format,
          fmt::format_args args);

// A component's front: `const Logger log("group");  log.info("{} joined", member);`
class Logger {
 public:
  constexpr explicit Logger(std::string_view component) : component_(component) {}

  template <class... Args>
  void debug(fmt::format_string<Args...> format, Args&&... args) const {
    write(LogLevel::kDebug, format, args...);
  }
  template <class... Args>
  void info(fmt::format_string<Args...> format, Args&&... args) const {
    write(LogLevel::kInfo, format, args...);
  }
  template <class... Args>
  void warn(fmt::format_string<Args...> format, Args&&... args) const {
    write(LogLevel::kWarn, format, args...);
  }
  template <class... Args>
  void error(fmt::format_string<Args...> format, Args&&... args) const {
    write(LogLevel::kError, format, args...);
  }

 private:
  template <class... Args>
  void write(LogLevel level, fmt::string_view format, Args&... args) const {
    if (log_enabled(level)) vlog(level, component_, format, fmt::make_format_args(args...));
  }

  std::string_view component_;
};

}  // namespace ktrial
