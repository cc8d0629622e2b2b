// SPDX-License-Identifier: Apache-2.0
// Diagnostics: the faults found in one file. Readers record a fault and go on with a default, so
// that an author sees several at once; nothing runs from a file with faults.
#pragma once

#include "common/hint.h"
#include "common/result.h"
#include "harness/scenario/position.h"

#include <string>
#include <vector>

namespace ktrial::harness {

struct Diagnostic {
  Position at;
  std::string message;

  [[nodiscard]] std::string to_string() const;
};

class Diagnostics {
 public:
  // A fault repeated at the same place (each matrix variant is read) is kept once.
  void error(const Position& at, std::string message);
  [[nodiscard]] bool ok() const { return errors_.empty(); }
  [[nodiscard]] const std::vector<Diagnostic>& errors() const { return errors_; }
  // All faults as one Error: where = the first one's place, message = all, one a line.
  [[nodiscard]] Result<void> result() const;

 private:
  std::vector<Diagnostic> errors_;
};

}  // namespace ktrial::harness
