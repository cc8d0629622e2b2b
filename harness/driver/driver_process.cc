// SPDX-License-Identifier: Apache-2.0
#include "harness/driver/driver_process.h"

#include <fmt/format.h>

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>

namespace ktrial::harness {
namespace {

constexpr std::size_t kMaxLine = 1U << 20U;
constexpr std::size_t kMaxOutput = 256U << 20U;
constexpr std::size_t kMaxLog = 4U << 20U;  // of stdout, kept in the case's folder
constexpr rlim_t kMaxStderr = 64U << 20U;
constexpr std::size_t kLastLines = 5;
constexpr std::size_t kExcerpt = 200;

std::string excerpt(const std::string& text) {
  return text.size() <= kExcerpt ? text : text.substr(0, kExcerpt) + "...";
}

// What the driver becomes. Only async-signal-safe calls between fork and exec.
[[noreturn]] void become_driver(const std::vector<char*>& argv, int in, int out, int err) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  setpgid(0, 0);
  dup2(in, 0);
  dup2(out, 1);
  dup2(err, 2);
  const rlimit limit{kMaxStderr, kMaxStderr};
  setrlimit(RLIMIT_FSIZE, &limit);
  ::signal(SIGINT, SIG_DFL);
  ::signal(SIGPIPE, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  execvp(argv[0], argv.data());
  _exit(127);
}

std::string describe_end(int status) {
  if (WIFSIGNALED(status))
    return fmt::format("was killed by signal {} ({})", WTERMSIG(status),
                       strsignal(WTERMSIG(status)));
  const int code = WEXITSTATUS(status);
  return code == 127 ? "could not be started (is its program there?)"
                     : fmt::format("exited with code {}", code);
}

}  // namespace

Result<std::unique_ptr<DriverProcess>> DriverProcess::start(Options options) {
  int in[2];
  int out[2];
  if (pipe2(in, O_CLOEXEC) != 0 || pipe2(out, O_CLOEXEC) != 0)
    return fail(Errc::kIo, std::strerror(errno), "pipe");
  const int err = open(options.stderr_log.c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0644);
  if (err < 0) return fail(Errc::kIo, std::strerror(errno), options.stderr_log);
  std::vector<char*> argv;
  for (std::string& word : options.command) argv.push_back(word.data());
  argv.push_back(nullptr);
  const pid_t child = fork();
  if (child == 0) become_driver(argv, in[0], out[1], err);
  close(in[0]);
  close(out[1]);
  close(err);
  if (child < 0) return fail(Errc::kIo, std::strerror(errno), "fork");
  ::signal(SIGPIPE, SIG_IGN);
  std::unique_ptr<DriverProcess> driver(new DriverProcess);
  driver->options_ = std::move(options);
  driver->pid_ = child;
  driver->stdin_ = in[1];
  driver->stdout_ = out[0];
  driver->reader_ = std::thread(&DriverProcess::read_loop, driver.get());
  return driver;
}

DriverProcess::~DriverProcess() {
  end_expected_ = true;
  if (pid_ > 0) kill(-pid_, SIGKILL);
  if (stdin_ >= 0) close(stdin_);
  if (reader_.joinable()) reader_.join();
  close(stdout_);
}

void DriverProcess::read_loop() {
  std::ofstream log(options_.stdout_log, std::ios::binary);
  std::string pending;
  std::size_t total = 0;
  char buffer[64 << 10];
  for (;;) {
    const ssize_t got = read(stdout_, buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    const auto size = static_cast<std::size_t>(got);
    if (total < kMaxLog)
      log.write(buffer, static_cast<std::streamsize>(std::min(size, kMaxLog - total)));
    total += size;
    pending.append(buffer, size);
    std::size_t start = 0;
    for (std::size_t end = pending.find('\n'); end != std::string::npos;
         end = pending.find('\n', start)) {
      take_line(pending.substr(start, end - start));
      start = end + 1;
    }
    pending.erase(0, start);
    if (pending.size() > kMaxLine)
      set_fault(fmt::format("the driver printed a line of more than {} bytes", kMaxLine));
    if (total > kMaxOutput)
      set_fault(fmt::format("the driver flooded stdout with more than {} MiB", kMaxOutput >> 20U));
    if (pending.size() > kMaxLine || total > kMaxOutput) kill(-pid_, SIGKILL);
  }
  log.flush();
  int status = 0;
  while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  {
    const std::lock_guard lock(mutex_);
    end_ = describe_end(status);
    ended_ = true;
  }
  if (!end_expected_) set_fault("the driver " + describe_end(status));
  changed_.notify_all();
}

void DriverProcess::take_line(std::string line) {
  if (line.empty()) return;
  boost::system::error_code bad;
  const boost::json::value parsed = boost::json::parse(line, bad);
  {
    const std::lock_guard lock(mutex_);
    last_lines_.push_back(excerpt(line));
    if (last_lines_.size() > kLastLines) last_lines_.pop_front();
  }
  if (bad || !parsed.is_object())
    return set_fault("the driver printed something that is no JSON object: " + excerpt(line));
  const auto& object = parsed.get_object();
  if (const auto* event = object.if_contains("event"); event != nullptr && event->is_string()) {
    if (event->get_string() != "hello") {
      if (options_.on_event) options_.on_event(object);
      return;
    }
    const std::lock_guard lock(mutex_);
    hello_ = object;
  } else if (const auto* id = object.if_contains("id"); id != nullptr && id->is_int64()) {
    const std::lock_guard lock(mutex_);
    if (id->get_int64() >= 1 && id->get_int64() <= next_id_) answers_[id->get_int64()] = object;
  } else {
    return set_fault("the driver printed a line that is neither an answer nor an event: " +
                     excerpt(line));
  }
  changed_.notify_all();
}

void DriverProcess::set_fault(std::string text) {
  {
    const std::lock_guard lock(mutex_);
    if (fault_.empty()) fault_ = std::move(text);
  }
  changed_.notify_all();
}

std::string DriverProcess::last_words() const {
  std::string out;
  for (const std::string& line : last_lines_)
    out += (out.empty() ? "; its last output: " : " | ") + line;
  return out;
}

std::string DriverProcess::fault() const {
  const std::lock_guard lock(mutex_);
  return fault_.empty() ? "" : fault_ + last_words();
}

Result<boost::json::object> DriverProcess::hello(Millis patience) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, patience, [this] { return hello_ || !fault_.empty() || ended_; });
  if (hello_) return *hello_;
  lock.unlock();
  const std::string why = fault();
  return fail(Errc::kTimeout, why.empty() ? fmt::format("the driver did not say hello within {} ms",
                                                        patience.count())
                                          : why);
}

