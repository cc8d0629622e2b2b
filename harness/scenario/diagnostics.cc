// SPDX-License-Identifier: Apache-2.0
#include "harness/scenario/diagnostics.h"

#include <algorithm>
#include <utility>

namespace ktrial::harness {

std::string Position::to_string() const {
  if (!file) return {};
  return *file + ":" + std::to_string(line) + ":" + std::to_string(column);
}

std::string Diagnostic::to_string() const {
  const std::string where = at.to_string();
  return where.empty() ? message : where + ": " + message;
}

void Diagnostics::error(const Position& at, std::string message) {
  const bool known = std::any_of(errors_.begin(), errors_.end(), [&](const Diagnostic& each) {
    return each.at.line == at.line && each.at.column == at.column && each.message == message;
  });
  if (!known) errors_.push_back({at, std::move(message)});
}

Result<void> Diagnostics::result() const {
  if (errors_.empty()) return {};
  auto sorted = errors_;
  std::stable_sort(sorted.begin(), sorted.end(), [](const Diagnostic& a, const Diagnostic& b) {
    return std::pair(a.at.line, a.at.column) < std::pair(b.at.line, b.at.column);
  });
  std::string message = sorted.front().message;
  for (std::size_t i = 1; i < sorted.size(); ++i) message += "\n" + sorted[i].to_string();
  return fail(Errc::kInvalidArgument, std::move(message), sorted.front().at.to_string());
}

}  // namespace ktrial::harness
