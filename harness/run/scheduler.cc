// SPDX-License-Identifier: Apache-2.0
#include "harness/run/scheduler.h"

#include <fmt/format.h>

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <deque>
#include <fstream>
#include <memory>
#include <optional>
#include <utility>

namespace ktrial::harness {
namespace {

namespace fs = std::filesystem;

constexpr int kStartCores = 2;    // cores' worth of drivers starting at once
constexpr int kMaxExclusive = 6;  // timing cases at once; each is excused by its own probes
constexpr int kTickMs = 200;

volatile std::sig_atomic_t interrupted = 0;
void on_interrupt(int) { interrupted = 1; }

// SIGINT and SIGTERM only set a flag while this lives.
class InterruptGuard {
 public:
  InterruptGuard() {
    interrupted = 0;
    struct sigaction action{};
    action.sa_handler = on_interrupt;
    sigaction(SIGINT, &action, &old_int_);
    sigaction(SIGTERM, &action, &old_term_);
  }
  ~InterruptGuard() {
    sigaction(SIGINT, &old_int_, nullptr);
    sigaction(SIGTERM, &old_term_, nullptr);
  }
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

 private:
  struct sigaction old_int_{};
  struct sigaction old_term_{};
};

struct Child {
  const Job* job = nullptr;
  int attempt = 1;
  pid_t pid = -1;
  int pipe = -1;
  bool starting = true;
  bool overdue = false;
  std::chrono::steady_clock::time_point deadline = {};
  std::string output;
};

// argv of this program for a case; the folder has everything else.
pid_t spawn_case(const fs::path& folder, int& read_end) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return -1;
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(127);  // it died before the line above
    setpgid(0, 0);                        // Ctrl-C is the parent's business
    const int log =
        open((folder / "case.log").c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0644);
    const int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
    dup2(null, 0);
    dup2(ends[1], 1);
    dup2(log, 2);
    execl("/proc/self/exe", "ktrial", "case", folder.c_str(), static_cast<char*>(nullptr));
    _exit(127);
  }
  close(ends[1]);
  read_end = ends[0];
  return child;
}

std::string tail_of(const fs::path& file) {
  std::ifstream in(file);
  std::string text((std::istreambuf_iterator<char>(in)), {});
  if (text.size() > 500) text.erase(0, text.size() - 500);
  return text;
}

class Scheduler {
 public:
  Scheduler(const std::vector<Job>& jobs, const ScheduleOptions& options,
            const std::function<void(const JobEnd&)>& on_end,
            const std::function<void(const Progress&)>& on_progress)
      : options_(options), on_end_(on_end), on_progress_(on_progress), total_(jobs.size()) {
    for (const Job& job : jobs) waiting_.push_back({&job, 1});
  }

  bool run() {
    const InterruptGuard guard;
    while (!waiting_.empty() || !alone_.empty() || !children_.empty()) {
      if (interrupted != 0) {
        kill_all();
        return false;
      }
      start_what_fits();
      wait_for_news();
      kill_overdue();
      reap_leaving();
      on_progress_(progress());
    }
    for (const pid_t pid : std::exchange(leaving_, {})) wait_for(pid);
    return true;
  }

 private:
  struct Entry {
    const Job* job;
    int attempt;
  };

  [[nodiscard]] fs::path folder_of(const Job& job) const { return options_.out / job.dir; }
  static fs::path earlier_attempt(const fs::path& folder, int attempt) {
    return folder.string() + fmt::format("~attempt{}", attempt);
  }

  [[nodiscard]] bool fits(const Job& job) const {
    if (static_cast<int>(children_.size()) >= options_.parallel) return false;
    int starting = 0;
    int exclusive = 0;
    for (const auto& child : children_) {
      if (child->starting) starting += child->job->start_weight;
      exclusive += child->job->exclusive;
    }
    if (job.exclusive && exclusive >= kMaxExclusive) return false;
    return starting == 0 || starting + job.start_weight <= kStartCores;
  }

  void start_what_fits() {
    for (auto entry = waiting_.begin(); entry != waiting_.end();) {
      if (!fits(*entry->job)) {
        ++entry;
        continue;
      }
      start(*entry);
      entry = waiting_.erase(entry);
    }
    // Second tries run alone, when all else is done.
    if (waiting_.empty() && children_.empty() && !alone_.empty()) {
      start(alone_.front());
      alone_.pop_front();
    }
  }

  void start(const Entry& entry) {
    const fs::path folder = folder_of(*entry.job);
    std::error_code bad;
    if (entry.attempt == 1) {
      // What an earlier run left in the same place.
      fs::remove_all(folder, bad);
      for (int attempt = 1; attempt <= options_.retries; ++attempt)
        fs::remove_all(earlier_attempt(folder, attempt), bad);
    } else {
      fs::rename(folder, earlier_attempt(folder, entry.attempt - 1), bad);
    }
    fs::create_directories(folder, bad);
    std::ofstream(folder / "scenario.yaml", std::ios::binary) << entry.job->scenario_text;
    static_cast<void>(write_case_spec(folder, entry.job->spec));
    auto child = std::make_unique<Child>();
    child->job = entry.job;
    child->attempt = entry.attempt;
    child->deadline = std::chrono::steady_clock::now() + entry.job->limit;
    child->pid = spawn_case(folder, child->pipe);
    children_.push_back(std::move(child));
  }

  void wait_for_news() {
    std::vector<pollfd> polls;
    for (const auto& child : children_) polls.push_back({child->pipe, POLLIN, 0});
    // A case that could not be started has no pipe, and has ended.
    const bool unborn =
        std::any_of(polls.begin(), polls.end(), [](const pollfd& one) { return one.fd < 0; });
    if (!polls.empty() && poll(polls.data(), polls.size(), unborn ? 0 : kTickMs) < 0) return;
    for (std::size_t i = 0; i < polls.size(); ++i) {
      if (polls[i].revents != 0) take_output(*children_[i]);
    }
    for (auto& child : children_) {
      if (child->pipe < 0) end(*child);
    }
    std::erase_if(children_, [](const auto& child) { return child->pipe < 0; });
  }

