// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace ktrial::harness {

// Parses the command line and runs the command; returns the exit code.
int run_cli(int argc, char** argv);

}  // namespace ktrial::harness
