// SPDX-License-Identifier: Apache-2.0
// series: the gaps between successive events follow a law: constant, geometric (a backoff) or
// bounded. Each gap is judged by the tolerance model; the table of all gaps is the evidence.
#include "harness/check/primitives.h"
#include "harness/check/selector_reader.h"

#include <algorithm>
#include <cmath>

namespace ktrial::harness {

namespace {

enum class Shape { kConstant, kGeometric, kBounded };

struct Law {
  Shape shape = Shape::kBounded;
  Nanos base{0};  // of geometric; the period of constant
  double factor = 2;
  std::optional<Nanos> cap;
  double jitter_down = 0, jitter_up = 0;
  bool cap_after_jitter = true;
  std::vector<int> first_exponents{0};
  Nanos shift{0};  // moves both bounds
  Nanos plus{0};   // widens the upper one
  std::optional<Nanos> min, max;
  Nanos granularity{0};
  std::size_t skip = 0;
  std::size_t at_least = 1;
};

Nanos scaled(Nanos time, double by) {
  constexpr double kLongest = 9e18;
  return Nanos(static_cast<std::int64_t>(
      std::clamp(static_cast<double>(time.count()) * by, -kLongest, kLongest)));
}

TimeBounds bounds_of(const Law& law, int exponent) {
  TimeBounds out;
  out.granularity = law.granularity + law.plus;
  if (law.shape == Shape::kBounded) {
    out.min = law.min;
    out.max = law.max;
    return out;
  }
  const auto clip = [&](Nanos time) { return law.cap ? std::min(time, *law.cap) : time; };
  const Nanos nominal =
      law.shape == Shape::kConstant ? law.base : scaled(law.base, std::pow(law.factor, exponent));
  out.min = scaled(clip(nominal), 1 - law.jitter_down) + law.shift;
  out.max = (law.cap_after_jitter ? clip(scaled(nominal, 1 + law.jitter_up))
                                  : scaled(clip(nominal), 1 + law.jitter_up)) +
            law.shift;
  return out;
}

class Series final : public Check {
 public:
  Series(std::shared_ptr<const Selector> of, Law law) : of_(std::move(of)), law_(std::move(law)) {}

  Outcome judge(const JudgeContext& context) const override {
    Outcome out;
    out.timing = true;
    const Selection found = select(*of_, context.view, context.subject);
    if (not_reached(found, context.view, out)) return out;
    const std::size_t gaps =
        found.events.size() < law_.skip + 2 ? 0 : found.events.size() - 1 - law_.skip;
    out.arithmetic.push_back({"gaps", static_cast<std::int64_t>(gaps), ""});
    if (gaps < law_.at_least) {
      out.verdict = Verdict::kFail;
      out.measured = false;
      add_evidence(found, context.view, out);
      out.sentence = std::to_string(found.events.size()) + " of " + of_->text() + " make " +
                     std::to_string(gaps) + " gaps, too few to judge (at least " +
                     std::to_string(law_.at_least) + ")" + in_windows(found, context.view);
      return out;
    }
    Outcome best;
    for (std::size_t i = 0; i < law_.first_exponents.size(); ++i) {
      Outcome tried = judge_with(found, law_.first_exponents[i], context, out);
      if (i == 0 || tried.verdict < best.verdict) best = std::move(tried);
    }
    return best;
  }

  std::string expanded() const override {
    std::string out = "gaps of " + of_->text();
    if (law_.skip > 0) out += " from number " + std::to_string(law_.skip + 1);
    if (law_.shape == Shape::kBounded) {
      if (law_.min) out += " >= " + print_duration(*law_.min);
      if (law_.max) out += " <= " + print_duration(*law_.max);
    } else {
      out += law_.shape == Shape::kConstant ? " = " : " grow from ";
      out += print_duration(law_.base);
      if (law_.shape == Shape::kGeometric) out += " by " + print_number(law_.factor);
      if (law_.cap) out += " up to " + print_duration(*law_.cap);
      out += ", jitter -" + print_number(law_.jitter_down * 100) + " % +" +
             print_number(law_.jitter_up * 100) + " %";
    }
    if (law_.shift.count() != 0) out += ", shifted by " + print_duration(law_.shift);
    if ((law_.plus + law_.granularity).count() != 0)
      out += ", up to " + print_duration(law_.plus + law_.granularity) + " later";
    return out;
  }

