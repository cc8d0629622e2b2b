// SPDX-License-Identifier: Apache-2.0
// Steps: a verb each, no assertion anywhere. The tables below are the verbs' whole vocabulary.
#include "harness/scenario/read_parts.h"

#include <algorithm>
#include <array>
#include <set>

namespace ktrial::harness {

namespace {

const std::vector<std::string> kVerbs{"client", "broker", "cluster", "mark",
                                      "wait",   "sleep",  "parallel"};

// How a member of a step is read, and what it is called in the driver protocol.
// kTime passes in the harness, kClientTime is told to the client.
enum class Kind {
  kText,
  kInteger,
  kBool,
  kTime,
  kClientTime,
  kTexts,
  kIntegers,
  kMap,
  kConfig,
  kAny
};
struct Member {
  std::string_view key;
  Kind kind;
  bool required = false;
  std::string_view sent_as{};  // absent: as the key
};
struct Call {
  std::string_view name;
  std::vector<Member> members;
};

const std::vector<Call>& client_calls() {
  static const std::vector<Call> kCalls{
      {"create", {{"config", Kind::kConfig}}},
      {"send",
       {{"topic", Kind::kText, true},
        {"partition", Kind::kInteger},
        {"key", Kind::kText},
        {"value", Kind::kText},
        {"size", Kind::kInteger},
        {"count", Kind::kInteger},
        {"threads", Kind::kInteger},
        {"headers", Kind::kMap},
        {"async", Kind::kBool}}},
      {"flush", {{"timeout", Kind::kClientTime, false, "timeout_ms"}}},
      {"subscribe", {{"topics", Kind::kTexts, true}}},
      {"assign", {{"partitions", Kind::kAny, true}}},
      {"poll",
       {{"for", Kind::kClientTime, false, "for_ms"},
        {"until_records", Kind::kInteger},
        {"background", Kind::kBool}}},
      {"stop_poll", {}},
      {"commit", {}},
      {"seek",
       {{"topic", Kind::kText, true},
        {"partition", Kind::kInteger, true},
        {"offset", Kind::kInteger, true}}},
      {"begin", {}},
      {"commit_txn", {}},
      {"abort", {}},
      {"metrics", {}},
      {"close", {{"timeout", Kind::kClientTime, false, "timeout_ms"}}},
      {"kill", {{"signal", Kind::kText}}},
  };
  return kCalls;
}

const std::vector<Call>& broker_actions() {
  static const std::vector<Call> kActions{
      {"start", {}},
      {"up", {}},
      {"refuse", {{"drop_conns", Kind::kText}}},
      {"stop", {{"kind", Kind::kText}}},
      {"blackhole", {{"drop_conns", Kind::kText}}},
      {"close_connections", {{"kind", Kind::kText}}},
      {"idle_close", {{"after", Kind::kTime, true, "after_ms"}}},
      {"stop_reading", {}},
      {"resume_reading", {}},
  };
  return kActions;
}

const std::vector<Call>& cluster_actions() {
  static const std::vector<Call> kActions{
      {"append",
       {{"topic", Kind::kText, true},
        {"partition", Kind::kInteger},
        {"count", Kind::kInteger},
        {"size", Kind::kInteger},
        {"value", Kind::kText}}},
      {"create_topic",
       {{"topic", Kind::kText, true},
        {"partitions", Kind::kInteger},
        {"leaders", Kind::kIntegers},
        {"configs", Kind::kConfig}}},
      {"delete_topic", {{"topic", Kind::kText, true}}},
      {"move_leader",
       {{"topic", Kind::kText, true},
        {"partition", Kind::kInteger, true},
        {"to", Kind::kInteger, true}}},
      {"set_isr",
       {{"topic", Kind::kText, true},
        {"partition", Kind::kInteger, true},
        {"replicas", Kind::kIntegers, true}}},
      {"hold_high_watermark", {{"topic", Kind::kText, true}, {"partition", Kind::kInteger, true}}},
      {"release_high_watermark",
       {{"topic", Kind::kText, true}, {"partition", Kind::kInteger, true}}},
      {"fail_replica",
       {{"topic", Kind::kText, true},
        {"partition", Kind::kInteger, true},
        {"broker", Kind::kInteger, true}}},
      {"mend_replica",
       {{"topic", Kind::kText, true},
        {"partition", Kind::kInteger, true},
        {"broker", Kind::kInteger, true}}},
      {"move_coordinator", {{"to", Kind::kInteger, true}}},
      {"move_controller", {{"to", Kind::kInteger, true}}},
      {"add_broker", {{"broker", Kind::kInteger, true}}},
      {"remove_broker", {{"broker", Kind::kInteger, true}}},
      {"advertise",
       {{"broker", Kind::kInteger, true},
        {"host", Kind::kText, true},
        {"port", Kind::kInteger, true}}},
      {"add_rule", {}},
      {"remove_rule", {{"id", Kind::kText, true}}},
  };
  return kActions;
}

const Call* find(const std::vector<Call>& calls, std::string_view name) {
  for (const Call& call : calls)
    if (call.name == name) return &call;
  return nullptr;
}
std::vector<std::string> names(const std::vector<Call>& calls) {
  std::vector<std::string> out;
  for (const Call& call : calls) out.emplace_back(call.name);
  return out;
}

boost::json::value read_member(Reader& reader, const Node& node, Kind kind) {
  switch (kind) {
    case Kind::kText:
      if (auto text = reader.text(node)) return boost::json::string(*text);
      return nullptr;
    case Kind::kInteger:
      if (const auto n = reader.integer(node)) return *n;
      return nullptr;
    case Kind::kBool:
      if (const auto truth = reader.boolean(node)) return *truth;
      return nullptr;
    case Kind::kTime:
      if (const auto time = reader.duration(node))
        return std::chrono::duration_cast<Millis>(*time).count();
      return nullptr;
    case Kind::kClientTime:
      if (const auto time = reader.real_duration(node))
        return std::chrono::duration_cast<Millis>(*time).count();
      return nullptr;
    case Kind::kTexts: {
      boost::json::array out;
      for (const std::string& text : reader.texts(node)) out.push_back(boost::json::string(text));
      return out;
    }
    case Kind::kIntegers: {
      boost::json::array out;
      for (const int n : reader.integers(node, 0, 1 << 30)) out.push_back(n);
      return out;
    }
    case Kind::kConfig: {
      boost::json::object out;
      for (const auto& [key, value] : read_config(reader, node)) out[key] = value;
      return out;
    }
    case Kind::kMap:
    case Kind::kAny:
      return reader.json(node);
  }
  return nullptr;
}

boost::json::object read_members(MapReader& map, const Call& call) {
  boost::json::object out;
  for (const Member& member : call.members) {
    const Node* node = member.required ? map.require(member.key) : map.take(member.key);
    if (node == nullptr) continue;
    const std::string_view name = member.sent_as.empty() ? member.key : member.sent_as;
    out[name] = read_member(map.reader(), *node, member.kind);
  }
  return out;
}

// The verb of a step: the one of its keys that is one.
const NodeEntry* verb_of(const Node& step) {
  for (const NodeEntry& entry : step.entries)
    if (std::find(kVerbs.begin(), kVerbs.end(), entry.key) != kVerbs.end()) return &entry;
  return nullptr;
}

class StepReader {
 public:
  StepReader(Reader& reader, const std::vector<ClientPart>& clients, const Grammar& grammar)
      : reader_(reader), clients_(clients), grammar_(grammar) {}

