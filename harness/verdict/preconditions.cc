// SPDX-License-Identifier: Apache-2.0
#include "harness/verdict/preconditions.h"

#include <algorithm>

namespace ktrial::harness {

namespace {

constexpr Nanos kLongestStall = Millis(250);

struct Span {
  std::int64_t from_ns, to_ns;
};

// What had to be seen: all windows together, or the whole log.
Span judged_span(const Outcome& outcome, const LogView& view) {
  if (outcome.windows.empty()) return {view.start().at_ns, view.end().at_ns};
  Span out{outcome.windows.front().from.at_ns, outcome.windows.front().to.at_ns};
  for (const JudgedWindow& window : outcome.windows) {
    out.from_ns = std::min(out.from_ns, window.from.at_ns);
    out.to_ns = std::max(out.to_ns, window.to.at_ns);
  }
  return out;
}

class Checker {
 public:
  Checker(const Outcome& outcome, const LogView& view, const HostRecord& host)
      : outcome_(outcome), view_(view), host_(host), span_(judged_span(outcome, view)) {}

  Preconditions run() {
    capture_drop();
    capture_blind();
    tcp_gap();
    if (outcome_.timing) {
      host_stall();
      note("clock_step", "clock.step", "the host's clock was stepped");
    }
    note("driver_lost", "driver.lost", "the driver died");
    foreign_traffic();
    return std::move(out_);
  }

 private:
  void pass(std::string text) { out_.passed.push_back(std::move(text)); }
  void fail(std::string code, std::string why) {
    if (out_.failed) return;
    out_.failed = std::move(code);
    out_.why = std::move(why);
  }

  void capture_drop() {
    const auto& stats = view_.log().stats;
    if (!stats.dropped) {
      fail("capture_drop", "the capture does not say how many packets it dropped");
    } else if (*stats.dropped > 0) {
      fail("capture_drop", "the capture dropped " + std::to_string(*stats.dropped) + " packets");
    } else {
      pass("capture_drop: none of " + std::to_string(stats.packets) + " packets");
    }
  }

  // A note at or beyond both ends shows that the capture was alive there. Window edges that are
  // marks are such notes; an open end needs one later than what is judged.
  void capture_blind() {
    const auto& events = view_.log().events;
    const auto alive_until = std::find_if(events.rbegin(), events.rend(), [&](const auto& event) {
      return !from_packet(event) && event.at_ns <= view_.end().at_ns;
    });
    const auto alive_from = std::find_if(events.begin(), events.end(),
                                         [](const auto& event) { return !from_packet(event); });
    if (alive_from == events.end()) {
      fail("capture_blind", "the capture holds no note of the harness at all");
      return;
    }
    // The last packets of a case come after its last note: a FIN's ACK is no reason for doubt.
    constexpr std::int64_t kGrace = 1'000'000'000;
    if (alive_from->at_ns > span_.from_ns + kGrace || alive_until->at_ns + kGrace < span_.to_ns) {
      fail("capture_blind", "no note of the harness beyond the judged window, last one at " +
                                view_.seconds(alive_until->at_ns) + " s");
      return;
    }
    pass("capture_blind: notes from " + view_.seconds(alive_from->at_ns) + " s to " +
         view_.seconds(alive_until->at_ns) + " s");
  }

  void tcp_gap() {
    for (const auto& event : view_.log().events) {
      if (event.type != "tcp.gap" || event.at_ns < span_.from_ns || event.at_ns > span_.to_ns)
        continue;
      if (!outcome_.conns.empty() && !outcome_.conns.contains(event.conn)) continue;
      fail("tcp_gap", "the capture lacks bytes of conn#" + std::to_string(event.conn) +
                          " at packet " + std::to_string(event.packet));
      return;
    }
    pass("tcp_gap: none in the judged streams");
  }

  void host_stall() {
    const Nanos longest = host_.longest_stall(span_.from_ns, span_.to_ns);
    if (longest > kLongestStall)
      fail("host_stall", "the host stood still for " + std::to_string(longest.count() / 1'000'000) +
                             " ms inside the judged window");
    else
      pass("host_stall: at most " + std::to_string(longest.count() / 1'000'000) + " ms");
  }

  void note(const std::string& code, std::string_view type, const std::string& why) {
    for (const auto& event : view_.log().events) {
      if (event.type != type || event.at_ns > span_.to_ns) continue;
      if (code == "clock_step" && event.at_ns < span_.from_ns) continue;
      fail(code, why + " (packet " + std::to_string(event.packet) + ")");
      return;
    }
    pass(code + ": no");
  }

  // Kafka requests to an address that is none of the case's brokers.
  void foreign_traffic() {
    const auto& events = view_.log().events;
    const bool layout = std::any_of(events.begin(), events.end(),
                                    [](const auto& event) { return event.type == "layout"; });
    for (const auto& event : events)
      if (event.type == "foreign.traffic") {
        fail("foreign_traffic",
             "packets of another case were captured (packet " + std::to_string(event.packet) + ")");
        return;
      }
    for (const auto& conn : view_.log().connections) {
      if (!layout || conn.broker >= 0 || conn.requests == 0) continue;
      fail("foreign_traffic", "conn#" + std::to_string(conn.id) + " to " + conn.server +
                                  " belongs to no broker of the case");
      return;
    }
    pass("foreign_traffic: no");
  }

  const Outcome& outcome_;
  const LogView& view_;
  const HostRecord& host_;
  Span span_;
  Preconditions out_;
};

}  // namespace

Preconditions check_preconditions(const Outcome& outcome, const LogView& view,
                                  const HostRecord& host) {
  return Checker(outcome, view, host).run();
}

}  // namespace ktrial::harness
