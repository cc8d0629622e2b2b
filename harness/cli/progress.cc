// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/progress.h"

#include <fmt/format.h>

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>

namespace ktrial::harness {
namespace {

constexpr std::size_t kBar = 30;
constexpr std::size_t kShown = 6;
constexpr std::size_t kReason = 160;

std::size_t terminal_width() {
  winsize size{};
  const bool known = ioctl(1, TIOCGWINSZ, &size) == 0 && size.ws_col > 3;
  return known ? size.ws_col : 80;
}

std::string_view colour_of(std::string_view verdict) {
  if (verdict == "pass") return "32";
  if (verdict == "fail" || verdict == "error") return "31";
  if (verdict == "inconclusive" || verdict == "nonstrict") return "33";
  return "2";
}

}  // namespace

ProgressView::ProgressView()
    : terminal_(isatty(1) != 0), colours_(terminal_ && std::getenv("NO_COLOR") == nullptr) {}

std::string ProgressView::coloured(std::string_view verdict) const {
  const std::string padded = fmt::format("{:<12}", verdict);
  return colours_ ? fmt::format("\x1b[{}m{}\x1b[0m", colour_of(verdict), padded) : padded;
}

void ProgressView::ended(const std::string& label, std::string_view verdict,
                         std::string_view reason, double seconds) {
  clear();
  const bool worth_saying = verdict != "pass" && verdict != "info" && !reason.empty();
  const std::string shown(reason.substr(0, std::min(reason.find('\n'), kReason)));
  std::cout << fmt::format("{} {:5.1f} s  {}{}\n", coloured(verdict), seconds, label,
                           worth_saying ? "  " + shown : "")
            << std::flush;
}

void ProgressView::show(const Progress& progress) {
  if (!terminal_) return;
  clear();
  const std::size_t filled = progress.total == 0 ? kBar : kBar * progress.done / progress.total;
  std::cout << fmt::format("[{}{}] {} of {}, {} running\n", std::string(filled, '#'),
                           std::string(kBar - filled, '.'), progress.done, progress.total,
                           progress.running.size());
  lines_ = 1;
  // A line that wraps would be two: it could not be taken back.
  const std::size_t width = terminal_width();
  for (std::size_t i = 0; i < std::min(kShown, progress.running.size()); ++i, ++lines_)
    std::cout << "  " << progress.running[i].substr(0, width - 3) << '\n';
  std::cout << std::flush;
}

void ProgressView::clear() {
  for (; lines_ > 0; --lines_) std::cout << "\x1b[1A\x1b[2K";
}

void ProgressView::finish() {
  clear();
  std::cout << std::flush;
}

}  // namespace ktrial::harness
