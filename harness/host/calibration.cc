// SPDX-License-Identifier: Apache-2.0
#include "harness/host/calibration.h"

#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

namespace ktrial::harness {
namespace {

double rounded(double value) { return std::round(value * 1000) / 1000; }

std::string processor() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  }
  return "unknown";
}

}  // namespace

Calibration calibrate(Millis time) {
  using Clock = std::chrono::steady_clock;
  std::vector<double> late;
  const auto until = Clock::now() + time;
  while (Clock::now() < until) {
    const auto before = Clock::now();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    late.push_back(std::chrono::duration<double, std::milli>(Clock::now() - before).count() - 1);
  }
  std::sort(late.begin(), late.end());
  const auto at = [&late](double part) {
    return late.empty()
               ? 0
               : rounded(
                     late[static_cast<std::size_t>(part * static_cast<double>(late.size() - 1))]);
  };
  return {at(0.5), at(0.99), at(1)};
}

int Calibration::parallel_cases() const {
  const int cores = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  return p99_ms > 5 ? cores : cores * 4;
}

boost::json::object Calibration::to_json() const {
  return {{"sleep 1 ms late p50", p50_ms}, {"p99", p99_ms}, {"max", max_ms}};
}

boost::json::object host_facts() {
  utsname system{};
  uname(&system);
  const double pages =
      static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGE_SIZE));
  return {{"processor", processor()},
          {"cores", std::thread::hardware_concurrency()},
          {"memory GiB", rounded(pages / (1U << 30U))},
          {"kernel", std::string(system.sysname) + " " + system.release}};
}

}  // namespace ktrial::harness
