// SPDX-License-Identifier: Apache-2.0
// What a person sees while cases run: on a terminal a bar and the running cases, redrawn in place;
// elsewhere a plain line per finished case. NO_COLOR is honoured.
#pragma once

#include "harness/run/scheduler.h"

#include <string>
#include <string_view>

namespace ktrial::harness {

class ProgressView {
 public:
  ProgressView();
  void ended(const std::string& label, std::string_view verdict, std::string_view reason,
             double seconds);
  void show(const Progress& progress);
  void finish();
  // The verdict in its colour, where colours are wanted.
  [[nodiscard]] std::string coloured(std::string_view verdict) const;

 private:
  void clear();

  bool terminal_;
  bool colours_;
  std::size_t lines_ = 0;
};

}  // namespace ktrial::harness
