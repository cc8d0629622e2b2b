// SPDX-License-Identifier: Apache-2.0
#include "fakebroker/serve.h"

#include "fakebroker/cluster.h"

#include <boost/json.hpp>
#include <fmt/core.h>

#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

namespace ktrial::fakebroker {
namespace {

constexpr int kOk = 0;
constexpr int kCannotStart = 5;

// One a listener, where there is more to say of them than the ready line does.
std::string listener_lines(Cluster& cluster, const std::vector<BrokerStatus>& brokers) {
  const std::vector<ListenerStatus>& listeners = brokers.front().listeners;
  if (listeners.size() == 1 && listeners.front().protocol == "PLAINTEXT") return {};
  std::string lines;
  for (const ListenerStatus& listener : listeners) {
    lines += fmt::format("listener {} {} {}\n", listener.name, listener.protocol,
                         cluster.bootstrap_servers(listener.name));
  }
  return lines;
}

std::string ready_lines(Cluster& cluster, const ControlServer* control, bool json) {
  const std::string bootstrap = cluster.bootstrap_servers();
  const std::vector<BrokerStatus> all = cluster.brokers();
  if (!json) {
    return (control == nullptr ? "" : fmt::format("control {}\n", control->url())) +
           listener_lines(cluster, all) + fmt::format("ready {}\n", bootstrap);
  }
  boost::json::array brokers;
  for (const BrokerStatus& broker : all) {
    boost::json::array listeners;
    for (const ListenerStatus& listener : broker.listeners) {
      listeners.push_back({{"name", listener.name},
                           {"protocol", listener.protocol},
                           {"host", listener.host},
                           {"port", listener.port}});
    }
    brokers.push_back({{"id", broker.id},
                       {"host", broker.host},
                       {"port", broker.port},
                       {"listeners", std::move(listeners)}});
  }
  boost::json::object line{
      {"event", "ready"}, {"bootstrap", bootstrap}, {"brokers", std::move(brokers)}};
  if (control != nullptr) line["control"] = control->url();
  return boost::json::serialize(line) + "\n";
}

// Every connection is a descriptor.
void raise_descriptor_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

// A descriptor that is readable once the parent has ended; -1: the kernel has none, and sends us
// SIGTERM when the thread that started us ends. (Only the latter would be fooled by a test runner
// that starts us from a thread of its pool.)
int watch_parent(pid_t parent) {
  // glibc 2.36 declares pidfd_open() for C only.
  const int watched = static_cast<int>(::syscall(SYS_pidfd_open, parent, 0));
  if (watched < 0) ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  return watched;
}

void wait_for_end(const sigset_t& stop, int parent) {
  std::array<pollfd, 2> watched{
      {{::signalfd(-1, &stop, SFD_CLOEXEC), POLLIN, 0}, {parent, POLLIN, 0}}};
  while (::poll(watched.data(), watched.size(), -1) < 0 && errno == EINTR) {
  }
}

}  // namespace

int serve(ClusterSpec spec, ServeOptions options) {
  // Blocked before any thread starts, so that all inherit it and wait_for_end() alone sees them.
  sigset_t stop;
  sigemptyset(&stop);
  sigaddset(&stop, SIGINT);
  sigaddset(&stop, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &stop, nullptr);
  int parent = -1;
  if (options.exit_with_parent) {
    const pid_t id = ::getppid();
    parent = watch_parent(id);
    if (::getppid() != id) return kOk;  // it ended before we asked
  }
  raise_descriptor_limit();
  auto cluster = Cluster::start(std::move(spec));
  if (!cluster) {
    fmt::print(stderr, "ktrial: {}\n", cluster.error().to_string());
    return kCannotStart;
  }
  for (Rule& rule : options.rules) {
    if (const auto added = (*cluster)->add_rule(std::move(rule)); !added) {
      fmt::print(stderr, "ktrial: {}\n", added.error().to_string());
      return kCannotStart;
    }
  }
  std::unique_ptr<ControlServer> control;
  if (options.control) {
    auto started = ControlServer::start(**cluster, std::move(*options.control));
    if (!started) {
      fmt::print(stderr, "ktrial: control: {}\n", started.error().to_string());
      return kCannotStart;
    }
    control = std::move(*started);
  }
  fmt::print("{}", ready_lines(**cluster, control.get(), options.json));
  std::fflush(stdout);
  wait_for_end(stop, parent);
  return kOk;
}

}  // namespace ktrial::fakebroker
