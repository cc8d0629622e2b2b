// SPDX-License-Identifier: Apache-2.0
// count: how many events or connections there are. With max 0 it says "never".
#include "harness/check/primitives.h"
#include "harness/check/selector_reader.h"

namespace ktrial::harness {

namespace {

class Count final : public Check {
 public:
  Count(std::shared_ptr<const Selector> of, NumberBounds bounds, bool report)
      : of_(std::move(of)), bounds_(bounds), report_(report) {}

  Outcome judge(const JudgeContext& context) const override {
    Outcome out;
    const Selection found = select(*of_, context.view, context.subject);
    if (not_reached(found, context.view, out)) return out;
    const auto n = static_cast<double>(found.size());
    out.measured = static_cast<std::int64_t>(found.size());
    out.arithmetic.push_back({"n", static_cast<std::int64_t>(found.size()), ""});
    if (bounds_.least) out.arithmetic.push_back({"min", *bounds_.least, ""});
    if (bounds_.most) out.arithmetic.push_back({"max", *bounds_.most, ""});
    add_evidence(found, context.view, out);

    out.sentence = std::to_string(found.size()) + " of " + of_->text();
    if (found.size() > 0) out.sentence += " (packets " + packets_of(found) + ")";
    if (report_) {
      out.verdict = Verdict::kInfo;
      return out;
    }
    const bool holds = bounds_.holds(n);
    out.verdict = holds ? Verdict::kPass : Verdict::kFail;
    out.sentence += holds ? ", wanted " : ", but wanted ";
    out.sentence += bounds_.text() + in_windows(found, context.view);
    if (!holds && found.size() == 0) out.sentence += "; " + seen_instead(found, context.view);
    return out;
  }

  std::string expanded() const override {
    return "count of " + of_->text() + (report_ ? ": report" : " " + bounds_.text());
  }

 private:
  std::shared_ptr<const Selector> of_;
  NumberBounds bounds_;
  bool report_;
};

CheckPointer count_of(Reader& reader, const Node& node, NumberBounds bounds) {
  return std::make_shared<Count>(read_selector(reader, node), bounds, false);
}

}  // namespace

CheckPointer read_count(Reader& reader, const Node& node, bool info) {
  MapReader map(reader, node, "count");
  const Node* of = map.require("of");
  auto selector = of != nullptr ? read_selector(reader, *of) : std::make_shared<Selector>();
  if (const Node* window = map.take("window"))
    selector = within(selector, read_window(reader, *window));
  const NumberBounds bounds = read_bounds(map);
  const Node* report = map.take("report");
  map.finish();
  if (report != nullptr) {
    static_cast<void>(reader.word(*report, {"n"}, "thing to report"));
    if (!info) reader.error(report->at, "report belongs to INFO checks");
  }
  const bool bound =
      node.find("eq") != nullptr || node.find("min") != nullptr || node.find("max") != nullptr;
  if (report == nullptr && !bound && node.is_map())
    reader.error(node.at, "count needs eq, min, max or, at level INFO, report: n");
  return std::make_shared<Count>(std::move(selector), bounds, report != nullptr);
}

CheckPointer read_never(Reader& reader, const Node& node, bool) {
  return count_of(reader, node, {0.0, 0.0});
}

CheckPointer read_once(Reader& reader, const Node& node, bool) {
  return count_of(reader, node, {1.0, 1.0});
}

}  // namespace ktrial::harness