Result<boost::json::object> DriverProcess::call(boost::json::object command, Millis patience) {
  std::int64_t id = 0;
  {
    const std::lock_guard lock(mutex_);
    id = ++next_id_;
  }
  command["id"] = id;
  const std::string line = boost::json::serialize(command) + "\n";
  {
    const std::lock_guard lock(write_mutex_);
    std::string_view left = line;
    while (!left.empty()) {
      const ssize_t wrote = write(stdin_, left.data(), left.size());
      if (wrote < 0 && errno == EINTR) continue;
      if (wrote < 0) break;  // the reader finds out why
      left.remove_prefix(static_cast<std::size_t>(wrote));
    }
  }
  std::unique_lock lock(mutex_);
  const auto answered = [&] { return answers_.contains(id); };
  changed_.wait_for(lock, patience, [&] { return answered() || !fault_.empty() || ended_; });
  if (answered()) {
    auto node = answers_.extract(id);
    return std::move(node.mapped());
  }
  const bool ended = ended_;
  const std::string end = end_;
  lock.unlock();
  const std::string why = fault();
  if (!why.empty()) return fail(Errc::kIo, why);
  if (ended) return fail(Errc::kIo, "the driver " + end);
  const auto* verb = command.if_contains("cmd");
  return fail(Errc::kTimeout,
              fmt::format("the driver did not answer '{}' within {} ms",
                          verb != nullptr && verb->is_string() ? verb->get_string().c_str() : "?",
                          patience.count()));
}

void DriverProcess::signal(int number) {
  end_expected_ = true;
  kill(pid_, number);
}

bool DriverProcess::wait_for_end(Millis patience) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, patience, [this] { return ended_; });
}

bool DriverProcess::finish(Millis patience) {
  end_expected_ = true;
  {
    const std::lock_guard lock(write_mutex_);
    if (stdin_ >= 0) close(stdin_);
    stdin_ = -1;
  }
  if (wait_for_end(patience)) return true;
  kill(-pid_, SIGKILL);
  return false;
}

}  // namespace ktrial::harness
