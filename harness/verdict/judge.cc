// SPDX-License-Identifier: Apache-2.0
#include "harness/verdict/judge.h"

#include "harness/check/check.h"
#include "harness/verdict/preconditions.h"

#include <algorithm>
#include <set>

namespace ktrial::harness {

namespace {

namespace json = boost::json;

std::string text(const json::object& data, std::string_view key) {
  const auto* value = data.if_contains(key);
  return value != nullptr && value->is_string() ? std::string(value->get_string()) : std::string{};
}

// A Wireshark display filter that shows the evidence.
std::string display_filter(const std::vector<Evidence>& evidence) {
  std::set<std::uint64_t> packets;
  for (const Evidence& each : evidence)
    if (each.packet > 0) packets.insert(each.packet);
  if (packets.empty()) return {};
  std::string out = "frame.number in {";
  bool first = true;
  for (const std::uint64_t packet : packets) {
    if (!first) out += ", ";
    out += std::to_string(packet);
    first = false;
  }
  return out + "}";
}

bool as_expected(const Expectation& expected, const CheckVerdict& check) {
  const json::value& measured = check.measured;
  if (check.holds && (expected.value == "true" || expected.value == "false"))
    return *check.holds == (expected.value == "true");
  if (expected.least || expected.most) {
    double value = 0;
    if (measured.is_int64())
      value = static_cast<double>(measured.get_int64());
    else if (measured.is_uint64())
      value = static_cast<double>(measured.get_uint64());
    else if (measured.is_double())
      value = measured.get_double();
    else
      return false;
    return (!expected.least || value >= *expected.least) &&
           (!expected.most || value <= *expected.most);
  }
  const std::string seen =
      measured.is_string() ? std::string(measured.get_string()) : json::serialize(measured);
  return expected.value == seen;
}

class Judging {
 public:
  Judging(const Scenario& scenario, const CaseContext& context, const capture::EventLog& log)
      : scenario_(scenario), context_(context), view_(log), host_(log) {}

  CaseVerdict run() {
    out_.first_ns = view_.log().stats.first_ns;
    const auto refused = refused_call();
    bool any = false;
    for (const CheckSpec& spec : scenario_.checks) {
      CheckVerdict check = refused ? not_judged(spec, Verdict::kUnsupported, *refused) : one(spec);
      out_.verdict = any ? worse(out_.verdict, check.verdict) : check.verdict;
      any = true;
      out_.checks.push_back(std::move(check));
    }
    if (!any) raise(Verdict::kError, "the scenario has no checks");
    if (refused)
      out_.reason = *refused;
    else if (scenario_.not_applicable)
      out_.reason = *scenario_.not_applicable;
    else
      reasons();
    return std::move(out_);
  }

 private:
  CheckVerdict not_judged(const CheckSpec& spec, Verdict verdict, const std::string& why) const {
    CheckVerdict out;
    out.spec = &spec;
    out.verdict = verdict;
    out.sentence = why;
    if (spec.check) out.expanded = spec.check->expanded();
    return out;
  }

  CheckVerdict one(const CheckSpec& spec) const {
    if (scenario_.not_applicable)
      return not_judged(spec, Verdict::kNotApplicable, *scenario_.not_applicable);
    if (spec.not_applicable) return not_judged(spec, Verdict::kNotApplicable, *spec.not_applicable);
    if (!spec.check) return not_judged(spec, Verdict::kError, "the check could not be read");

    Outcome outcome = spec.check->judge({view_, host_, context_.time_scale, {}});
    Preconditions before = check_preconditions(outcome, view_, host_);
    CheckVerdict out;
    out.spec = &spec;
    out.expanded = spec.check->expanded();
    out.verdict = outcome.verdict;
    out.sentence = std::move(outcome.sentence);
    out.reason = std::move(outcome.reason);
    out.evidence = std::move(outcome.evidence);
    out.arithmetic = std::move(outcome.arithmetic);
    out.measured = std::move(outcome.measured);
    out.preconditions = std::move(before.passed);
    out.tshark = display_filter(out.evidence);
    if (before.failed) doubt(out, *before.failed, before.why);
    level(spec, out);
    return out;
  }

  // Nothing can be said, whatever was found.
  static void doubt(CheckVerdict& check, const std::string& code, const std::string& why) {
    check.preconditions.push_back(code + ": " + why);
    if (check.verdict == Verdict::kError) return;
    check.sentence = "inconclusive, " + why +
                     "; as far as was seen: " + std::string(to_string(check.verdict)) + ", " +
                     check.sentence;
    check.verdict = Verdict::kInconclusive;
    check.reason = code;
  }

