// SPDX-License-Identifier: Apache-2.0
// serve: a fake cluster as a program: says where it is, then runs until SIGINT or SIGTERM.
#pragma once

#include "fakebroker/cluster_spec.h"
#include "fakebroker/control/control_server.h"

#include <optional>
#include <vector>

namespace ktrial::fakebroker {

struct ServeOptions {
  bool json = false;  // the ready line as JSON
  // End when the process that started this one does, however it ends.
  bool exit_with_parent = false;
  std::optional<ControlOptions> control = {};  // its address is printed, too
  std::vector<Rule> rules = {};
};

// Prints a line on stdout when every broker accepts, and before it one with the control server's
// address. Returns the exit code: 0, or 5 if the
// cluster could not be started (the reason on stderr).
int serve(ClusterSpec spec, ServeOptions options);

}  // namespace ktrial::fakebroker
