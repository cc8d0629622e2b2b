// SPDX-License-Identifier: Apache-2.0
#include "harness/host/probes.h"

#include <gtest/gtest.h>

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include <vector>

namespace ktrial::harness {
namespace {

// A listener on 127.0.0.1 and a connection to it through a socket of `family`.
class Connected {
 public:
  explicit Connected(int family) {
    listener_ = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in any{};
    any.sin_family = AF_INET;
    any.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    bind(listener_, reinterpret_cast<sockaddr*>(&any), sizeof any);
    listen(listener_, 1);
    socklen_t size = sizeof any;
    getsockname(listener_, reinterpret_cast<sockaddr*>(&any), &size);
    broker_ = "127.0.0.1:" + std::to_string(ntohs(any.sin_port));
    client_ = socket(family, SOCK_STREAM, 0);
    if (family == AF_INET) {
      connect(client_, reinterpret_cast<sockaddr*>(&any), sizeof any);
    } else {
      sockaddr_in6 mapped{};
      mapped.sin6_family = AF_INET6;
      mapped.sin6_port = any.sin_port;
      inet_pton(AF_INET6, "::ffff:127.0.0.1", &mapped.sin6_addr);
      connect(client_, reinterpret_cast<sockaddr*>(&mapped), sizeof mapped);
    }
    accepted_ = accept(listener_, nullptr, nullptr);
  }
  ~Connected() {
    for (const int fd : {accepted_, client_, listener_}) close(fd);
  }
  void broker_closes() {
    shutdown(accepted_, SHUT_WR);
    char end = 0;
    recv(client_, &end, 1, 0);  // the FIN is there
  }
  [[nodiscard]] boost::json::object states() const { return client_socket_states({broker_}); }

 private:
  int listener_ = -1, client_ = -1, accepted_ = -1;
  std::string broker_;
};

TEST(ClientSocketStates, CountTheClientsEndOnly) {
  const Connected connected(AF_INET);
  EXPECT_EQ(connected.states(), (boost::json::object{{"ESTABLISHED", 1}, {"CLOSE_WAIT", 0}}));
}

TEST(ClientSocketStates, SeeACloseThatTheClientDoesNotAnswer) {
  Connected connected(AF_INET);
  connected.broker_closes();
  EXPECT_EQ(connected.states(), (boost::json::object{{"ESTABLISHED", 0}, {"CLOSE_WAIT", 1}}));
}

TEST(ClientSocketStates, SeeAnIpv4ConnectionOfAnIpv6Socket) {
  Connected connected(AF_INET6);
  connected.broker_closes();
  EXPECT_EQ(connected.states(), (boost::json::object{{"ESTABLISHED", 0}, {"CLOSE_WAIT", 1}}));
}

TEST(PeakMemory, IsTheMostThatWasResident) {
  {
    const std::vector<char> much(200U << 20U, 'x');
    EXPECT_EQ(much.back(), 'x');
  }
  EXPECT_GE(peak_memory_mib(getpid()).value_or(0), 200);
}

TEST(PeakMemory, OfNoProcessIsNone) { EXPECT_EQ(peak_memory_mib(-1), std::nullopt); }

}  // namespace
}  // namespace ktrial::harness
