// SPDX-License-Identifier: Apache-2.0
// all, any, not, and each: over connections, events or brokers. each over nothing fails: a test
// of nothing shows nothing.
#include "harness/check/primitives.h"
#include "harness/check/selector_reader.h"

#include <algorithm>

namespace ktrial::harness {

namespace {

constexpr std::size_t kMostEvidence = 24;

void take_in(Outcome& into, const Outcome& part) {
  for (const Evidence& each : part.evidence)
    if (into.evidence.size() < kMostEvidence) into.evidence.push_back(each);
  into.arithmetic.insert(into.arithmetic.end(), part.arithmetic.begin(), part.arithmetic.end());
  into.windows.insert(into.windows.end(), part.windows.begin(), part.windows.end());
  into.conns.insert(part.conns.begin(), part.conns.end());
  into.timing = into.timing || part.timing;
}

// All of the parts hold; the sentence names the worst ones, or all if all is well.
class Conjunction {
 public:
  void add(const std::string& label, const Outcome& part) {
    take_in(out_, part);
    const Verdict before = out_.verdict;
    out_.verdict = count_ == 0 ? part.verdict : worse(before, part.verdict);
    if (part.verdict == out_.verdict && !part.reason.empty()) out_.reason = part.reason;
    sentences_.push_back({part.verdict, label + part.sentence});
    measured_.push_back(part.measured);
    ++count_;
  }

  Outcome finish() {
    constexpr std::size_t kShown = 4;
    std::size_t n = 0;
    for (const auto& [verdict, sentence] : sentences_) {
      if (verdict != out_.verdict) continue;
      if (++n > kShown) continue;
      out_.sentence += (out_.sentence.empty() ? "" : "; ") + sentence;
    }
    if (n > kShown) out_.sentence += "; and " + std::to_string(n - kShown) + " more";
    if (out_.verdict == Verdict::kInfo)
      out_.measured = measured_.size() == 1 ? measured_.front() : boost::json::value(measured_);
    else
      out_.measured = out_.verdict == Verdict::kPass;
    return std::move(out_);
  }

 private:
  Outcome out_;
  boost::json::array measured_;
  std::vector<std::pair<Verdict, std::string>> sentences_;
  std::size_t count_ = 0;
};

class All final : public Check {
 public:
  explicit All(std::vector<CheckPointer> parts) : parts_(std::move(parts)) {}

  Outcome judge(const JudgeContext& context) const override {
    Conjunction all;
    for (const auto& part : parts_) all.add("", part->judge(context));
    return all.finish();
  }
  std::string expanded() const override {
    std::string out = "all of {";
    for (std::size_t i = 0; i < parts_.size(); ++i)
      out += (i > 0 ? "; " : "") + parts_[i]->expanded();
    return out + "}";
  }

 private:
  std::vector<CheckPointer> parts_;
};

class Any final : public Check {
 public:
  explicit Any(std::vector<CheckPointer> parts) : parts_(std::move(parts)) {}

  Outcome judge(const JudgeContext& context) const override {
    Outcome out;
    Verdict best = Verdict::kFail;
    std::string sentences;
    for (const auto& part : parts_) {
      Outcome outcome = part->judge(context);
      if (outcome.verdict == Verdict::kPass) return outcome;
      take_in(out, outcome);
      if (outcome.verdict == Verdict::kInconclusive) {
        best = Verdict::kInconclusive;
        out.reason = outcome.reason;
      }
      sentences += (sentences.empty() ? "" : "; ") + outcome.sentence;
    }
    out.verdict = best;
    out.measured = false;
    out.sentence = "none holds: " + sentences;
    return out;
  }
  std::string expanded() const override {
    std::string out = "any of {";
    for (std::size_t i = 0; i < parts_.size(); ++i)
      out += (i > 0 ? "; " : "") + parts_[i]->expanded();
    return out + "}";
  }

 private:
  std::vector<CheckPointer> parts_;
};

class Not final : public Check {
 public:
  explicit Not(CheckPointer part) : part_(std::move(part)) {}

  Outcome judge(const JudgeContext& context) const override {
    Outcome out = part_->judge(context);
    if (out.verdict == Verdict::kPass) {
      out.verdict = Verdict::kFail;
      out.measured = false;
      out.sentence = "but it does hold: " + out.sentence;
    } else if (out.verdict == Verdict::kFail) {
      out.verdict = Verdict::kPass;
      out.measured = true;
      out.sentence = "it does not hold: " + out.sentence;
    }
    return out;
  }
  std::string expanded() const override { return "not {" + part_->expanded() + "}"; }

 private:
  CheckPointer part_;
};

class Each final : public Check {
 public:
  Each(std::shared_ptr<const Selector> over, CheckPointer body, bool allow_empty)
      : over_(std::move(over)), body_(std::move(body)), allow_empty_(allow_empty) {}