  void level(const CheckSpec& spec, CheckVerdict& check) const {
    if (check.verdict == Verdict::kPass || check.verdict == Verdict::kFail)
      check.holds = check.verdict == Verdict::kPass;
    if (spec.level == Level::kShould && check.verdict == Verdict::kFail)
      check.verdict = Verdict::kNonstrict;
    if (spec.level != Level::kInfo) return;
    const Verdict found = check.verdict;
    if (found == Verdict::kPass) check.sentence = "holds: " + check.sentence;
    if (found == Verdict::kFail) check.sentence = "does not hold: " + check.sentence;
    if (found != Verdict::kError) check.verdict = Verdict::kInfo;
    if (found == Verdict::kInconclusive) return;
    for (const Expectation& expected : spec.expect) {
      if (!expected.client.matches(context_.client, context_.version)) continue;
      check.finding = !as_expected(expected, check);
      check.sentence += check.finding ? "; FINDING: expected " : "; as expected: ";
      check.sentence += expected.text + " for " + expected.client.text();
      return;
    }
  }

  // A driver that cannot do what a step asks says so; the case is not about this client then.
  std::optional<std::string> refused_call() const {
    for (const auto& event : view_.log().events) {
      if (event.type != "call.end") continue;
      if (const auto what = text(event.data, "unsupported"); !what.empty())
        return text(event.data, "call") + ": the driver does not support " + what;
    }
    return std::nullopt;
  }

  void raise(Verdict verdict, std::string reason) {
    out_.verdict = worse(out_.verdict, verdict);
    if (!out_.reason.empty()) out_.reason += "; ";
    out_.reason += reason;
  }

  void reasons() {
    for (const CheckVerdict& check : out_.checks) {
      if (check.verdict != out_.verdict || check.verdict == Verdict::kPass ||
          is_neutral(check.verdict))
        continue;
      out_.reason = check.spec->id + ": " + check.sentence;
      break;
    }
    missed_steps();
    crash();
    unfired_rules();
    if (context_.harness_error) raise(Verdict::kError, *context_.harness_error);
  }

  // The steps ended early: what was judged stands, but the case as a whole showed less.
  void missed_steps() {
    for (const auto& event : view_.log().events) {
      if (event.type != "step.missed") continue;
      const auto* optional = event.data.if_contains("optional");
      if (optional != nullptr && optional->is_bool() && optional->get_bool()) continue;
      std::string what = text(event.data, "text");
      if (const auto where = text(event.data, "where"); !where.empty())
        what += (what.empty() ? "" : " ") + ("(" + where + ")");
      raise(Verdict::kInconclusive, "the steps ended early at " + view_.seconds(event.at_ns) +
                                        " s, waiting in vain: " + what);
    }
  }

  void crash() {
    for (const auto& event : view_.log().events) {
      if (event.type == "driver.crash")
        raise(Verdict::kFail, "the client's process died at " + view_.seconds(event.at_ns) +
                                  " s: " + text(event.data, "how"));
    }
  }

  // A fault that did not happen shows nothing about how the client copes with it.
  void unfired_rules() {
    std::set<std::string> fired;
    for (const auto& event : view_.log().events) {
      if (event.type == "rule.failed")
        raise(Verdict::kError, "rule '" + std::string(text(event.data, "id")) +
                                   "' failed: " + std::string(text(event.data, "error")));
      if (event.type == "rule.hit") {
        for (const std::string_view key : {"id", "rule"}) fired.insert(text(event.data, key));
      }
    }
    std::vector<RulePart> rules = scenario_.cluster.rules;
    for (const Step& step : scenario_.steps)
      if (const auto* cluster = std::get_if<ClusterStep>(&step.what); cluster && cluster->rule)
        rules.push_back(*cluster->rule);
    for (const RulePart& part : rules)
      if (!part.rule.optional && !fired.contains(part.rule.id))
        raise(Verdict::kError, "fault not exercised: rule '" + part.rule.id + "' never fired");
  }

  const Scenario& scenario_;
  const CaseContext& context_;
  LogView view_;
  HostRecord host_;
  CaseVerdict out_;
};

}  // namespace

CaseVerdict judge(const Scenario& scenario, const CaseContext& context,
                  const capture::EventLog& log) {
  return Judging(scenario, context, log).run();
}

}  // namespace ktrial::harness
