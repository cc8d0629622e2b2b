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