  void take_output(Child& child) {
    char buffer[64 << 10];
    const ssize_t got = read(child.pipe, buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) return;
    if (got > 0) {
      child.output.append(buffer, static_cast<std::size_t>(got));
      if (child.output.find('\n') != std::string::npos) child.starting = false;
      return;
    }
    close(child.pipe);
    child.pipe = -1;
  }

  // The case has a watchdog of its own; this is for one that hangs itself.
  void kill_overdue() {
    for (auto& child : children_) {
      if (child->pid < 0 || child->overdue || std::chrono::steady_clock::now() < child->deadline)
        continue;
      child->overdue = true;
      kill(child->pid, SIGKILL);
    }
  }

  static int wait_for(pid_t pid) {
    int status = 0;
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    return status;
  }

  void end(Child& child) {
    boost::json::object line;
    if (auto told = verdict_line(child.output)) {
      line = std::move(*told);
      leaving_.push_back(child.pid);  // takes its namespace down, which nobody needs to wait for
    } else {
      line = broken_line(child, wait_for(child.pid));
    }
    // Without a check judged it is rights that are missing: trying again would not bring them.
    // On an accelerated clock what others take of the processor is many times longer to the client:
    // only what happens when it runs alone is held against it.
    const bool hurried = child.job->spec.accelerate != 1 &&
                         (line.at("verdict") == "error" || line.at("verdict") == "fail");
    const bool unsure = hurried || host_in_the_way(line) ||
                        (line.at("verdict") == "inconclusive" && line.contains("checks"));
    const boost::json::value reason = line["reason"];  // makes one: it may move the others
    attempts_[child.job].push_back({{"verdict", line.at("verdict")}, {"reason", reason}});
    if (unsure && child.attempt <= options_.retries) {
      alone_.push_back({child.job, child.attempt + 1});
      return;
    }
    line["dir"] = child.job->dir;
    line["attempts"] = attempts_[child.job];
    ++done_;
    on_end_({*child.job, std::move(line)});
  }

  // A check of the level INFO leaves the case's verdict alone, but it has not said what it is for.
  static bool host_in_the_way(const boost::json::object& line) {
    const auto* checks = line.if_contains("checks");
    if (checks == nullptr || !checks->is_array()) return false;
    return std::ranges::any_of(checks->get_array(), [](const boost::json::value& check) {
      const auto* reason = check.as_object().if_contains("reason");
      return reason != nullptr && (*reason == "host_stall" || *reason == "host_load");
    });
  }

  // The last line that the case printed, if it is a verdict.
  static std::optional<boost::json::object> verdict_line(std::string_view output) {
    while (output.ends_with('\n')) output.remove_suffix(1);
    const std::size_t last = output.rfind('\n');
    boost::system::error_code bad;
    const auto parsed =
        boost::json::parse(last == std::string_view::npos ? output : output.substr(last + 1), bad);
    if (!bad && parsed.is_object() && parsed.get_object().contains("verdict"))
      return parsed.get_object();
    return std::nullopt;
  }

  // A case that died without a verdict is an error of ours.
  boost::json::object broken_line(const Child& child, int status) const {
    std::string how = WIFSIGNALED(status) ? fmt::format("signal {} ({})", WTERMSIG(status),
                                                        strsignal(WTERMSIG(status)))
                                          : fmt::format("code {}", WEXITSTATUS(status));
    if (child.overdue) how = fmt::format("force after {} ms, its limit", child.job->limit.count());
    if (child.pid < 0) how = "its fork, which failed";
    const CaseSpec& spec = child.job->spec;
    return {{"kind", "case"},
            {"id", child.job->label.substr(0, child.job->label.find(' '))},
            {"client", spec.client},
            {"version", spec.version},
            {"variant", boost::json::value_from(spec.axes)},
            {"verdict", "error"},
            {"reason", "the case's process ended with " + how + ": " +
                           tail_of(folder_of(*child.job) / "case.log")},
            {"seconds", 0}};
  }

  [[nodiscard]] Progress progress() const {
    Progress now{done_, total_, {}};
    for (const auto& child : children_) now.running.push_back(child->job->label);
    return now;
  }

  void kill_all() {
    for (const auto& child : children_) {
      if (child->pid < 0) continue;
      kill(child->pid, SIGKILL);
      wait_for(child->pid);
      close(child->pipe);
    }
    children_.clear();
    for (const pid_t pid : std::exchange(leaving_, {})) {
      kill(pid, SIGKILL);
      wait_for(pid);
    }
  }

  void reap_leaving() {
    std::erase_if(leaving_, [](pid_t pid) { return waitpid(pid, nullptr, WNOHANG) == pid; });
  }

  const ScheduleOptions& options_;
  const std::function<void(const JobEnd&)>& on_end_;
  const std::function<void(const Progress&)>& on_progress_;
  std::size_t total_;
  std::size_t done_ = 0;
  std::deque<Entry> waiting_, alone_;
  std::vector<std::unique_ptr<Child>> children_;
  std::vector<pid_t> leaving_;  // have told their verdict
  std::map<const Job*, boost::json::array> attempts_;
};

}  // namespace

bool run_jobs(const std::vector<Job>& jobs, const ScheduleOptions& options,
              const std::function<void(const JobEnd&)>& on_end,
              const std::function<void(const Progress&)>& on_progress) {
  return Scheduler(jobs, options, on_end, on_progress).run();
}

}  // namespace ktrial::harness
