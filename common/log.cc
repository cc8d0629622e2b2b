// SPDX-License-Identifier: Apache-2.0
#include "common/log.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>

namespace ktrial {
namespace {

constexpr std::array<std::string_view, 5> kNames{"debug", "info", "warn", "error", "off"};

std::atomic<LogLevel> level_in_force{LogLevel::kWarn};
std::atomic<int> sink{STDERR_FILENO};

void write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(file, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;  // nowhere left to complain
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace

std::string_view to_string(LogLevel level) { return kNames[static_cast<std::size_t>(level)]; }

Result<LogLevel> parse_log_level(std::string_view name) {
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if (kNames[i] == name) return static_cast<LogLevel>(i);
  }
  return fail(Errc::kInvalidArgument,
              "log level '" + std::string(name) + "' is none of debug, info, warn, error, off");
}

void set_log_level(LogLevel level) { level_in_force.store(level, std::memory_order_relaxed); }

bool log_enabled(LogLevel level) {
  return level >= level_in_force.load(std::memory_order_relaxed) && level != LogLevel::kOff;
}

Result<void> set_log_file(const std::string& path) {
  int opened = STDERR_FILENO;
  if (!path.empty()) {
    opened = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    if (opened < 0) return fail(Errc::kIo, std::strerror(errno), path);
  }
  const int before = sink.exchange(opened);
  if (before != STDERR_FILENO) ::close(before);
  return {};
}

void vlog(LogLevel level, std::string_view component, fmt::string_view format,
          fmt::format_args args) {
  fmt::memory_buffer line;
  const auto now =
      std::chrono::time_point_cast<std::chrono::milliseconds>(std::chrono::system_clock::now());
  const auto seconds = std::chrono::time_point_cast<std::chrono::seconds>(now);
  fmt::format_to(std::back_inserter(line), "{:%Y-%m-%dT%H:%M:%S}.{:03}Z {:<5} {}: ",
                 fmt::gmtime(std::chrono::system_clock::to_time_t(seconds)),
                 (now - seconds).count(), to_string(level), component);
  fmt::vformat_to(std::back_inserter(line), format, args);
  line.push_back('\n');
  write_all(sink.load(std::memory_order_relaxed), {line.data(), line.size()});
}

}  // namespace ktrial
