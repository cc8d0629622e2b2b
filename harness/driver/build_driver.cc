// SPDX-License-Identifier: Apache-2.0
#include "harness/driver/build_driver.h"

#include "common/crc32c.h"
#include "source_dir.h"

#include <fmt/format.h>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>

namespace ktrial::harness {
namespace {

namespace fs = std::filesystem;

std::string read_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

// Names and contents of everything in the driver's folder.
std::string fingerprint(const ClientChoice& choice) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(choice.driver->folder)) {
    if (entry.is_regular_file()) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  std::uint32_t crc = 0;
  for (const fs::path& file : files) {
    const std::string text = file.string() + read_file(file);
    crc = crc32c({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()}, crc);
  }
  return fmt::format("{} {:08x}\n", choice.version->release, crc);
}

fs::path stamp_of(const Places& places, const ClientChoice& choice) {
  return places.build_of(choice) / ".built";
}

int run_build(const Places& places, const ClientChoice& choice, const fs::path& log) {
  const pid_t child = fork();
  if (child == 0) {
    const int out = open(log.c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0644);
    const int in = open("/dev/null", O_RDONLY | O_CLOEXEC);
    dup2(in, 0);
    dup2(out, 1);
    dup2(out, 2);
    setenv("KTRIAL_VERSION", choice.version->release.c_str(), 1);
    setenv("KTRIAL_BUILD_DIR", places.build_of(choice).c_str(), 1);
    if (chdir(choice.driver->folder.c_str()) != 0) _exit(127);
    std::vector<char*> argv;
    for (const std::string& word : choice.driver->build)
      argv.push_back(const_cast<char*>(word.c_str()));
    argv.push_back(nullptr);
    execvp(argv[0], argv.data());
    _exit(127);
  }
  int status = -1;
  waitpid(child, &status, 0);
  return status;
}

}  // namespace

fs::path Places::build_of(const ClientChoice& choice) const {
  return home / "build" / "drivers" / choice.driver->name / choice.version->release;
}

Places Places::find() {
  const char* home = std::getenv("KTRIAL_HOME");
  return {home != nullptr && *home != '\0' ? fs::path(home) : fs::path(KTRIAL_SOURCE_DIR),
          fs::read_symlink("/proc/self/exe").parent_path()};
}

bool needs_build(const Places& places, const ClientChoice& choice) {
  return !choice.driver->build.empty() &&
         read_file(stamp_of(places, choice)) != fingerprint(choice);
}

Result<void> build_driver(const Places& places, const ClientChoice& choice) {
  if (!needs_build(places, choice)) return {};
  const fs::path dir = places.build_of(choice);
  std::error_code bad;
  fs::create_directories(dir, bad);
  const int lock = open((dir.string() + ".lock").c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0644);
  if (lock < 0) return fail(Errc::kIo, "cannot be written", dir.string());
  flock(lock, LOCK_EX);
  Result<void> result;
  if (needs_build(places, choice)) {
    const fs::path log = dir.string() + ".log";
    const int status = run_build(places, choice, log);
    if (status == 0) {
      std::ofstream(stamp_of(places, choice)) << fingerprint(choice);
    } else {
      result = fail(Errc::kIo, fmt::format("the driver {} cannot be built; its output is in {}",
                                           choice.name(), log.string()));
    }
  }
  close(lock);
  return result;
}

std::vector<std::string> run_command(const Places& places, const ClientChoice& choice) {
  std::vector<std::string> command = choice.driver->run;
  for (std::string& word : command) {
    for (const auto& [name, path] :
         {std::pair<std::string_view, fs::path>{"${build}", places.build_of(choice)},
          {"${source}", choice.driver->folder},
          {"${bin}", places.bin}}) {
      for (std::size_t at = word.find(name); at != std::string::npos; at = word.find(name))
        word.replace(at, name.size(), path.string());
    }
  }
  return command;
}

}  // namespace ktrial::harness
