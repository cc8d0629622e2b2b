// SPDX-License-Identifier: Apache-2.0
// The sandbox of one case: a network namespace of its own with only `lo`, a process namespace so
// that nothing outlives the case, and a /proc of its own. As root or, by way of a user namespace,
// as anybody.
#pragma once

#include "common/result.h"

#include <map>
#include <string>

namespace ktrial::harness {

// Enters new namespaces and goes on in a child process that is their init; the caller's process
// waits for it and leaves with its exit code. Call it before any thread is started. Returns in the
// child only.
Result<void> enter_sandbox();

// True if enter_sandbox() would work; tried in a child.
Result<void> can_sandbox();

// Kernel settings below /proc/sys, of the namespace: "net.ipv4.tcp_keepalive_time" -> "1".
Result<void> set_sysctls(const std::map<std::string, std::string>& settings);

}  // namespace ktrial::harness
