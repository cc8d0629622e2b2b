// SPDX-License-Identifier: Apache-2.0
// value: tests of fields of what is selected: of each, any, none, the first or the last. `equals`
// compares with what the cluster says: leader(topic, partition), coordinator.
#include "harness/check/primitives.h"
#include "harness/check/selector_reader.h"

#include <algorithm>
#include <map>

namespace ktrial::harness {

namespace {

namespace json = boost::json;

enum class Quantifier { kEach, kAny, kNone, kFirst, kLast };

// One selected event or connection.
struct Item {
  const capture::Event* event = nullptr;
  const capture::Connection* conn = nullptr;
};

std::vector<Item> items_of(const Selection& selection) {
  std::vector<Item> out;
  for (const auto* event : selection.events) out.push_back({event, nullptr});
  for (const auto* conn : selection.conns) out.push_back({nullptr, conn});
  return out;
}

FieldValue field_of(const Item& item, const LogView& view, const std::string& path) {
  return item.event != nullptr ? view.field(*item.event, path) : view.field(*item.conn, path);
}
Evidence evidence_of(const Item& item, const LogView& view) {
  return item.event != nullptr ? view.evidence(*item.event) : connection_evidence(*item.conn, view);
}

std::string_view text(const json::object& object, std::string_view key) {
  const auto* value = object.if_contains(key);
  return value != nullptr && value->is_string() ? std::string_view(value->get_string())
                                                : std::string_view{};
}

// The partitions of `topic` that a Produce or Fetch request names.
std::vector<std::int64_t> partitions_in(const capture::Event& event, const std::string& topic,
                                        const LogView& view) {
  std::vector<std::int64_t> out;
  const auto* fields = event.data.if_contains("fields");
  if (fields == nullptr || !fields->is_object()) return out;
  for (const auto& member : fields->get_object()) {
    const auto* topics = member.value().if_array();
    if (topics == nullptr) continue;
    for (const json::value& each : *topics) {
      const auto* object = each.if_object();
      if (object == nullptr) continue;
      std::string name(text(*object, "name"));
      if (name.empty()) name = text(*object, "topic");
      if (name.empty()) name = view.topic_name(text(*object, "topicId"));
      if (name != topic) continue;
      for (const auto& inner : *object) {
        const auto* partitions = inner.value().if_array();
        if (partitions == nullptr) continue;
        for (const json::value& partition : *partitions) {
          const auto* fields_of = partition.if_object();
          if (fields_of == nullptr) continue;
          for (const std::string_view key : {"index", "partition", "partitionIndex"})
            if (const auto* index = fields_of->if_contains(key);
                index != nullptr && index->is_int64())
              out.push_back(index->get_int64());
        }
      }
    }
  }
  return out;
}

// "leader(t, partition)" or "coordinator": nullopt if it holds, else what is wrong.
std::optional<std::string> against_cluster(const std::string& function, const Item& item,
                                           const LogView& view) {
  if (item.event == nullptr) return "only events are compared with " + function;
  const Moment at = moment_of(*item.event);
  if (function == "coordinator") {
    const int wanted = view.coordinator(at);
    if (item.event->broker == wanted) return std::nullopt;
    return "broker is " + std::to_string(item.event->broker) + ", the coordinator is " +
           std::to_string(wanted);
  }
  const std::size_t open = function.find('('), end = function.find_first_of(",)", open);
  const std::string topic = function.substr(open + 1, end - open - 1);
  for (const std::int64_t partition : partitions_in(*item.event, topic, view)) {
    const int wanted = view.leader(topic, partition, at);
    if (item.event->broker != wanted)
      return "broker is " + std::to_string(item.event->broker) + ", the leader of " + topic + "-" +
             std::to_string(partition) + " is " + std::to_string(wanted);
  }
  return std::nullopt;
}

class ValueCheck final : public Check {
 public:
  ValueCheck(std::shared_ptr<const Selector> of, Quantifier quantifier,
             std::vector<FieldTest> tests, std::string report, bool allow_empty)
      : of_(std::move(of)),
        quantifier_(quantifier),
        tests_(std::move(tests)),
        report_(std::move(report)),
        allow_empty_(allow_empty) {}

