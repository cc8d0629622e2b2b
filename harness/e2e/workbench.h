// SPDX-License-Identifier: Apache-2.0
// A home of its own for the program under test: a temporary folder with the scenarios and drivers
// that a test puts there, and ways to start the program and look at what it left.
#pragma once

#include <boost/json.hpp>

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace ktrial::harness {

struct Outcome {
  int code = -1;    // exit code, or -1 if killed by a signal
  std::string out;  // stdout and stderr together
};

class Workbench {
 public:
  Workbench();
  ~Workbench();
  Workbench(const Workbench&) = delete;
  Workbench& operator=(const Workbench&) = delete;

  [[nodiscard]] const std::filesystem::path& home() const { return home_; }
  [[nodiscard]] std::filesystem::path out() const { return home_ / "out"; }

  // scenarios/NAME.yaml.
  void scenario(std::string_view name, std::string_view text) const;
  // A driver as an outsider has it: an executable file. Its path, for --client.
  [[nodiscard]] std::string driver(const std::string& mode) const;

  // Runs the program to its end; `run` adds --out out().
  [[nodiscard]] Outcome ktrial(std::vector<std::string> arguments) const;
  [[nodiscard]] Outcome run(std::vector<std::string> arguments) const;
  // Starts `run`; the caller ends it.
  [[nodiscard]] pid_t start_run(std::vector<std::string> arguments) const;

  // The lines of out()/run.jsonl of one kind ("case", "end").
  [[nodiscard]] std::vector<boost::json::object> lines(std::string_view kind) const;
  // Processes whose command line has this workbench's folder in it: cases and drivers.
  [[nodiscard]] std::vector<std::string> processes() const;
  // Polls until `holds`; false after `patience`.
  template <class Holds>
  static bool eventually(Holds holds, std::chrono::milliseconds patience) {
    const auto deadline = std::chrono::steady_clock::now() + patience;
    while (!holds()) {
      if (std::chrono::steady_clock::now() > deadline) return false;
      breathe();
    }
    return true;
  }

 private:
  static void breathe();

  std::filesystem::path home_;
};

// The verdict and the reason of a case's line.
std::string verdict(const boost::json::object& line);
std::string reason(const boost::json::object& line);

// Scenarios that the scripted driver can play.
extern const std::string_view kQuiet;     // creates and closes; passes, nothing on the wire
extern const std::string_view kAskOnce;   // one request; passes
extern const std::string_view kAskTwice;  // demands two, sees one; fails
extern const std::string_view kSlow;      // sleeps for half a minute

}  // namespace ktrial::harness
