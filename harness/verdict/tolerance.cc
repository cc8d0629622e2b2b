// SPDX-License-Identifier: Apache-2.0
#include "harness/verdict/tolerance.h"

#include "capture/event_log.h"
#include "harness/scenario/value.h"

#include <algorithm>
#include <cmath>

namespace ktrial::harness {

namespace {

constexpr Nanos kLeastSlack = Millis(20);
constexpr double kSlackShare = 0.02;
constexpr Nanos kLeastExcuseCap = Millis(250);
constexpr double kExcuseShare = 0.1;

std::optional<std::int64_t> integer(const boost::json::object& data, std::string_view key) {
  const auto* value = data.if_contains(key);
  if (value == nullptr) return std::nullopt;
  if (value->is_int64()) return value->get_int64();
  if (value->is_double() && std::abs(value->get_double()) < 9e18)
    return static_cast<std::int64_t>(value->get_double());
  return std::nullopt;
}

Nanos share(Nanos of, double part) {
  return Nanos(static_cast<std::int64_t>(static_cast<double>(of.count()) * part));
}

Quantity ms(std::string name, Nanos value) {
  return {std::move(name), static_cast<double>(value.count() / 1000) / 1e3, "ms"};
}

Nanos excuse_cap(Nanos nominal) { return std::max(kLeastExcuseCap, share(nominal, kExcuseShare)); }

}  // namespace

HostRecord::HostRecord(const capture::EventLog& log) {
  for (const capture::Event& event : log.events) {
    if (event.type == "sched") {
      const std::int64_t interval = integer(event.data, "interval_ms").value_or(0) * 1'000'000;
      const std::int64_t wait = integer(event.data, "wait_ns_max_thread").value_or(0);
      waits_.push_back({event.at_ns - std::max({interval, wait, std::int64_t{0}}), event.at_ns,
                        std::max<std::int64_t>(wait, 0)});
      // Longer than between two looks: who looks was kept from the processor, too.
      if (wait > interval) starved_.push_back({event.at_ns - wait, event.at_ns, 0});
    } else if (event.type == "host.stall") {
      const std::int64_t length = integer(event.data, "ms").value_or(0) * 1'000'000;
      Span span{event.at_ns - length, event.at_ns, 0};
      if (const auto from = integer(event.data, "from_ns")) span.from_ns = *from;
      if (const auto to = integer(event.data, "to_ns")) span.to_ns = *to;
      if (span.to_ns > span.from_ns) single_stalls_.push_back(span);
    }
  }
  stalls_ = single_stalls_;
  std::sort(stalls_.begin(), stalls_.end(),
            [](const Span& a, const Span& b) { return a.from_ns < b.from_ns; });
  std::vector<Span> joined;
  for (const Span& span : stalls_) {
    if (!joined.empty() && span.from_ns <= joined.back().to_ns)
      joined.back().to_ns = std::max(joined.back().to_ns, span.to_ns);
    else
      joined.push_back(span);
  }
  stalls_ = std::move(joined);
}

Nanos HostRecord::run_queue_wait(std::int64_t from_ns, std::int64_t to_ns) const {
  std::int64_t sum = 0;
  for (const Span& span : waits_)
    if (span.from_ns <= to_ns && span.to_ns >= from_ns) sum += span.wait_ns;
  return Nanos(sum);
}

Nanos HostRecord::stalled(std::int64_t from_ns, std::int64_t to_ns) const {
  std::int64_t sum = 0;
  for (const Span& span : stalls_)
    sum += std::max<std::int64_t>(0, std::min(span.to_ns, to_ns) - std::max(span.from_ns, from_ns));
  return Nanos(sum);
}

Nanos HostRecord::longest_stall(std::int64_t from_ns, std::int64_t to_ns) const {
  std::int64_t longest = 0;
  for (const auto* spans : {&single_stalls_, &starved_}) {
    for (const Span& span : *spans)
      if (span.from_ns <= to_ns && span.to_ns >= from_ns)
        longest = std::max(longest, span.to_ns - span.from_ns);
  }
  return Nanos(longest);
}

Nanos upper_slack(Nanos nominal, double time_scale) {
  return share(std::max(kLeastSlack, share(nominal, kSlackShare)), std::max(time_scale, 1.0));
}

TimeJudgement judge_time(std::int64_t from_ns, std::int64_t to_ns, const TimeBounds& bounds,
                         const HostRecord& host, double time_scale) {
  TimeJudgement out;
  const Nanos observed(to_ns - from_ns);
  out.terms.push_back(ms("observed", observed));
  const auto say = [&](const std::string& text) {
    if (!out.text.empty()) out.text += "; ";
    out.text += text;
  };
  const std::string seen = print_ms(observed) + " ms";
  const auto inconclusive = [&] {
    out.verdict = worse(out.verdict, Verdict::kInconclusive);
    out.reason = "host_load";
  };

  if (bounds.min) {
    const std::string limit =
        print_ms(*bounds.min) + " - " + print_ms(kEpsilon) + " (timer rounding)";
    out.terms.push_back(ms("min", *bounds.min));
    out.terms.push_back(ms("epsilon", kEpsilon));
    if (observed >= *bounds.min - kEpsilon) {
      say(seen + " >= " + limit);
    } else {
      const Nanos wait = host.run_queue_wait(from_ns - kLookBack.count(), from_ns);
      out.terms.push_back(ms("run_queue_wait_before", wait));
      if (observed >= *bounds.min - kEpsilon - wait) {
        inconclusive();
        say(seen + " < " + limit + ", but the client had waited " + print_ms(wait) +
            " ms for a processor just before");
      } else {
        out.verdict = Verdict::kFail;
        say(seen + " < " + limit + ": early by " + print_ms(*bounds.min - observed) + " ms");
      }
    }
  }
  if (bounds.max) {
    const Nanos slack = upper_slack(*bounds.max, time_scale);
    const Nanos upper = *bounds.max + bounds.granularity + slack;
    out.terms.push_back(ms("max", *bounds.max));
    out.terms.push_back(ms("granularity", bounds.granularity));
    out.terms.push_back(ms("slack", slack));
    std::string limit = print_ms(*bounds.max);
    if (bounds.granularity.count() > 0)
      limit += " + " + print_ms(bounds.granularity) + " (the client's granularity)";
    limit += " + " + print_ms(slack) + " (slack)";
    if (observed <= upper) {
      say(seen + " <= " + limit);
    } else {
      const Nanos wait = host.run_queue_wait(from_ns, to_ns);
      const Nanos stalls = host.stalled(from_ns, to_ns);
      const Nanos excuse = std::min(excuse_cap(*bounds.max), wait + stalls);
      out.terms.push_back(ms("run_queue_wait", wait));
      out.terms.push_back(ms("host_stalls", stalls));
      out.terms.push_back(ms("excuse", excuse));
      if (observed <= upper + excuse) {
        inconclusive();
        say(seen + " > " + limit + ", but the host kept the client waiting " + print_ms(excuse) +
            " ms");
      } else {
        out.verdict = Verdict::kFail;
        say(seen + " > " + limit + ": late by " + print_ms(observed - upper) + " ms" +
            (excuse.count() > 0 ? ", of which the host explains " + print_ms(excuse) : ""));
      }
    }
  }
  return out;
}

}  // namespace ktrial::harness
