// SPDX-License-Identifier: Apache-2.0
// Position: a place in a YAML file, printed as compilers print theirs so that editors jump to it.
#pragma once

#include <memory>
#include <string>

namespace ktrial::harness {

struct Position {
  std::shared_ptr<const std::string> file;  // null: made by the program, no place
  int line = 0;                             // from 1
  int column = 0;                           // from 1

  // "scenarios/a.yaml:12:7", or "" for no place.
  [[nodiscard]] std::string to_string() const;
};

}  // namespace ktrial::harness
