// SPDX-License-Identifier: Apache-2.0
#include "fakebroker/serve.h"

#include "fakebroker/cluster.h"

#include <boost/json.hpp>
#include <fmt/core.h>

#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <memory>

namespace ktrial::fakebroker {
namespace {

constexpr int kOk = 0;
constexpr int kCannotStart = 5;

std::string ready_lines(Cluster& cluster, const ControlServer* control, bool json) {
  const std::string bootstrap = cluster.bootstrap_servers();
  if (!json) {
    return (control == nullptr ? "" : fmt::format("control {}\n", control->url())) +
           fmt::format("ready {}\n", bootstrap);
  }
  boost::json::array brokers;
  for (const BrokerStatus& broker : cluster.brokers()) {
    brokers.push_back({{"id", broker.id}, {"host", broker.host}, {"port", broker.port}});
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

}  // namespace

int serve(ClusterSpec spec, ServeOptions options) {
  // Blocked before any thread starts, so that all inherit it and sigwait() alone takes them.
  sigset_t stop;
  sigemptyset(&stop);
  sigaddset(&stop, SIGINT);
  sigaddset(&stop, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &stop, nullptr);
  if (options.exit_with_parent) {
    const pid_t parent = ::getppid();
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (::getppid() != parent) return kOk;  // it ended before we asked
  }
  raise_descriptor_limit();
  auto cluster = Cluster::start(std::move(spec));
  if (!cluster) {
    fmt::print(stderr, "ktrial: {}\n", cluster.error().to_string());
    return kCannotStart;
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
  int received = 0;
  sigwait(&stop, &received);
  return kOk;
}

}  // namespace ktrial::fakebroker
