// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/commands.h"
#include "harness/cli/plan.h"
#include "harness/host/calibration.h"
#include "harness/run/sandbox.h"

#include <fmt/format.h>

#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <iostream>

namespace ktrial::harness {
namespace {

class Report {
 public:
  void good(std::string_view what, std::string_view detail) {
    std::cout << fmt::format("ok    {:<16} {}\n", what, detail);
  }
  void bad(std::string_view what, std::string_view detail, std::string_view mend) {
    ++faults_;
    std::cout << fmt::format("FAIL  {:<16} {}\n      {:<16} to mend: {}\n", what, detail, "", mend);
  }
  void unsure(std::string_view what, std::string_view detail, std::string_view mend) {
    std::cout << fmt::format("warn  {:<16} {}\n      {:<16} to mend: {}\n", what, detail, "", mend);
  }
  [[nodiscard]] int faults() const { return faults_; }

 private:
  int faults_ = 0;
};

bool on_path(const std::string& program) {
  return std::system(("command -v " + program + " >/dev/null 2>&1").c_str()) == 0;
}

// In a namespace of our own, where a case would capture.
bool can_capture() {
  const pid_t child = fork();
  if (child == 0) {
    if (!enter_sandbox()) _exit(1);
    const int raw = socket(AF_PACKET, SOCK_RAW, 0);
    _exit(raw >= 0 ? 0 : 1);
  }
  int status = 1;
  waitpid(child, &status, 0);
  return status == 0;
}

void check_drivers(const Assets& assets, Report& report) {
  for (const Driver& driver : assets.drivers.drivers()) {
    std::vector<std::string> missing;
    for (const std::string& program : driver.needs) {
      if (!on_path(program)) missing.push_back(program);
    }
    if (!missing.empty()) {
      report.unsure(driver.name, fmt::format("missing: {}", fmt::join(missing, ", ")),
                    "ci/setup run installs what the drivers need");
      continue;
    }
    for (const DriverVersion& version : driver.versions) {
      const ClientChoice choice{&driver, &version};
      report.good(driver.name, version.version + (needs_build(assets.places, choice)
                                                      ? ", will be built on first use"
                                                      : ", built"));
    }
  }
}

}  // namespace

int doctor_command() {
  Report report;
  const auto sandbox = can_sandbox();
  if (sandbox) {
    report.good("namespaces", "network, process and mount namespaces can be made");
  } else {
    report.bad("namespaces", sandbox.error().message, "run as root, or allow user namespaces");
  }
  if (can_capture()) {
    report.good("capture", "packet sockets work in a case's namespace");
  } else {
    report.bad(
        "capture", "no packet socket can be opened: runs would be inconclusive, never green",
        "run as root, or give CAP_NET_RAW: setcap cap_net_raw,cap_net_admin+ep on the program");
  }
  const Calibration timing = calibrate(Millis(500));
  const std::string figures =
      fmt::format("a sleep of 1 ms is late by {} ms (p50), {} ms (p99), {} ms (max)", timing.p50_ms,
                  timing.p99_ms, timing.max_ms);
  if (timing.p99_ms <= 5) {
    report.good("timing", figures);
  } else {
    report.unsure("timing", figures, "leave the machine alone; timing cases may be inconclusive");
  }
  rlimit files{};
  getrlimit(RLIMIT_NOFILE, &files);
  if (files.rlim_cur >= 4096) {
    report.good("open files", fmt::format("{} a process", files.rlim_cur));
  } else {
    report.unsure("open files",
                  fmt::format("{} a process: too few for large clusters", files.rlim_cur),
                  "ulimit -n 20000");
  }
  std::error_code unknown;
  const auto space = std::filesystem::space(".", unknown);
  constexpr std::uintmax_t kEnough = std::uintmax_t{1} << 30U;
  const std::string room = unknown
                               ? unknown.message()
                               : fmt::format("{} MiB free in this folder", space.available >> 20U);
  if (!unknown && space.available >= kEnough) {
    report.good("disk", room);
  } else {
    report.unsure("disk", room,
                  "a full run of captures can take a gigabyte: make room, or use --out elsewhere");
  }
  const auto assets = Assets::load();
  if (assets) {
    report.good("scenarios",
                fmt::format("{} files, all well-formed", assets->catalogue.files.size()));
    check_drivers(*assets, report);
  } else {
    report.bad("scenarios", assets.error().to_string(), "as the message says");
  }
  return report.faults() == 0 ? kExitMet : kExitError;
}

}  // namespace ktrial::harness
