// SPDX-License-Identifier: Apache-2.0
// Real packets on a real loopback interface, in a network namespace of the test's own where the
// kernel grants one: nothing else can be heard there. Needs the right to capture.
#include "capture/live_capture.h"

#include "capture/capture_file.h"
#include "capture/note_sender.h"
#include "capture/read_capture.h"
#include "capture/test_support.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <arpa/inet.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdio>
#include <thread>

namespace ktrial::capture {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Clock = std::chrono::steady_clock;

// Once per process: own namespaces with loopback up. On the machine's own loopback the tests work
// too, as long as nobody else speaks TCP there.
void enter_own_network() {
  static const bool entered = [] {
    if (::unshare(CLONE_NEWUSER | CLONE_NEWNET) != 0 && ::unshare(CLONE_NEWNET) != 0) return false;
    const int fd = ::socket(AF_INET, SOCK_DGRAM, 0);
    ifreq request{};
    std::snprintf(request.ifr_name, sizeof request.ifr_name, "lo");
    request.ifr_flags = IFF_UP;
    const bool up = ::ioctl(fd, SIOCSIFFLAGS, &request) == 0;
    ::close(fd);
    return up;
  }();
  static_cast<void>(entered);
}

struct Pair {
  int client = -1, server = -1;
  ~Pair() {
    if (client >= 0) ::close(client);
    if (server >= 0) ::close(server);
  }
};

sockaddr_in loopback(std::uint16_t port) {
  sockaddr_in out{};
  out.sin_family = AF_INET;
  out.sin_addr.s_addr = htonl(0x7f010001);
  out.sin_port = htons(port);
  return out;
}

int listen_on(std::uint16_t port) {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int yes = 1;
  ::setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  const sockaddr_in at = loopback(port);
  EXPECT_EQ(::bind(fd, reinterpret_cast<const sockaddr*>(&at), sizeof at), 0);
  EXPECT_EQ(::listen(fd, 16), 0);
  return fd;
}

int dial(std::uint16_t port) {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const sockaddr_in at = loopback(port);
  if (::connect(fd, reinterpret_cast<const sockaddr*>(&at), sizeof at) == 0) return fd;
  ::close(fd);
  return -1;
}

void write_all(int fd, const synth::Bytes& bytes) {
  ASSERT_EQ(::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL),
            static_cast<ssize_t>(bytes.size()));
}

void read_all(int fd, std::size_t size) {
  std::vector<std::uint8_t> buffer(size);
  ASSERT_EQ(::recv(fd, buffer.data(), size, MSG_WAITALL), static_cast<ssize_t>(size));
}

class LiveCaptureTest : public ::testing::Test {
 protected:
  void SetUp() override {
    enter_own_network();
    path = ::testing::TempDir() + "ktrial-live-" + std::to_string(::getpid()) + ".pcapng";
    auto started = LiveCapture::start("lo", path);
    ASSERT_TRUE(started.has_value()) << started.error().to_string();
    live = std::move(*started);
  }
  void TearDown() override { ::unlink(path.c_str()); }

  std::string path;
  std::unique_ptr<LiveCapture> live;
};

