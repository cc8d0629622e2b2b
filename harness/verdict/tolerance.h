// SPDX-License-Identifier: Apache-2.0
// Judging a time on a host that is shared with others. Lower bounds are nearly hard, upper bounds
// get the client's documented granularity and a slack, and what the host demonstrably did to the
// client can turn a fail into inconclusive, never into a pass.
#pragma once

#include "common/clock.h"
#include "harness/verdict/verdict.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ktrial::capture {
struct EventLog;
}

namespace ktrial::harness {

// Timer rounding: an interval of capture stamps is never shorter than the client's own by more.
inline constexpr Nanos kEpsilon = Millis(2);
// Run-queue wait this long before the first event may have aged the client's own stamp of it.
inline constexpr Nanos kLookBack = Millis(100);

// What the host did while the case ran, from the notes `sched` and `host.stall`.
class HostRecord {
 public:
  HostRecord() = default;
  explicit HostRecord(const capture::EventLog& log);

  // The longest wait of one client thread for a processor, summed over [from, to].
  [[nodiscard]] Nanos run_queue_wait(std::int64_t from_ns, std::int64_t to_ns) const;
  // Time in which a probe did not run, both probes joined.
  [[nodiscard]] Nanos stalled(std::int64_t from_ns, std::int64_t to_ns) const;
  // The longest single stall that touches [from, to]: a probe's, or a wait of a client's thread
  // that was longer than the time between two looks at it.
  [[nodiscard]] Nanos longest_stall(std::int64_t from_ns, std::int64_t to_ns) const;

 private:
  struct Span {
    std::int64_t from_ns = 0, to_ns = 0;
    std::int64_t wait_ns = 0;
  };
  std::vector<Span> waits_;
  std::vector<Span> stalls_;  // disjoint, sorted
  std::vector<Span> single_stalls_;
  std::vector<Span> starved_;  // waits longer than between two looks
};

struct TimeBounds {
  std::optional<Nanos> min, max;
  Nanos granularity{0};
};

struct TimeJudgement {
  Verdict verdict = Verdict::kPass;
  std::string text;    // "3003.3 ms <= 3000 + 1000 (granularity) + 60 (slack)"
  std::string reason;  // "host_load" if inconclusive
  std::vector<Quantity> terms;
};

TimeJudgement judge_time(std::int64_t from_ns, std::int64_t to_ns, const TimeBounds& bounds,
                         const HostRecord& host, double time_scale);
// Upper slack for a nominal time: max(20 ms, 2 %), stretched by the time scale.
Nanos upper_slack(Nanos nominal, double time_scale);

}  // namespace ktrial::harness
