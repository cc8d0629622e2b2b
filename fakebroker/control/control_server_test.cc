// SPDX-License-Identifier: Apache-2.0
// The control server over real sockets: HTTP, WebSocket, limits and who may ask.
#include "fakebroker/control/control_server.h"

#include "fakebroker/cluster_for_test.h"
#include "fakebroker/requests_for_test.h"

#include <gtest/gtest.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <charconv>
#include <thread>

namespace ktrial::fakebroker {
namespace {

// A plain TCP client; nothing waits longer than five seconds.
class Socket {
 public:
  explicit Socket(const std::string& url) : fd_(::socket(AF_INET, SOCK_STREAM, 0)) {
    const timeval patience{.tv_sec = 5, .tv_usec = 0};
    ::setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
    const std::string_view port = std::string_view(url).substr(url.rfind(':') + 1);
    int number = 0;
    std::from_chars(port.data(), port.data() + port.size(), number);
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(static_cast<std::uint16_t>(number));
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::connect(fd_, reinterpret_cast<sockaddr*>(&to), sizeof(to)), 0);
  }
  ~Socket() { ::close(fd_); }
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;

  void send(std::string_view text) {
    EXPECT_EQ(::send(fd_, text.data(), text.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(text.size()));
  }
  // Up to and with `end`, or all there is.
  std::string read_to(std::string_view end = "") {
    std::string text;
    char c = 0;
    while (::recv(fd_, &c, 1, 0) == 1) {
      text += c;
      if (!end.empty() && text.ends_with(end)) break;
    }
    return text;
  }

 private:
  int fd_;
};

struct ControlServerTest : testing::Test {
  ClusterForTest cluster{spec_for_test(1)};

  std::unique_ptr<ControlServer> start(ControlOptions options = {}) {
    auto server = ControlServer::start(*cluster.operator->(), std::move(options));
    EXPECT_TRUE(server);
    return std::move(*server);
  }
  static std::string get(const ControlServer& server, const std::string& target,
                         const std::string& headers = "Host: localhost\r\n") {
    Socket socket(server.url());
    socket.send("GET " + target + " HTTP/1.1\r\n" + headers + "Connection: close\r\n\r\n");
    return socket.read_to();
  }
  static std::string status(const std::string& answer) {
    return answer.substr(0, answer.find("\r\n"));
  }
};

TEST_F(ControlServerTest, AnswersOverHttp) {
  const auto server = start();
  const std::string answer = get(*server, "/v1/cluster");
  EXPECT_EQ(status(answer), "HTTP/1.1 200 OK");
  EXPECT_NE(answer.find("\"bootstrap\":\"127.0.0.1:"), std::string::npos) << answer;
  EXPECT_NE(get(*server, "/").find("<title>ktrial cluster</title>"), std::string::npos);
  EXPECT_NE(get(*server, "/v1/openapi.json").find("\"openapi\": \"3.1.0\""), std::string::npos);
}

TEST_F(ControlServerTest, SeveralRequestsShareAConnection) {
  const auto server = start();
  Socket socket(server->url());
  for (int i = 0; i < 3; ++i) {
    socket.send("GET /v1/rules HTTP/1.1\r\nHost: localhost\r\n\r\n");
    EXPECT_NE(socket.read_to("[]\n").find("200 OK"), std::string::npos);
  }
}

TEST_F(ControlServerTest, RefusesWhatIsTooLargeOrNoHttp) {
  const auto server = start();
  Socket large(server->url());
  large.send("POST /v1/rules HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2000000\r\n\r\n");
  EXPECT_EQ(status(large.read_to()), "HTTP/1.1 413 Payload Too Large");
  Socket header(server->url());
  header.send("GET / HTTP/1.1\r\nX: " + std::string(10'000, 'x'));
  EXPECT_EQ(status(header.read_to()), "HTTP/1.1 431 Request Header Fields Too Large");
  Socket binary(server->url());
  binary.send(std::string("\0\0\0\x10\0\x12\0\4", 8) + "\r\n\r\n");
  EXPECT_EQ(status(binary.read_to()), "HTTP/1.1 400 Bad Request");
}

TEST_F(ControlServerTest, ATokenIsAskedForWhereThereIsOne) {
  const auto server = start({.token = "secret"});
  EXPECT_EQ(status(get(*server, "/v1/rules")), "HTTP/1.1 401 Unauthorized");
  EXPECT_EQ(status(get(*server, "/v1/rules?token=secre")), "HTTP/1.1 401 Unauthorized");
  EXPECT_EQ(status(get(*server, "/v1/rules?token=secret")), "HTTP/1.1 200 OK");
  EXPECT_EQ(status(get(*server, "/v1/rules", "Host: x\r\nAuthorization: Bearer secret\r\n")),
            "HTTP/1.1 200 OK");
}

TEST_F(ControlServerTest, ThePageNeedsATokenAndWhatItIsMadeOfDoesNot) {
  const auto server = start({.token = "secret"});
  EXPECT_EQ(status(get(*server, "/")), "HTTP/1.1 401 Unauthorized");
  const std::string page = get(*server, "/?token=secret");
  EXPECT_EQ(status(page), "HTTP/1.1 200 OK");
  EXPECT_NE(page.find("Content-Security-Policy: default-src 'none'; script-src 'self';"),
            std::string::npos);
  for (const std::string path : {"/page.css", "/page.js", "/rule_form.js"}) {
    EXPECT_EQ(status(get(*server, path)), "HTTP/1.1 200 OK") << path;
    EXPECT_NE(page.find('"' + path.substr(1) + '"'), std::string::npos) << path;
  }
}

TEST_F(ControlServerTest, WhereOthersCanReachItATokenIsAMust) {
  const auto open = ControlServer::start(*cluster.operator->(), {.host = "0.0.0.0"});
  ASSERT_FALSE(open);
  EXPECT_EQ(open.error().message, "others can reach 0.0.0.0: a token is needed there");
}

TEST_F(ControlServerTest, PagesOfOthersMayNotAsk) {
  const auto server = start();
  EXPECT_EQ(status(get(*server, "/v1/rules", "Host: localhost\r\nOrigin: http://evil.example\r\n")),
            "HTTP/1.1 403 Forbidden");
  EXPECT_EQ(status(get(*server, "/v1/rules", "Host: evil.example\r\n")), "HTTP/1.1 403 Forbidden");
  EXPECT_EQ(status(get(*server, "/v1/rules", "Host: [::1]:80\r\n")), "HTTP/1.1 200 OK");
}

TEST_F(ControlServerTest, EventsComeAsTheyHappen) {
  const auto server = start();
  EXPECT_EQ(status(get(*server, "/v1/events")), "HTTP/1.1 426 Upgrade Required");
  Socket socket(server->url());
  socket.send(
      "GET /v1/events HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
      "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n");
  EXPECT_EQ(status(socket.read_to("\r\n\r\n")), "HTTP/1.1 101 Switching Protocols");
  // Subscribed a moment after the handshake: connect until the first event is there.
  std::unique_ptr<ClientForTest> client;
  std::jthread connecting([&](const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      client = std::make_unique<ClientForTest>(cluster.broker());
      std::this_thread::sleep_for(Millis(5));
    }
  });
  EXPECT_NE(socket.read_to("}").find("\"kind\":\"accept\""), std::string::npos);
}

}  // namespace
}  // namespace ktrial::fakebroker
