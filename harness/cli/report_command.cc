// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/commands.h"
#include "reports/write_reports.h"

#include <iostream>

namespace ktrial::harness {

int report_command(const std::vector<std::string>& dirs) {
  for (const std::string& dir : dirs) {
    const auto written = reports::write_reports(dir);
    if (!written) {
      std::cerr << "ktrial: " << written.error().to_string() << '\n';
      return kExitUsage;
    }
    std::cout << written->html.string() << '\n' << written->junit.string() << '\n';
  }
  return kExitMet;
}

}  // namespace ktrial::harness