 private:
  Outcome judge_with(const Selection& found, int first_exponent, const JudgeContext& context,
                     Outcome out) const {
    std::size_t good = 0;
    std::string bad;
    for (std::size_t i = law_.skip; i + 1 < found.events.size(); ++i) {
      const auto& from = *found.events[i];
      const auto& to = *found.events[i + 1];
      const auto k = static_cast<int>(i - law_.skip);
      const TimeBounds bounds = bounds_of(law_, first_exponent + k);
      const TimeJudgement judged =
          judge_time(from.at_ns, to.at_ns, bounds, context.host, context.time_scale);
      const std::string row = "gap " + std::to_string(i + 1) + ": " + judged.text;
      out.evidence.push_back({to.packet, to.at_ns, to.conn,
                              row + (judged.verdict == Verdict::kPass
                                         ? ", ok"
                                         : ", " + std::string(to_string(judged.verdict)))});
      out.arithmetic.push_back(
          {"gap " + std::to_string(i + 1), static_cast<double>(to.at_ns - from.at_ns) / 1e6, "ms"});
      if (judged.verdict == Verdict::kPass) {
        ++good;
        continue;
      }
      if (judged.verdict > out.verdict) out.reason = judged.reason;
      out.verdict = worse(out.verdict, judged.verdict);
      bad += (bad.empty() ? "" : "; ") + row + " (packets " + std::to_string(from.packet) + ", " +
             std::to_string(to.packet) + ")";
    }
    const std::size_t gaps = found.events.size() - 1 - law_.skip;
    out.measured = bad.empty();
    out.sentence = std::to_string(good) + " of " + std::to_string(gaps) + " gaps as wanted";
    if (law_.first_exponents.size() > 1)
      out.sentence += " (exponents from " + std::to_string(first_exponent) + ")";
    if (!bad.empty()) out.sentence += "; " + bad;
    return out;
  }

  std::shared_ptr<const Selector> of_;
  Law law_;
};

}  // namespace

CheckPointer read_series(Reader& reader, const Node& node, bool) {
  MapReader map(reader, node, "series");
  Law law;
  const Node* of = map.require("of");
  auto selector = of != nullptr ? read_selector(reader, *of) : std::make_shared<Selector>();
  if (selector->conns) reader.error(of->at, "series is about events; use event: conn.attempt");
  if (const Node* window = map.take("window"))
    selector = within(selector, read_window(reader, *window));
  std::string shape = "bounded";
  if (const Node* word = map.require("shape"))
    shape = reader.word(*word, {"constant", "geometric", "bounded"}, "shape").value_or(shape);
  const auto time = [&](std::string_view key) -> std::optional<Nanos> {
    const Node* found = map.take(key);
    return found != nullptr ? reader.duration(*found) : std::nullopt;
  };
  if (shape == "bounded") {
    law.min = time("min");
    law.max = time("max");
    if (node.find("min") == nullptr && node.find("max") == nullptr)
      reader.error(node.at, "a bounded series needs min or max");
  } else {
    law.shape = shape == "constant" ? Shape::kConstant : Shape::kGeometric;
    const std::string_view base = shape == "constant" ? "period" : "base";
    if (const Node* found = map.require(base))
      law.base = reader.duration(*found).value_or(Nanos{0});
    if (const Node* jitter = map.take("jitter")) {
      if (jitter->is_list() && jitter->items.size() == 2) {
        law.jitter_down = reader.number(jitter->items[0]).value_or(0);
        law.jitter_up = reader.number(jitter->items[1]).value_or(0);
      } else {
        law.jitter_down = law.jitter_up = reader.number(*jitter).value_or(0);
      }
      if (law.jitter_down < 0 || law.jitter_down > 1 || law.jitter_up < 0)
        reader.error(jitter->at, "jitter is a share: 0.2, or [0.25, 0.5] for -25 % +50 %");
    }
    law.shift = time("shift").value_or(Nanos{0});
  }
  if (shape == "geometric") {
    if (const Node* factor = map.take("factor")) law.factor = reader.number(*factor).value_or(2);
    if (law.factor <= 0) reader.error(node.at, "factor must be above 0");
    law.cap = time("cap");
    if (const Node* first = map.take("first_exponent"))
      law.first_exponents = reader.integers(*first, -20, 60);
    if (law.first_exponents.empty()) law.first_exponents = {0};
    if (const Node* after = map.take("cap_after_jitter"))
      law.cap_after_jitter = reader.boolean(*after).value_or(true);
  }
  law.plus = time("plus").value_or(Nanos{0});
  law.granularity = time("granularity").value_or(Nanos{0});
  if (const Node* skip = map.take("skip"))
    law.skip = static_cast<std::size_t>(reader.integer(*skip, 0, 1'000'000).value_or(0));
  if (const Node* least = map.take("at_least"))
    law.at_least = static_cast<std::size_t>(reader.integer(*least, 1, 1'000'000).value_or(1));
  map.finish();
  return std::make_shared<Series>(std::move(selector), std::move(law));
}

}  // namespace ktrial::harness
