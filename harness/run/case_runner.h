// SPDX-License-Identifier: Apache-2.0
// One case from its folder: sandbox, cluster, capture, driver, steps, verdict. Runs in a process of
// its own (`ktrial case DIR`).
#pragma once

#include "common/result.h"

#include <boost/json.hpp>

#include <filesystem>
#include <functional>

namespace ktrial::harness {

// Everything is written into the folder: wire.pcapng, case.jsonl, cluster.jsonl, driver.stdout,
// driver.stderr. Called before any thread.
// `started` is called when the driver has said hello, `judged` with the case's line of run.jsonl,
// without "dir", before the parts are taken down: the kernel takes 40 ms to close a packet socket.
void run_case(const std::filesystem::path& folder, const std::function<void()>& started,
              const std::function<void(const boost::json::object& line)>& judged);

// Judges a finished case's folder again from wire.pcapng, scenario.yaml and case.json alone.
Result<boost::json::object> judge_again(const std::filesystem::path& folder);

}  // namespace ktrial::harness
