// SPDX-License-Identifier: Apache-2.0
#include "capture/live_capture.h"

#include "capture/note_sender.h"
#include "capture/pcap_handle.h"

#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <sys/eventfd.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <atomic>
#include <condition_variable>
#include <fstream>
#include <mutex>
#include <thread>
#include <utility>

namespace ktrial::capture {

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

// What settle() sends: {"e":"capture.settle","by":this capture,"n":k}.
constexpr std::string_view kSettle = "capture.settle";

// Tells the notes of captures on one interface apart, also those of other processes.
std::int64_t new_token() {
  static std::atomic<std::int64_t> count{0};
  return std::int64_t{::getpid()} * 1000 + count++ % 1000;
}

std::string cpu_model() {
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with("model name")) continue;
    const auto colon = line.find(':');
    if (colon != std::string::npos && colon + 2 < line.size()) return line.substr(colon + 2);
  }
  return {};
}

SectionInfo described(SectionInfo section) {
  if (section.hardware.empty()) section.hardware = cpu_model();
  utsname names{};
  if (section.os.empty() && ::uname(&names) == 0)
    section.os = std::string(names.sysname) + " " + names.release;
  if (section.application.empty()) section.application = "ktrial";
  return section;
}

// The capture thread goes first where it may: a ring that is emptied in time drops nothing.
void raise_priority() {
  sched_param parameters{};
  parameters.sched_priority = 2;
  ::pthread_setschedparam(::pthread_self(), SCHED_RR, &parameters);
}

}  // namespace

class LiveCapture::Impl {
 public:
  Impl(PcapHandle pcap, PcapngWriter writer, std::optional<NoteSender> notes, LiveOptions options)
      : options_(std::move(options)),
        pcap_(std::move(pcap)),
        writer_(std::move(writer)),
        notes_(std::move(notes)),
        analyzer_(with_settle_watch(options_.analyzer)),
        wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

  ~Impl() {
    if (thread_.joinable()) {
      ask_to_stop();
      thread_.join();
    }
    if (closer_.joinable()) closer_.join();
    if (wake_ >= 0) ::close(wake_);
  }

  Result<void> run(const std::string& interface) {
    if (wake_ < 0) return fail(Errc::kIo, "no eventfd for the capture");
    InterfaceInfo info;
    info.name = interface;
    info.filter = options_.filter;
    info.link = pcap_.link();
    info.snaplen = options_.snaplen;
    writer_.add_interface(info);
    writer_.flush();
    thread_ = std::thread([this] { loop(); });
    return {};
  }

  void with_log(const std::function<void(const EventLog&)>& look) {
    const std::lock_guard lock(mutex_);
    look(analyzer_.log());
  }

  bool wait_until(const Predicate& predicate, Deadline deadline) {
    std::unique_lock lock(mutex_);
    for (;;) {
      if (predicate(analyzer_.log())) return true;
      if (ended_ || cancelled_) return false;
      const std::uint64_t seen = news_;
      const bool came = changed_.wait_until(lock, deadline,
                                            [&] { return news_ != seen || ended_ || cancelled_; });
      if (!came) return predicate(analyzer_.log());
    }
  }

  void cancel_waits() {
    const std::lock_guard lock(mutex_);
    cancelled_ = true;
    changed_.notify_all();
  }

  bool settle(milliseconds patience) {
    const auto deadline = Clock::now() + patience;
    if (!notes_) return settle_by_silence(deadline);
    // A full ring may have dropped the note, so it is sent again now and then.
    while (Clock::now() < deadline) {
      const std::int64_t wanted = ++settle_sent_;
      if (!notes_->send({{"e", kSettle}, {"by", token_}, {"n", wanted}}))
        return settle_by_silence(deadline);
      const auto retry = std::min(deadline, Clock::now() + milliseconds(100));
      std::unique_lock lock(mutex_);
      if (changed_.wait_until(lock, retry, [&] { return settle_seen_ >= wanted || ended_; }))
        return settle_seen_ >= wanted;
    }
    return false;
  }

  Result<LiveSummary> stop() {
    LiveSummary summary;
    if (!thread_.joinable()) return fail(Errc::kInvalidArgument, "the capture has stopped before");
    summary.complete = settle(milliseconds(1000));
    ask_to_stop();
    thread_.join();
    const std::lock_guard lock(mutex_);
    const auto counters = pcap_.counters();
    if (counters) {
      summary.counters = *counters;
      const auto now = std::chrono::system_clock::now().time_since_epoch();
      writer_.statistics(0, std::chrono::duration_cast<std::chrono::nanoseconds>(now).count(),
                         *counters);
      analyzer_.set_dropped(counters->dropped);
    }
    // Closing waits some 20 ms for the kernel's grace periods: not at the caller's cost.
    closer_ = std::thread([pcap = std::move(pcap_)] {});
    analyzer_.finish();
    KTRIAL_TRY(writer_.close());
    if (failure_) return tl::unexpected<Error>(*failure_);
    summary.log = analyzer_.take_log();
    return summary;
  }