  Outcome judge(const JudgeContext& context) const override {
    Outcome out;
    const Selection found = select(*of_, context.view, context.subject);
    if (not_reached(found, context.view, out)) return out;
    for (const auto* event : found.events)
      if (event->conn >= 0) out.conns.insert(event->conn);
    out.arithmetic.push_back({"n", static_cast<std::int64_t>(found.size()), ""});
    std::vector<Item> items = items_of(found);
    if (!report_.empty()) return report(items, context.view, std::move(out));
    if (items.empty()) return empty(found, context.view, std::move(out));
    if (quantifier_ == Quantifier::kFirst) items = {items.front()};
    if (quantifier_ == Quantifier::kLast) items = {items.back()};

    if (const auto twice = repeated(items, context.view)) {
      out.verdict = Verdict::kFail;
      out.measured = false;
      out.sentence = *twice;
      return out;
    }
    return judge_items(items, context.view, std::move(out));
  }

  std::string expanded() const override {
    constexpr std::string_view kWords[] = {"each ", "any ", "none ", "first ", "last "};
    std::string out = "value of " + of_->text() + ": ";
    if (!report_.empty()) return out + "report " + report_;
    out += kWords[static_cast<std::size_t>(quantifier_)];
    for (std::size_t i = 0; i < tests_.size(); ++i)
      out += (i > 0 ? " and " : "") + tests_[i].text();
    return out;
  }

 private:
  Outcome report(const std::vector<Item>& items, const LogView& view, Outcome out) const {
    out.verdict = Verdict::kInfo;
    json::array values;
    for (const Item& item : items) {
      const FieldValue field = field_of(item, view, report_);
      if (field.found) values.push_back(field.value);
      if (out.evidence.size() < 5) out.evidence.push_back(evidence_of(item, view));
    }
    out.sentence = report_ + " of " + of_->text() + ": ";
    out.sentence += values.empty() ? "nothing seen" : "";
    for (std::size_t i = 0; i < values.size() && i < 10; ++i)
      out.sentence += (i > 0 ? ", " : "") + shown(values[i]);
    if (values.size() > 10) out.sentence += " and " + std::to_string(values.size() - 10) + " more";
    out.measured = values.size() == 1 ? values.front() : json::value(std::move(values));
    return out;
  }

  // A test of nothing shows nothing.
  Outcome empty(const Selection& found, const LogView& view, Outcome out) const {
    const bool fine = allow_empty_ || quantifier_ == Quantifier::kNone;
    out.verdict = fine ? Verdict::kPass : Verdict::kFail;
    out.measured = fine;
    out.sentence = "no " + of_->text() + in_windows(found, view) +
                   (fine ? ", which is allowed" : ", so there is nothing to test; ") +
                   (fine ? std::string{} : seen_instead(found, view));
    return out;
  }

  // nullopt: all tests hold.
  [[nodiscard]] std::optional<std::string> differs(const Item& item, const LogView& view) const {
    for (const FieldTest& test : tests_) {
      const FieldValue field = field_of(item, view, test.path);
      if (!test.matcher.matches(field))
        return test.path + " is " + (field.found ? shown(field.value) : "absent") + ", not " +
               test.matcher.text();
      if (!test.matcher.function().empty())
        if (auto wrong = against_cluster(test.matcher.function(), item, view)) return wrong;
    }
    return std::nullopt;
  }

  [[nodiscard]] std::optional<std::string> repeated(const std::vector<Item>& items,
                                                    const LogView& view) const {
    for (const FieldTest& test : tests_) {
      if (!test.matcher.distinct()) continue;
      std::map<std::string, std::uint64_t> seen;
      for (const Item& item : items) {
        const FieldValue field = field_of(item, view, test.path);
        if (!field.found) continue;
        const std::uint64_t packet = evidence_of(item, view).packet;
        const auto [before, fresh] = seen.try_emplace(json::serialize(field.value), packet);
        if (!fresh)
          return test.path + " " + shown(field.value) + " is seen twice, in packets " +
                 std::to_string(before->second) + " and " + std::to_string(packet);
      }
    }
    return std::nullopt;
  }