  std::vector<Step> list(const Node& node) {
    std::vector<Step> out;
    if (!node.is_list()) {
      reader_.error(node.at, "steps are a list, not " + node.describe());
      return out;
    }
    for (const Node& item : node.items)
      if (auto step = one(item)) out.push_back(std::move(*step));
    return out;
  }

 private:
  std::optional<Step> one(const Node& node) {
    const NodeEntry* verb = verb_of(node);
    if (verb == nullptr) {
      if (!node.is_map() || node.entries.empty()) {
        reader_.error(node.at, "a step is a map with a verb, such as {mark: quiet}");
      } else {
        const NodeEntry& first = node.entries.front();
        reader_.error(first.at, "unknown verb '" + first.key + "'" + verb_hint(first.key));
      }
      return std::nullopt;
    }
    MapReader map(reader_, node, "step '" + verb->key + "'");
    map.known(verb->key);
    Step step{node.at, verb->key, MarkStep{}};
    if (verb->key == "mark")
      step.what = mark(verb->value, step);
    else if (verb->key == "sleep")
      step.what = sleep(verb->value, step);
    else if (verb->key == "wait")
      step.what = wait(map, verb->value, step);
    else if (verb->key == "client")
      step.what = client(map, verb->value, step);
    else if (verb->key == "broker")
      step.what = broker(map, verb->value, step);
    else if (verb->key == "cluster")
      step.what = cluster(map, verb->value, step);
    else
      step.what = parallel(verb->value);
    map.finish();
    return step;
  }