TEST_F(LiveCaptureTest, SmallExchangeIsCapturedToItsLastPacket) {
  const int listener = listen_on(19092);
  {
    Pair pair;
    pair.client = dial(19092);
    pair.server = ::accept(listener, nullptr, nullptr);
    for (int i = 0; i < 50; ++i) {
      write_all(pair.client, ask(i));
      read_all(pair.server, ask(i).size());
      write_all(pair.server, answer(i));
      read_all(pair.client, answer(i).size());
    }
  }
  ::close(listener);
  const auto summary = live->stop();
  ASSERT_TRUE(summary.has_value()) << summary.error().to_string();
  EXPECT_TRUE(summary->complete);
  EXPECT_EQ(summary->counters.dropped, 0U);
  const EventLog& log = summary->log;
  EXPECT_EQ(count(log, "req"), 50U);
  EXPECT_EQ(count(log, "resp"), 50U);
  ASSERT_EQ(log.connections.size(), 1U);
  EXPECT_EQ(log.connections[0].close_kind, "fin");
  EXPECT_EQ(log.connections[0].retransmissions, 0U);
  EXPECT_EQ(log.connections[0].gaps, 0U);
  EXPECT_THAT(log.stats.problems, IsEmpty());
  EXPECT_EQ(log.stats.dropped, 0U);

  const auto again = analyze_file(path);
  ASSERT_TRUE(again.has_value()) << again.error().to_string();
  EXPECT_EQ(types(*again), types(log));
  EXPECT_EQ(again->stats.packets, log.stats.packets);
  EXPECT_EQ(again->stats.dropped, 0U);
}

TEST_F(LiveCaptureTest, NotesArriveAndWaitsWakeUp) {
  auto notes = NoteSender::open();
  ASSERT_TRUE(notes.has_value());
  ASSERT_TRUE(notes->send({{"e", "mark"}, {"name", "quiet"}}).has_value());
  ASSERT_TRUE(notes->send({{"e", "call.end"}, {"text", std::string(100000, 'y')}}).has_value());
  EXPECT_TRUE(live->wait_until([](const EventLog& log) { return count(log, "call.end") == 1; },
                               Clock::now() + std::chrono::seconds(5)));
  live->with_log([](const EventLog& log) {
    EXPECT_THAT(types(log), ElementsAre("mark", "call.end"));
    EXPECT_EQ(log.events[1].data.at("text").get_string().size(), 100000U);
  });
}

TEST_F(LiveCaptureTest, WaitEndsAtItsDeadline) {
  EXPECT_FALSE(live->wait_until([](const EventLog&) { return false; },
                                Clock::now() + std::chrono::milliseconds(20)));
}

TEST_F(LiveCaptureTest, CancelEndsAWait) {
  std::thread other([&] { live->cancel_waits(); });
  EXPECT_FALSE(live->wait_until([](const EventLog&) { return false; },
                                Clock::now() + std::chrono::seconds(60)));
  other.join();
}

TEST_F(LiveCaptureTest, RefusedConnectionIsSeen) {
  EXPECT_EQ(dial(19093), -1);
  EXPECT_TRUE(live->settle());
  live->with_log([](const EventLog& log) {
    EXPECT_EQ(count(log, "conn.attempt"), 1U);
    EXPECT_EQ(count(log, "conn.refused"), 1U);
  });
}

TEST_F(LiveCaptureTest, SecondStopIsAnErrorAndTheFileIsComplete) {
  ASSERT_TRUE(live->stop().has_value());
  EXPECT_FALSE(live->stop().has_value());
  auto file = CaptureFile::open(path);
  ASSERT_TRUE(file.has_value());
  PacketView packet;
  for (auto more = file->next(packet); more.has_value() && *more; more = file->next(packet)) {
  }
  EXPECT_EQ(file->info().dropped, 0U);
  EXPECT_EQ(file->info().interfaces.at(0).name, "lo");
  EXPECT_FALSE(file->info().section.os.empty());
}

TEST(LiveCapture, UnknownInterfaceIsNamed) {
  enter_own_network();
  const auto started = LiveCapture::start("nosuch0", "/dev/null");
  ASSERT_FALSE(started.has_value());
  EXPECT_EQ(started.error().code, Errc::kNotFound);
  EXPECT_EQ(started.error().where, "nosuch0");
}

TEST(LiveCapture, BadFilterIsAnArgumentError) {
  enter_own_network();
  LiveOptions options;
  options.filter = "no such word";
  const auto started = LiveCapture::start("lo", "/dev/null", options);
  ASSERT_FALSE(started.has_value());
  EXPECT_EQ(started.error().code, Errc::kInvalidArgument);
}

}  // namespace
}  // namespace ktrial::capture