  Outcome judge(const JudgeContext& context) const override {
    Outcome out;
    const Selection found = select(*over_, context.view, context.subject);
    if (not_reached(found, context.view, out)) return out;
    if (found.size() == 0) {
      out.verdict = allow_empty_ ? Verdict::kPass : Verdict::kFail;
      out.measured = allow_empty_;
      out.sentence =
          "there is no " + over_->text() + in_windows(found, context.view) +
          (allow_empty_ ? ", which is allowed" : "; " + seen_instead(found, context.view));
      return out;
    }
    Conjunction all;
    JudgeContext inner = context;
    for (const auto* conn : found.conns) {
      inner.subject = context.subject;
      inner.subject.conn = conn;
      all.add(context.view.describe(*conn) + ": ", body_->judge(inner));
    }
    for (const auto* event : found.events) {
      inner.subject = context.subject;
      inner.subject.event = event;
      all.add("packet " + std::to_string(event->packet) + ": ", body_->judge(inner));
    }
    Outcome judged = all.finish();
    take_in(judged, out);
    return judged;
  }
  std::string expanded() const override {
    return "for each of " + over_->text() + ": " + body_->expanded();
  }

 private:
  std::shared_ptr<const Selector> over_;
  CheckPointer body_;
  bool allow_empty_;
};

class EachBroker final : public Check {
 public:
  struct Part {
    int broker;
    CheckPointer body;
  };
  explicit EachBroker(std::vector<Part> parts) : parts_(std::move(parts)) {}

  Outcome judge(const JudgeContext& context) const override {
    Conjunction all;
    for (const Part& part : parts_) {
      JudgeContext inner = context;
      inner.subject.broker = part.broker;
      all.add("broker " + std::to_string(part.broker) + ": ", part.body->judge(inner));
    }
    return all.finish();
  }
  std::string expanded() const override {
    std::string out = "for each broker of ";
    for (std::size_t i = 0; i < parts_.size(); ++i)
      out += (i > 0 ? "|" : "") + std::to_string(parts_[i].broker);
    return out + ": " + parts_.front().body->expanded();
  }

 private:
  std::vector<Part> parts_;
};

std::vector<CheckPointer> read_parts(Reader& reader, const Node& node, bool info,
                                     std::string_view what) {
  std::vector<CheckPointer> out;
  if (!node.is_list() || node.items.empty())
    reader.error(node.at, std::string(what) + " is a list of checks");
  for (const Node& item : node.items) out.push_back(read_check_body(reader, item, info));
  if (out.empty()) out.push_back(no_check());
  return out;
}

// The body is read once for each broker, with ${broker} set.
CheckPointer read_each_broker(Reader& reader, const Node& brokers, const Node& body, bool info) {
  std::vector<EachBroker::Part> parts;
  const Scope outer = reader.scope();
  for (const int broker : reader.integers(brokers, 1, std::max(reader.brokers, 1))) {
    reader.scope().set("broker", std::int64_t{broker});
    parts.push_back({broker, read_check_body(reader, body, info)});
  }
  reader.scope() = outer;
  if (parts.empty()) {
    reader.error(brokers.at, "each over no brokers");
    return no_check();
  }
  return std::make_shared<EachBroker>(std::move(parts));
}

}  // namespace

CheckPointer read_all(Reader& reader, const Node& node, bool info) {
  return std::make_shared<All>(read_parts(reader, node, info, "all"));
}

CheckPointer read_any(Reader& reader, const Node& node, bool info) {
  return std::make_shared<Any>(read_parts(reader, node, info, "any"));
}

CheckPointer read_not(Reader& reader, const Node& node, bool info) {
  return std::make_shared<Not>(read_check_body(reader, node, info));
}

CheckPointer read_each(Reader& reader, const Node& each, const Node& body, bool info) {
  const std::string outer = reader.each;
  CheckPointer out;
  if (const Node* brokers = each.find("brokers"); brokers != nullptr && each.entries.size() == 1) {
    reader.each = outer.empty() ? "brokers" : outer;
    out = read_each_broker(reader, *brokers, body, info);
  } else {
    const auto over = read_selector(reader, each);
    bool allow_empty = false;
    Node inner = body;
    if (const Node* allow = body.find("allow_empty")) {
      allow_empty = reader.boolean(*allow).value_or(false);
      std::erase_if(inner.entries,
                    [](const NodeEntry& entry) { return entry.key == "allow_empty"; });
    }
    reader.each = over->conns ? "connections" : "events";
    out = std::make_shared<Each>(over, read_check_body(reader, inner, info), allow_empty);
  }
  reader.each = outer;
  return out;
}

}  // namespace ktrial::harness
