// SPDX-License-Identifier: Apache-2.0
// A driver as a child process: commands in, answers and events out, one JSON object a line
// (docs/drivers.md). Whatever it does, it cannot harm the case: its output is bounded, nonsense and
// death are reasons, and it dies with us.
#pragma once

#include "common/clock.h"
#include "common/result.h"

#include <boost/json.hpp>

#include <sys/types.h>

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace ktrial::harness {

class DriverProcess {
 public:
  struct Options {
    std::vector<std::string> command;
    std::string stdout_log;  // every line it printed, up to a limit
    std::string stderr_log;
    // Called on the reader's thread for each event line but hello.
    std::function<void(const boost::json::object&)> on_event;
  };

  static Result<std::unique_ptr<DriverProcess>> start(Options options);
  ~DriverProcess();  // kills what is left
  DriverProcess(const DriverProcess&) = delete;
  DriverProcess& operator=(const DriverProcess&) = delete;

  // The hello line, awaited.
  Result<boost::json::object> hello(Millis patience);
  // Sends a command (an id is added) and waits for its answer. From any thread.
  Result<boost::json::object> call(boost::json::object command, Millis patience);

  // SIGKILL or another signal to the driver itself.
  void signal(int number);
  // Closes its stdin; it should leave at once. False if it had to be killed after `patience`.
  bool finish(Millis patience);
  // Waits until the process has ended, for at most `patience`.
  bool wait_for_end(Millis patience);

  [[nodiscard]] pid_t pid() const { return pid_; }
  // Why the driver is unusable: crashed, flooded, talked nonsense; empty while it is well. Its last
  // output is part of it.
  [[nodiscard]] std::string fault() const;
  // From here on an end of the process is expected (it is being killed on purpose).
  void expect_end() { end_expected_ = true; }

 private:
  DriverProcess() = default;
  void read_loop();
  void take_line(std::string line);
  void set_fault(std::string text);
  [[nodiscard]] std::string last_words() const;

  Options options_;
  pid_t pid_ = -1;
  int stdin_ = -1;
  int stdout_ = -1;
  std::thread reader_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<boost::json::object> hello_;
  std::map<std::int64_t, boost::json::object> answers_;
  std::int64_t next_id_ = 0;
  std::string fault_;
  std::deque<std::string> last_lines_;
  std::string end_;  // "exited with code 3", "was killed by signal 9"
  bool ended_ = false;
  std::atomic<bool> end_expected_ = false;
  std::mutex write_mutex_;
};

}  // namespace ktrial::harness
