// SPDX-License-Identifier: Apache-2.0
// order: A, then B, then C. Each part is the first one that follows the part before it. strict:
// also the very first of each kind lies in this order (no B before A). adjacent: nothing of the
// parts' kinds between them. A part {anyorder: [...]} holds several in any order.
#include "harness/check/primitives.h"
#include "harness/check/selector_reader.h"

#include <algorithm>

namespace ktrial::harness {

namespace {

using Part = std::vector<std::shared_ptr<const Selector>>;  // more than one: in any order

std::string text_of(const Part& part) {
  if (part.size() == 1) return part.front()->text();
  std::string out;
  for (const auto& each : part) out += (out.empty() ? "(" : " + ") + each->text();
  return out + " in any order)";
}

class Order final : public Check {
 public:
  Order(std::vector<Part> parts, bool strict, bool adjacent)
      : parts_(std::move(parts)), strict_(strict), adjacent_(adjacent) {}

  Outcome judge(const JudgeContext& context) const override {
    Outcome out;
    std::optional<Moment> last;
    std::string last_text = "the beginning";
    for (const Part& part : parts_) {
      std::optional<Moment> latest;
      const capture::Event* previous = nullptr;
      for (const auto& selector : part) {
        const Selection found = select(*selector, context.view, context.subject);
        if (not_reached(found, context.view, out)) return out;
        const capture::Event* next = first_after(found, last);
        if (strict_ && next != nullptr && next != found.events.front()) next = nullptr;
        if (next == nullptr) return missing(*selector, found, last, last_text, context.view, out);
        out.evidence.push_back(context.view.evidence(*next));
        if (!latest || moment_of(*next) > *latest) {
          latest = moment_of(*next);
          previous = next;
        }
      }
      if (adjacent_ && last)
        if (const auto* between = in_between(*last, *latest, context))
          return interrupted(*between, context.view, out);
      last = latest;
      last_text = context.view.describe(*previous) + " at " +
                  context.view.seconds(previous->at_ns) + " s (packet " +
                  std::to_string(previous->packet) + ")";
    }
    out.measured = true;
    out.sentence = "in order: ";
    for (std::size_t i = 0; i < out.evidence.size(); ++i)
      out.sentence += (i > 0 ? ", then " : "") + out.evidence[i].text + " (packet " +
                      std::to_string(out.evidence[i].packet) + ")";
    return out;
  }

  std::string expanded() const override {
    std::string out = strict_ ? "strict order: " : adjacent_ ? "adjacent order: " : "order: ";
    for (std::size_t i = 0; i < parts_.size(); ++i)
      out += (i > 0 ? ", then " : "") + text_of(parts_[i]);
    return out;
  }

 private:
  static const capture::Event* first_after(const Selection& found, std::optional<Moment> last) {
    for (const auto* event : found.events)
      if (!last || moment_of(*event) > *last) return event;
    return nullptr;
  }

  static Outcome missing(const Selector& wanted, const Selection& found, std::optional<Moment> last,
                         const std::string& last_text, const LogView& view, Outcome out) {
    out.verdict = Verdict::kFail;
    out.measured = false;
    if (found.events.empty()) {
      out.sentence =
          "missing: " + wanted.text() + " after " + last_text + "; " + seen_instead(found, view);
    } else {
      const auto& early = *found.events.front();
      out.evidence.push_back(view.evidence(early));
      out.sentence = "out of order: " + view.describe(early) + " at " + view.seconds(early.at_ns) +
                     " s (packet " + std::to_string(early.packet) + ") came before " + last_text;
      if (last && moment_of(early) > *last)
        out.sentence += ", of its kind not the first";
      else
        out.sentence += " and none after it";
    }
    return out;
  }

  const capture::Event* in_between(Moment from, Moment to, const JudgeContext& context) const {
    for (const Part& part : parts_)
      for (const auto& selector : part)
        for (const auto* event : select(*selector, context.view, context.subject).events)
          if (moment_of(*event) > from && moment_of(*event) < to) return event;
    return nullptr;
  }

  static Outcome interrupted(const capture::Event& between, const LogView& view, Outcome out) {
    out.verdict = Verdict::kFail;
    out.measured = false;
    out.evidence.push_back(view.evidence(between));
    out.sentence = "not adjacent: " + view.describe(between) + " at " +
                   view.seconds(between.at_ns) + " s (packet " + std::to_string(between.packet) +
                   ") lies between";
    return out;
  }

  std::vector<Part> parts_;
  bool strict_;
  bool adjacent_;
};

std::shared_ptr<const Selector> read_event(Reader& reader, const Node& node) {
  // A mark's name may stand for the mark.
  if (node.is_scalar() && !reader.lets.contains(node.text)) {
    auto out = std::make_shared<Selector>();
    out->events = {"mark"};
    out->name = node.text;
    if (std::find(reader.marks.begin(), reader.marks.end(), node.text) == reader.marks.end())
      reader.error(node.at,
                   "no step sets a mark '" + node.text + "'" + hint(node.text, reader.marks));
    return out;
  }
  auto selector = read_selector(reader, node);
  if (selector->conns) reader.error(node.at, "order is about events, this selects connections");
  return selector;
}

}  // namespace

CheckPointer read_order(Reader& reader, const Node& node, bool) {
  bool strict = false, adjacent = false;
  const Node* list = &node;
  if (node.is_map()) {
    MapReader map(reader, node, "order");
    list = map.require("of");
    if (const Node* flag = map.take("strict")) strict = reader.boolean(*flag).value_or(false);
    if (const Node* flag = map.take("adjacent")) adjacent = reader.boolean(*flag).value_or(false);
    map.finish();
    if (list == nullptr) return no_check();
  }
  if (!list->is_list() || list->items.size() < 2) {
    reader.error(list->at, "order is a list of at least two selectors");
    return no_check();
  }
  std::vector<Part> parts;
  for (const Node& item : list->items) {
    Part part;
    const Node* any = item.find("anyorder");
    if (any != nullptr)
      for (const Node& each : any->items) part.push_back(read_event(reader, each));
    else
      part.push_back(read_event(reader, item));
    if (part.empty())
      reader.error(item.at, "anyorder is a list of selectors");
    else
      parts.push_back(std::move(part));
  }
  return std::make_shared<Order>(std::move(parts), strict, adjacent);
}

CheckPointer read_before(Reader& reader, const Node& node, bool info) {
  if (!node.is_list() || node.items.size() != 2) {
    reader.error(node.at, "before wants [earlier, later]");
    return no_check();
  }
  return read_order(reader, node, info);
}

}  // namespace ktrial::harness
