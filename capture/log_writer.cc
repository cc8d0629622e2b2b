// SPDX-License-Identifier: Apache-2.0
#include "capture/log_writer.h"

#include <algorithm>
#include <iterator>
#include <tuple>

namespace ktrial::capture {

namespace {

constexpr std::size_t kMaxProblems = 200;
// An event whose stamp runs backwards moves at most this far towards the front at once.
constexpr std::ptrdiff_t kSortWindow = 64;
constexpr std::int64_t kClockStepNs = 50'000'000;

bool earlier(const Event& a, const Event& b) {
  return std::tie(a.at_ns, a.packet) < std::tie(b.at_ns, b.packet);
}

}  // namespace

void LogWriter::packet(const Moment& moment) {
  now_ = moment;
  CaptureStats& stats = log_.stats;
  if (stats.packets == 0) stats.first_ns = stats.last_ns = latest_ns_ = moment.at_ns;
  ++stats.packets;
  stats.first_ns = std::min(stats.first_ns, moment.at_ns);
  stats.last_ns = std::max(stats.last_ns, moment.at_ns);
  if (moment.at_ns < latest_ns_ - kClockStepNs)
    problem(moment, -1,
            "capture clock stepped back by " +
                std::to_string((latest_ns_ - moment.at_ns) / 1'000'000) + " ms");
  latest_ns_ = moment.at_ns;
}

void LogWriter::emit(Event event) {
  ++emitted_;
  if (on_event_) on_event_(event);
  if (!keep_events_) return;
  auto& events = log_.events;
  events.push_back(std::move(event));
  if (events.size() < 2 || !earlier(events.back(), events[events.size() - 2])) return;
  const auto first =
      events.end() - 1 - std::min<std::ptrdiff_t>(kSortWindow, std::ssize(events) - 1);
  const auto place = std::upper_bound(first, events.end() - 1, events.back(), earlier);
  if (place == first && place != events.begin()) unsorted_ = true;
  std::rotate(place, events.end() - 1, events.end());
}

void LogWriter::problem(const Moment& moment, int conn, std::string_view text) {
  CaptureStats& stats = log_.stats;
  if (stats.problems.size() >= kMaxProblems) {
    ++stats.problems_left_out;
    return;
  }
  std::string line = "packet " + std::to_string(moment.packet);
  if (conn >= 0) line += ", conn#" + std::to_string(conn);
  line += ": ";
  line += text;
  stats.problems.push_back(std::move(line));
}

Connection& LogWriter::add_connection() {
  Connection& connection = log_.connections.emplace_back();
  connection.id = static_cast<int>(log_.connections.size() - 1);
  return connection;
}

void LogWriter::finish() {
  if (unsorted_) std::stable_sort(log_.events.begin(), log_.events.end(), earlier);
  unsorted_ = false;
  for (Event& event : log_.events)
    if (event.broker < 0 && event.conn >= 0) event.broker = connection(event.conn).broker;
}

}  // namespace ktrial::capture
