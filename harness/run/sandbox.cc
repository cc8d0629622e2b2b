// SPDX-License-Identifier: Apache-2.0
#include "harness/run/sandbox.h"

#include <net/if.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>

namespace ktrial::harness {
namespace {

constexpr int kSocketBuckets = 4096;

tl::unexpected<Error> refused(std::string what) {
  return fail(
      Errc::kPermission,
      std::move(what) + ": " + std::strerror(errno) +
          "; run as root, or allow user namespaces (sysctl kernel.unprivileged_userns_clone=1)",
      "sandbox");
}

Result<void> write_map(const char* path, unsigned id) {
  std::ofstream map(path);
  map << "0 " << id << " 1\n";
  map.close();
  if (!map) return refused(std::string("cannot write ") + path);
  return {};
}

Result<void> unshare_all() {
  const uid_t uid = getuid();
  const gid_t gid = getgid();
  constexpr int kSpaces = CLONE_NEWNET | CLONE_NEWPID | CLONE_NEWNS;
  if (unshare(kSpaces) == 0) return {};
  if (unshare(kSpaces | CLONE_NEWUSER) != 0) return refused("no namespaces");
  std::ofstream("/proc/self/setgroups") << "deny";
  KTRIAL_TRY(write_map("/proc/self/uid_map", uid));
  return write_map("/proc/self/gid_map", gid);
}

// The kernel walks its whole table of TCP sockets whenever one reads /proc/net/tcp, 4 ms for the
// 262,144 buckets of a large machine. A namespace made from one that says so gets a small table of
// its own (Linux 6.1).
void small_socket_table() {
  std::ofstream entries("/proc/sys/net/ipv4/tcp_child_ehash_entries");
  entries << kSocketBuckets << '\n';
  entries.close();
  if (entries) unshare(CLONE_NEWNET);
}

Result<void> loopback_up() {
  const int socket_fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  ifreq request{};
  std::strncpy(request.ifr_name, "lo", IFNAMSIZ - 1);
  request.ifr_flags = IFF_UP | IFF_RUNNING;
  const bool up = socket_fd >= 0 && ioctl(socket_fd, SIOCSIFFLAGS, &request) == 0;
  if (socket_fd >= 0) close(socket_fd);
  if (!up) return refused("cannot bring lo up");
  return {};
}

void own_proc() {
  // Without it only run-queue waits are missing: a case can do without.
  mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr);
  mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, nullptr);
}

int wait_and_pass_on(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace

Result<void> enter_sandbox() {
  KTRIAL_TRY(unshare_all());
  small_socket_table();
  const pid_t child = fork();
  if (child < 0) return refused("cannot fork");
  if (child > 0) {
    close(STDOUT_FILENO);  // it is the child's to end
    _exit(wait_and_pass_on(child));
  }
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  own_proc();
  return loopback_up();
}

Result<void> can_sandbox() {
  const pid_t child = fork();
  if (child == 0) _exit(enter_sandbox() ? 0 : 1);
  if (child < 0 || wait_and_pass_on(child) != 0) {
    errno = EPERM;
    return refused("no network namespace can be made");
  }
  return {};
}

Result<void> set_sysctls(const std::map<std::string, std::string>& settings) {
  for (const auto& [name, text] : settings) {
    std::string path = "/proc/sys/" + name;
    std::replace(path.begin() + 10, path.end(), '.', '/');
    std::ofstream file(path);
    file << text << '\n';
    file.close();
    if (!file) return fail(Errc::kPermission, "cannot be set to " + text, path);
  }
  return {};
}

}  // namespace ktrial::harness