  Outcome judge_items(const std::vector<Item>& items, const LogView& view, Outcome out) const {
    constexpr std::size_t kShown = 5;
    std::size_t good = 0, bad = 0;
    std::string good_text, bad_text;
    std::vector<Evidence> good_evidence, bad_evidence;
    for (const Item& item : items) {
      const auto wrong = differs(item, view);
      Evidence evidence = evidence_of(item, view);
      std::size_t& n = wrong ? bad : good;
      if (++n > kShown) continue;
      if (wrong) {
        bad_text += (bad_text.empty() ? "" : "; ") + std::string("packet ") +
                    std::to_string(evidence.packet) + ": " + *wrong;
        evidence.text += ": " + *wrong;
        bad_evidence.push_back(std::move(evidence));
      } else {
        good_text += (good_text.empty() ? "" : ", ") + std::to_string(evidence.packet);
        good_evidence.push_back(std::move(evidence));
      }
    }
    bool holds = bad == 0;
    if (quantifier_ == Quantifier::kAny) holds = good > 0;
    if (quantifier_ == Quantifier::kNone) holds = good == 0;
    const bool show_good = quantifier_ == Quantifier::kNone ? !holds : holds;
    out.measured = holds;
    out.verdict = holds ? Verdict::kPass : Verdict::kFail;
    out.evidence = show_good && !good_evidence.empty() ? good_evidence : bad_evidence;
    out.sentence = std::to_string(good) + " of " + std::to_string(items.size()) + " " +
                   of_->text() + " match " + tests_text();
    if (show_good && !good_text.empty()) out.sentence += " (packets " + good_text + ")";
    if (!show_good && !bad_text.empty()) out.sentence += "; " + bad_text;
    if (!show_good && bad > kShown)
      out.sentence += " and " + std::to_string(bad - kShown) + " more";
    return out;
  }

  [[nodiscard]] std::string tests_text() const {
    std::string out;
    for (const FieldTest& test : tests_) out += (out.empty() ? "" : " and ") + test.text();
    return out;
  }

  std::shared_ptr<const Selector> of_;
  Quantifier quantifier_;
  std::vector<FieldTest> tests_;
  std::string report_;
  bool allow_empty_;
};

}  // namespace

CheckPointer read_value(Reader& reader, const Node& node, bool info) {
  MapReader map(reader, node, "value");
  const Node* of = map.require("of");
  auto selector = of != nullptr ? read_selector(reader, *of) : std::make_shared<Selector>();
  constexpr std::pair<std::string_view, Quantifier> kQuantifiers[] = {{"each", Quantifier::kEach},
                                                                      {"any", Quantifier::kAny},
                                                                      {"none", Quantifier::kNone},
                                                                      {"first", Quantifier::kFirst},
                                                                      {"last", Quantifier::kLast}};
  Quantifier quantifier = Quantifier::kEach;
  std::vector<FieldTest> tests;
  int quantifiers = 0;
  for (const auto& [key, kind] : kQuantifiers) {
    const Node* fields = map.take(key);
    if (fields == nullptr) continue;
    ++quantifiers;
    quantifier = kind;
    if (!fields->is_map()) reader.error(fields->at, "fields to test are a map: {broker: 2}");
    for (const NodeEntry& entry : fields->entries)
      tests.push_back({entry.key, Matcher::read(reader, entry.value)});
  }
  std::string report;
  if (const Node* path = map.take("report")) {
    report = reader.text(*path).value_or("");
    if (!info) reader.error(path->at, "report belongs to INFO checks");
  }
  bool allow_empty = false;
  if (const Node* allow = map.take("allow_empty"))
    allow_empty = reader.boolean(*allow).value_or(false);
  map.finish();
  if (node.is_map() && quantifiers + (report.empty() ? 0 : 1) != 1)
    reader.error(node.at,
                 "value needs one of each, any, none, first, last or, at level INFO, report");
  return std::make_shared<ValueCheck>(std::move(selector), quantifier, std::move(tests),
                                      std::move(report), allow_empty);
}

}  // namespace ktrial::harness
