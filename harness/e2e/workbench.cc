// SPDX-License-Identifier: Apache-2.0
#include "harness/e2e/workbench.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <fstream>
#include <thread>

namespace ktrial::harness {
namespace {

namespace fs = std::filesystem;

// The program with KTRIAL_HOME set, stdout and stderr into `output` (or nowhere).
pid_t launch(const fs::path& home, std::vector<std::string> arguments, int output) {
  arguments.insert(arguments.begin(), KTRIAL_PROGRAM);
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  const pid_t child = fork();
  if (child != 0) return child;
  setenv("KTRIAL_HOME", home.c_str(), 1);
  const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  dup2(null, 0);
  dup2(output < 0 ? null : output, 1);
  dup2(output < 0 ? null : output, 2);
  if (chdir(home.c_str()) != 0) _exit(126);
  execv(argv[0], argv.data());
  _exit(127);
}

// What a file of /proc says now; nothing if its process has just ended.
std::string contents(const fs::path& file) {
  std::string text;
  const int in = open(file.c_str(), O_RDONLY | O_CLOEXEC);
  std::array<char, 4096> buffer{};
  for (ssize_t got = 0; in >= 0 && (got = read(in, buffer.data(), buffer.size())) > 0;) {
    text.append(buffer.data(), static_cast<std::size_t>(got));
  }
  if (in >= 0) close(in);
  return text;
}

}  // namespace

Workbench::Workbench() {
  std::string pattern = (fs::temp_directory_path() / "ktrial-e2e-XXXXXX").string();
  home_ = mkdtemp(pattern.data());
  fs::create_directories(home_ / "scenarios");
  fs::create_directories(home_ / "clients" / "drivers");
}

Workbench::~Workbench() {
  std::error_code ignored;
  fs::remove_all(home_, ignored);
}

void Workbench::breathe() { std::this_thread::sleep_for(std::chrono::milliseconds(10)); }

void Workbench::scenario(std::string_view name, std::string_view text) const {
  std::ofstream(home_ / "scenarios" / (std::string(name) + ".yaml")) << text;
}

std::string Workbench::driver(const std::string& mode) const {
  const fs::path file = home_ / mode;
  // The path as a second argument makes the process findable.
  std::ofstream(file) << "#!/bin/sh\nexec " << KTRIAL_SCRIPTED_DRIVER << ' ' << mode << ' '
                      << file.string() << '\n';
  fs::permissions(file, fs::perms::owner_all | fs::perms::group_read | fs::perms::group_exec);
  return file.string();
}

Outcome Workbench::ktrial(std::vector<std::string> arguments) const {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return {};
  const pid_t child = launch(home_, std::move(arguments), ends[1]);
  close(ends[1]);
  Outcome outcome;
  std::array<char, 4096> buffer{};
  for (ssize_t got = 0; (got = read(ends[0], buffer.data(), buffer.size())) > 0;)
    outcome.out.append(buffer.data(), static_cast<std::size_t>(got));
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  outcome.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return outcome;
}

Outcome Workbench::run(std::vector<std::string> arguments) const {
  arguments.insert(arguments.begin(), {"run", "--out", out().string()});
  return ktrial(std::move(arguments));
}

pid_t Workbench::start_run(std::vector<std::string> arguments) const {
  arguments.insert(arguments.begin(), {"run", "--out", out().string()});
  return launch(home_, std::move(arguments), -1);
}

std::vector<boost::json::object> Workbench::lines(std::string_view kind) const {
  std::vector<boost::json::object> found;
  std::ifstream in(out() / "run.jsonl");
  for (std::string text; std::getline(in, text);) {
    const boost::json::value line = boost::json::parse(text);
    if (line.at("kind").as_string() == kind) found.push_back(line.as_object());
  }
  return found;
}

std::vector<std::string> Workbench::processes() const {
  std::vector<std::string> found;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator("/proc", ignored)) {
    std::string command = contents(entry.path() / "cmdline");
    for (char& letter : command) letter = letter == '\0' ? ' ' : letter;
    if (command.find(home_.string()) != std::string::npos)
      found.push_back(entry.path().filename().string() + ": " + command);
  }
  return found;
}

std::string verdict(const boost::json::object& line) {
  return std::string(line.at("verdict").as_string());
}

std::string reason(const boost::json::object& line) {
  const auto* text = line.if_contains("reason");
  return text != nullptr && text->is_string() ? std::string(text->get_string()) : "";
}

const std::string_view kQuiet = R"(ktrial: 1
id: e2e/quiet
title: A client that sends nothing is not heard
cluster: {brokers: 1}
client: {role: producer, config: {client.id: "${case}"}}
steps:
  - client: create
  - client: close
checks:
  - id: silent
    level: MUST
    basis: house
    requirement: It opens no connection.
    never: {event: conn.attempt, window: [create.begin, close.end]}
)";

const std::string_view kAskOnce = R"(ktrial: 1
id: e2e/ask-once
title: A client asks for the versions once
timeout: 4s
cluster: {brokers: 2, bootstrap: [1], topics: {t: {partitions: 1}}}
client: {role: producer, config: {client.id: "${case}"}}
steps:
  - client: create
  - {client: send, topic: t, value: v}
  - client: close
checks:
  - id: asked-once
    level: MUST
    basis: house
    requirement: There is one ApiVersions request.
    count: {of: {event: req, api: ApiVersions}, eq: 1}
)";

const std::string_view kAskTwice = R"(ktrial: 1
id: e2e/ask-twice
title: A client asks for the versions twice
timeout: 4s
cluster: {brokers: 2, bootstrap: [1], topics: {t: {partitions: 1}}}
client: {role: producer, config: {client.id: "${case}"}}
steps:
  - client: create
  - {client: send, topic: t, value: v}
  - client: close
checks:
  - id: asked-twice
    level: MUST
    basis: house
    requirement: There are two ApiVersions requests.
    count: {of: {event: req, api: ApiVersions}, eq: 2}
)";

const std::string_view kSlow = R"(ktrial: 1
id: e2e/slow
title: A client that lives for a while
timeout: 60s
cluster: {brokers: 1}
client: {role: producer, config: {client.id: "${case}"}}
steps:
  - client: create
  - sleep: 30s
  - client: close
checks:
  - id: silent
    level: MUST
    basis: house
    requirement: It opens no connection.
    never: {event: conn.attempt, window: [create.begin, close.end]}
)";

}  // namespace ktrial::harness