  static std::string verb_hint(const std::string& word) {
    const std::string near = nearest(word, kVerbs);
    std::string known;
    for (const std::string& verb : kVerbs) known += (known.empty() ? "" : ", ") + verb;
    return (near.empty() ? "" : "; did you mean '" + near + "'?") + std::string("; verbs are ") +
           known;
  }

  MarkStep mark(const Node& node, Step& step) {
    MarkStep out{reader_.text(node).value_or("")};
    step.text = "mark " + out.name;
    return out;
  }

  SleepStep sleep(const Node& node, Step& step) {
    const auto time = reader_.duration(node);
    if (time && time->count() < 0) reader_.error(node.at, "a sleep cannot be negative");
    SleepStep out{std::chrono::duration_cast<Millis>(time.value_or(Nanos{0}))};
    step.text = "sleep " + print_duration(out.time);
    return out;
  }

  WaitStep wait(MapReader& outer, const Node& node, Step& step) {
    WaitStep out;
    // deadline and optional may stand in the wait's map or beside it.
    Node condition = node;
    for (const std::string_view key : {"deadline", "optional"}) {
      const Node* found = outer.take(key);
      if (found == nullptr) found = node.find(key);
      if (found == nullptr) continue;
      if (key == "deadline") {
        if (const auto time = reader_.real_duration(*found))
          out.deadline = std::chrono::duration_cast<Millis>(*time);
      } else {
        out.optional = reader_.boolean(*found).value_or(false);
      }
      std::erase_if(condition.entries, [&](const NodeEntry& entry) { return entry.key == key; });
    }
    if (out.deadline.count() <= 0) reader_.error(node.at, "a deadline must be above 0");
    reader_.marks.emplace_back("now");
    out.condition = grammar_.wait(reader_, condition);
    reader_.marks.pop_back();
    step.text = "wait at most " + print_duration(out.deadline);
    return out;
  }

  ClientStep client(MapReader& map, const Node& node, Step& step) {
    ClientStep out;
    const auto call = reader_.word(node, names(client_calls()), "client call");
    if (!call) {
      // Its members are not known either: do not report them.
      for (const NodeEntry& entry : map.node().entries) map.known(entry.key);
      return out;
    }
    out.call = *call;
    out.client = clients_.empty() ? "c1" : clients_.front().name;
    std::vector<std::string> known;
    for (const ClientPart& each : clients_) known.push_back(each.name);
    if (const Node* who = map.take("who"))
      out.client = reader_.word(*who, known, "client").value_or(out.client);
    else if (clients_.size() > 1)
      reader_.error(node.at, "which client? Add 'who: " + known.front() + "'");
    if (const Node* deadline = map.take("deadline"))
      if (const auto time = reader_.real_duration(*deadline))
        out.deadline = std::chrono::duration_cast<Millis>(*time);
    out.members = read_members(map, *find(client_calls(), *call));
    step.text = out.client + "." + out.call;
    return out;
  }

  BrokerStep broker(MapReader& map, const Node& node, Step& step) {
    BrokerStep out;
    if (const auto text = reader_.text(node); text && *text != "all")
      if (const auto id = reader_.integer(node, 1, reader_.brokers))
        out.broker = static_cast<int>(*id);
    if (const Node* action = map.require("do")) {
      const auto word = reader_.word(*action, names(broker_actions()), "broker action");
      if (!word) {
        for (const NodeEntry& entry : map.node().entries) map.known(entry.key);
        return out;
      }
      out.action = *word == "up" ? "start" : *word;
      out.members = read_members(map, *find(broker_actions(), *word));
      for (const char* const key : {"kind", "drop_conns"})
        if (const auto* kind = out.members.if_contains(key);
            kind != nullptr && *kind != "fin" && *kind != "rst")
          reader_.error(action->at, std::string(key) + " is fin or rst");
    }
    step.text = "broker " + (out.broker ? std::to_string(*out.broker) : "all") + " " + out.action;
    return out;
  }

