// SPDX-License-Identifier: Apache-2.0
// Any bytes on a broker's socket, in pieces: the connection's state machine, framing and rules with
// it. The first byte says how the bytes are cut up; then the client half closes and reads to the
// end, which must come.
#include "fakebroker/cluster.h"
#include "fakebroker/rules/rule_json.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>

namespace ktrial::fakebroker {
namespace {

constexpr int kPatienceMs = 10'000;
constexpr int kAttempts = 100;
constexpr int kNapMs = 100;

// Rules that answer at once, each for an API of its own; the other APIs are answered as usual.
constexpr std::string_view kRules[] = {
    R"({"id":"a","when":{"api":"Heartbeat"},"do":{"error":16}})",
    R"({"id":"b","when":{"api":"ListGroups"},"do":{"bytes":{"garbage":9,"twice":true,"size":-1}}})",
    R"({"id":"c","when":{"api":"DescribeGroups"},"do":{"send":{"first":5},"close":"fin"}})",
    R"({"id":"d","when":{"api":"ListTransactions"},"do":{"set":{"errorCode":1},"clear":["topics"]}})",
    R"({"id":"e","when":{"api":"OffsetFetch"},"do":{"close":"half"}})",
    R"({"id":"f","when":{"api":"Metadata","every":2},"do":{"view":{"lag":1}}})"};

std::unique_ptr<Cluster> start() {
  ClusterSpec spec;
  spec.brokers = {{.id = 1}};
  spec.topics = {{.name = "t", .partitions = 2}};
  spec.partition_bytes = 1 << 20;
  spec.max_request_bytes = 1 << 20;
  spec.ledger_limit = 100;
  auto cluster = Cluster::start(std::move(spec));
  if (!cluster) std::abort();
  for (const std::string_view rule : kRules) {
    auto read = rule_from_json(boost::json::parse(rule));
    if (!read || !(*cluster)->add_rule(std::move(*read))) std::abort();
  }
  return std::move(*cluster);
}

[[noreturn]] void give_up(const char* what) {
  std::perror(what);
  std::abort();
}

// Ports of connections that ended a moment ago are not free yet.
int connect_to(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  ::inet_pton(AF_INET, "127.0.0.1", &address.sin_addr);
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0)
      return socket;
    if (errno != EADDRNOTAVAIL && errno != EINTR) give_up("connect");
    ::close(socket);
    ::poll(nullptr, 0, kNapMs);
  }
  give_up("no port became free");
}

bool ends(int socket) {
  std::uint8_t bytes[4096];
  pollfd readable{socket, POLLIN, 0};
  while (true) {
    const int ready = ::poll(&readable, 1, kPatienceMs);
    if (ready == 0) return false;
    // The fuzzer's own timer interrupts.
    if (ready < 0) continue;
    const ssize_t count = ::recv(socket, bytes, sizeof bytes, 0);
    if (count == 0 || (count < 0 && errno != EINTR)) return true;
  }
}

}  // namespace
}  // namespace ktrial::fakebroker

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ktrial::fakebroker;  // NOLINT(google-build-using-namespace)
  static const std::unique_ptr<Cluster> kCluster = start();
  static const std::uint16_t kPort = kCluster->brokers().front().port;
  if (size < 2) return 0;
  const int socket = connect_to(kPort);
  const std::size_t piece = data[0] % 8 == 0 ? 1 + data[0] / 8U : size;
  for (std::size_t at = 1; at < size; at += piece)
    ::send(socket, data + at, std::min(piece, size - at), MSG_NOSIGNAL);
  ::shutdown(socket, SHUT_WR);
  if (!ends(socket)) give_up("the connection does not end");
  // Else ports run out, waiting.
  const linger now{1, 0};
  ::setsockopt(socket, SOL_SOCKET, SO_LINGER, &now, sizeof now);
  ::close(socket);
  return 0;
}
