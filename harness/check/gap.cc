// SPDX-License-Identifier: Apache-2.0
// gap: the time from one point to another lies in [min, max], by the tolerance model.
#include "harness/check/point.h"
#include "harness/check/primitives.h"

namespace ktrial::harness {

namespace {

class Gap final : public Check {
 public:
  Gap(Point from, Point to, TimeBounds bounds, bool report)
      : from_(std::move(from)), to_(std::move(to)), bounds_(bounds), report_(report) {}

  Outcome judge(const JudgeContext& context) const override {
    Outcome out;
    out.timing = true;
    const auto from = from_.find(context, std::nullopt, out);
    if (!from) return absent(out, from_, "");
    out.evidence.push_back(from->evidence);
    const auto to = to_.find(context, Moment{from->at_ns, from->evidence.packet}, out);
    if (!to) return never_came(context, *from, out);
    out.evidence.push_back(to->evidence);
    const Moment begin{from->at_ns, from->evidence.packet};
    const Moment end{to->at_ns, to->evidence.packet};
    out.windows.push_back({std::min(begin, end), std::max(begin, end), expanded_points()});

    TimeJudgement judged =
        judge_time(from->at_ns, to->at_ns, bounds_, context.host, context.time_scale);
    out.arithmetic = std::move(judged.terms);
    const double ms = static_cast<double>(to->at_ns - from->at_ns) / 1e6;
    out.measured = ms;
    out.verdict = report_ ? Verdict::kInfo : judged.verdict;
    out.reason = judged.reason;
    out.sentence = from->evidence.text + " at " + context.view.seconds(from->at_ns) + " s, " +
                   to->evidence.text + " at " + context.view.seconds(to->at_ns) + " s: " +
                   (report_ ? print_ms(Nanos(to->at_ns - from->at_ns)) + " ms" : judged.text);
    return out;
  }

  std::string expanded() const override {
    std::string out = "gap " + expanded_points();
    if (report_) return out + ": report";
    if (bounds_.min) out += " >= " + print_duration(*bounds_.min);
    if (bounds_.min && bounds_.max) out += " and";
    if (bounds_.max) out += " <= " + print_duration(*bounds_.max);
    if (bounds_.granularity.count() > 0)
      out += " + " + print_duration(bounds_.granularity) + " granularity";
    return out;
  }

 private:
  [[nodiscard]] std::string expanded_points() const {
    return "from " + from_.text() + " to " + to_.text();
  }

  static Outcome absent(Outcome out, const Point& point, const std::string& more) {
    if (out.reason == "not_reached") return out;
    out.verdict = Verdict::kFail;
    out.sentence = "there is no " + point.text() + more;
    return out;
  }

  // The log may end before the bound has passed: then nothing is known.
  Outcome never_came(const JudgeContext& context, const FoundPoint& from, Outcome out) const {
    if (out.reason == "not_reached") return out;
    const Moment end = context.view.end();
    const Nanos watched(end.at_ns - from.at_ns);
    out.windows.push_back({{from.at_ns, from.evidence.packet}, end, "from " + from_.text()});
    out.arithmetic.push_back({"watched", static_cast<double>(watched.count()) / 1e6, "ms"});
    if (report_) {
      out.verdict = Verdict::kInfo;
      out.measured = nullptr;
      out.sentence =
          "no " + to_.text() + " in " + print_ms(watched) + " ms after " + from.evidence.text;
      return out;
    }
    if (bounds_.max) {
      const Nanos upper =
          *bounds_.max + bounds_.granularity + upper_slack(*bounds_.max, context.time_scale);
      if (watched <= upper) {
        out.verdict = Verdict::kInconclusive;
        out.reason = "watched_too_short";
        out.sentence = "no " + to_.text() + ", but the log ends " + print_ms(watched) +
                       " ms after " + from.evidence.text + ", before the limit of " +
                       print_ms(upper) + " ms";
        return out;
      }
    }
    return absent(std::move(out), to_,
                  " in " + print_ms(watched) + " ms after " + from.evidence.text + " at " +
                      context.view.seconds(from.at_ns) + " s");
  }

  Point from_, to_;
  TimeBounds bounds_;
  bool report_;
};

CheckPointer made(Reader& reader, const Node& node, Point from, Point to, TimeBounds bounds,
                  bool report) {
  if (bounds.min && bounds.max && *bounds.min > *bounds.max)
    reader.error(node.at, "min is above max");
  return std::make_shared<Gap>(std::move(from), std::move(to), bounds, report);
}

}  // namespace

CheckPointer read_gap(Reader& reader, const Node& node, bool info) {
  MapReader map(reader, node, "gap");
  const Node* from = map.require("from");
  const Node* to = map.require("to");
  TimeBounds bounds;
  const Node* min = map.take("min");
  const Node* max = map.take("max");
  if (min != nullptr) bounds.min = reader.duration(*min);
  if (max != nullptr) bounds.max = reader.duration(*max);
  if (const Node* granularity = map.take("granularity"))
    bounds.granularity = reader.duration(*granularity).value_or(Nanos{0});
  const Node* report = map.take("report");
  map.finish();
  if (report != nullptr && !info) reader.error(report->at, "report belongs to INFO checks");
  if (report == nullptr && min == nullptr && max == nullptr && node.is_map())
    reader.error(node.at, "gap needs min, max or, at level INFO, report: ms");
  if (from == nullptr || to == nullptr) return no_check();
  return made(reader, node, Point::read(reader, *from), Point::read(reader, *to), bounds,
              report != nullptr);
}

// within: {after: X, see: Y, time: 1s}
CheckPointer read_within(Reader& reader, const Node& node, bool) {
  MapReader map(reader, node, "within");
  const Node* after = map.require("after");
  const Node* see = map.require("see");
  const Node* time = map.require("time");
  TimeBounds bounds;
  if (time != nullptr) bounds.max = reader.duration(*time);
  if (const Node* granularity = map.take("granularity"))
    bounds.granularity = reader.duration(*granularity).value_or(Nanos{0});
  map.finish();
  if (after == nullptr || see == nullptr) return no_check();
  return made(reader, node, Point::read(reader, *after), Point::read(reader, *see), bounds, false);
}

}  // namespace ktrial::harness