  ClusterStep cluster(MapReader& map, const Node& node, Step& step) {
    ClusterStep out;
    const auto word = reader_.word(node, names(cluster_actions()), "cluster action");
    if (!word) {
      for (const NodeEntry& entry : map.node().entries) map.known(entry.key);
      return out;
    }
    out.action = *word;
    if (out.action == "add_rule") {
      if (const Node* rule = map.require("rule")) out.rule = read_rule(reader_, *rule);
    } else {
      out.members = read_members(map, *find(cluster_actions(), *word));
    }
    step.text = "cluster " + out.action;
    return out;
  }

  std::shared_ptr<const ParallelStep> parallel(const Node& node) {
    auto out = std::make_shared<ParallelStep>();
    if (!node.is_list())
      reader_.error(node.at, "parallel is a list of steps, or of lists of steps");
    for (const Node& branch : node.items) {
      if (branch.is_list()) {
        out->branches.push_back(list(branch));
      } else if (auto step = one(branch)) {
        out->branches.push_back({std::move(*step)});
      }
    }
    return out;
  }

  Reader& reader_;
  const std::vector<ClientPart>& clients_;
  const Grammar& grammar_;
};

class MarkCollector {
 public:
  explicit MarkCollector(Reader& reader) : reader_(reader) {}

  void list(const Node& node) {
    for (const Node& item : node.items) {
      if (item.is_list()) {
        list(item);
        continue;
      }
      const NodeEntry* verb = verb_of(item);
      if (verb == nullptr) continue;
      if (verb->key == "parallel") list(verb->value);
      if (verb->key == "mark" && verb->value.is_scalar()) mark(verb->value);
      if (verb->key == "client" && verb->value.is_scalar()) call(item, verb->value.text);
    }
  }
  std::vector<std::string> take() { return std::move(marks_); }

 private:
  void mark(const Node& node) {
    const auto text = reader_.text(node);
    if (!text) return;
    static const std::set<std::string> kTaken{"now",
                                              "start_of_case",
                                              "end_of_case",
                                              "attempt",
                                              "open",
                                              "first_payload",
                                              "last_payload",
                                              "closed_at",
                                              "client_fin",
                                              "broker_fin",
                                              "client_fin_or_rst",
                                              "broker_fin_or_rst",
                                              "first_fin_or_rst"};
    if (kTaken.contains(*text) || text->find('.') != std::string::npos || text->empty())
      reader_.error(node.at,
                    "a mark cannot be called '" + *text + "': the name means something else");
    if (!seen_.insert(*text).second)
      reader_.error(node.at, "mark '" + *text + "' is set a second time");
    marks_.push_back(*text);
  }

  void call(const Node& step, const std::string& name) {
    const Node* who = step.find("who");
    add(name);
    if (who != nullptr && who->is_scalar()) add(who->text + "." + name);
  }
  void add(const std::string& name) {
    const int n = ++calls_[name];
    for (const char* const edge : {".begin", ".end"}) {
      if (n == 1) marks_.push_back(name + edge);
      marks_.push_back(name + "." + std::to_string(n) + edge);
    }
  }

  Reader& reader_;
  std::vector<std::string> marks_;
  std::set<std::string> seen_;
  std::map<std::string, int> calls_;
};

}  // namespace

std::vector<std::string> marks_of_steps(Reader& reader, const Node& steps) {
  MarkCollector collector(reader);
  collector.list(steps);
  return collector.take();
}

std::vector<Step> read_steps(Reader& reader, const Node& node,
                             const std::vector<ClientPart>& clients, const Grammar& grammar) {
  return StepReader(reader, clients, grammar).list(node);
}

}  // namespace ktrial::harness