 private:
  AnalyzerOptions with_settle_watch(AnalyzerOptions options) {
    options.on_event = [this, inner = std::move(options.on_event)](const Event& event) {
      if (event.type == kSettle) {
        const auto* by = event.data.if_contains("by");
        const auto* number = event.data.if_contains("n");
        if (by != nullptr && *by == token_ && number != nullptr && number->is_int64())
          settle_seen_ = number->get_int64();
      }
      if (inner) inner(event);
    };
    return options;
  }

  void ask_to_stop() {
    stop_ = true;
    const std::uint64_t one = 1;
    static_cast<void>(::write(wake_, &one, sizeof one));
  }

  bool settle_by_silence(Clock::time_point deadline) {
    const auto quiet = 3 * options_.block_timeout + milliseconds(5);
    std::unique_lock lock(mutex_);
    while (Clock::now() < deadline && !ended_) {
      const std::uint64_t before = packets_;
      if (!changed_.wait_for(lock, quiet, [&] { return packets_ != before || ended_; }))
        return true;
    }
    return false;
  }

  void loop() {
    if (options_.raise_priority) raise_priority();
    pollfd fds[2] = {{pcap_.poll_fd(), POLLIN, 0}, {wake_, POLLIN, 0}};
    constexpr int kIdleFlushMs = 500;
    while (!stop_) {
      const int ready = ::poll(fds, 2, kIdleFlushMs);
      if (ready == 0) {
        const std::lock_guard lock(mutex_);
        writer_.flush();
      }
      if (!take_what_is_there()) break;
    }
    const std::lock_guard lock(mutex_);
    ended_ = true;
    changed_.notify_all();
  }

  bool take_what_is_there() {
    const std::lock_guard lock(mutex_);
    const std::uint64_t packets = packets_;
    const auto taken = pcap_.dispatch([this](const PacketView& packet) {
      writer_.packet(0, packet);
      analyzer_.packet(packet, ++packets_);
    });
    if (!taken) {
      failure_ = taken.error();
      return false;
    }
    if (packets_ != packets) {
      ++news_;
      changed_.notify_all();
    }
    return true;
  }

  LiveOptions options_;
  PcapHandle pcap_;
  PcapngWriter writer_;
  std::optional<NoteSender> notes_;

  mutable std::mutex mutex_;  // everything below but stop_ and settle_sent_
  std::condition_variable changed_;
  std::int64_t settle_seen_ = 0;
  Analyzer analyzer_;
  std::uint64_t packets_ = 0;
  std::uint64_t news_ = 0;
  bool ended_ = false;
  bool cancelled_ = false;
  std::optional<Error> failure_;

  const std::int64_t token_ = new_token();
  std::atomic<std::int64_t> settle_sent_{0};
  std::atomic<bool> stop_{false};
  int wake_ = -1;
  std::thread thread_;
  std::thread closer_;
};

LiveCapture::LiveCapture(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
LiveCapture::~LiveCapture() = default;

Result<std::unique_ptr<LiveCapture>> LiveCapture::start(const std::string& interface,
                                                        const std::string& pcapng_path,
                                                        const LiveOptions& options) {
  PcapOptions pcap_options;
  pcap_options.filter = options.filter;
  pcap_options.snaplen = options.snaplen;
  pcap_options.ring_bytes = options.ring_bytes;
  pcap_options.block_timeout = options.block_timeout;
  auto pcap = PcapHandle::open(interface, pcap_options);
  if (!pcap) return tl::unexpected<Error>(pcap.error());
  auto writer = PcapngWriter::create(pcapng_path, described(options.section));
  if (!writer) return tl::unexpected<Error>(writer.error());
  std::optional<NoteSender> notes;
  if (!options.note_address.empty()) {
    NoteSenderOptions note_options;
    note_options.address = options.note_address;
    note_options.port = options.analyzer.note_port;
    auto sender = NoteSender::open(note_options);
    if (!sender) return tl::unexpected<Error>(sender.error());
    notes.emplace(std::move(*sender));
  }
  auto impl =
      std::make_unique<Impl>(std::move(*pcap), std::move(*writer), std::move(notes), options);
  KTRIAL_TRY(impl->run(interface));
  return std::unique_ptr<LiveCapture>(new LiveCapture(std::move(impl)));
}

void LiveCapture::with_log(const std::function<void(const EventLog&)>& look) const {
  impl_->with_log(look);
}
bool LiveCapture::wait_until(const Predicate& predicate, Deadline deadline) const {
  return impl_->wait_until(predicate, deadline);
}
bool LiveCapture::settle(std::chrono::milliseconds patience) { return impl_->settle(patience); }
Result<LiveSummary> LiveCapture::stop() { return impl_->stop(); }
void LiveCapture::cancel_waits() { impl_->cancel_waits(); }

}  // namespace ktrial::capture
