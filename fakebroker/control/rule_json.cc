// SPDX-License-Identifier: Apache-2.0
#include "fakebroker/control/rule_json.h"

#include "fakebroker/control/json_reader.h"
#include "protocol/api_info.h"
#include "protocol/errors.h"

#include <array>
#include <charconv>
#include <limits>

namespace ktrial::fakebroker {

namespace json = boost::json;
using Kind = RuleAction::Kind;

namespace {

constexpr std::int64_t kMostTimes = std::numeric_limits<std::uint32_t>::max();
constexpr std::array<std::string_view, 2> kCloses{"fin", "rst"};

void read_match(JsonReader& when, RuleMatch& match) {
  match.api = when.text("api");
  if (match.api && protocol::find_api(std::string_view(*match.api)) == nullptr)
    when.fault("api", "is the name of an API, such as Produce, not '" + *match.api + "'");
  if (const auto broker = when.integer("broker", 0, INT32_MAX))
    match.broker = static_cast<int>(*broker);
  match.client_id = when.text("client_id");
  match.topic = when.text("topic");
  match.skip = static_cast<std::uint32_t>(when.integer("skip", 0, kMostTimes).value_or(0));
  if (const auto times = when.integer("times", 1, kMostTimes))
    match.times = static_cast<std::uint32_t>(*times);
  when.finish();
}

// By its name in Kafka's error table, or by its number.
std::optional<std::int16_t> error_code(std::string_view text) {
  if (const auto known = protocol::find_error(text)) return code(*known);
  std::int16_t number = 0;
  const auto [end, bad] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (bad != std::errc() || end != text.data() + text.size() || number == 0) return std::nullopt;
  return number;
}

void read_action(JsonReader& act, RuleAction& action) {
  int actions = 0;
  const auto choose = [&](Kind kind) {
    ++actions;
    action.kind = kind;
  };
  if (const auto error = act.text("error")) {
    choose(Kind::kError);
    const auto known = error_code(*error);
    if (!known) act.fault("error", "is a name of Kafka's error table, not '" + *error + "'");
    action.error_code = known.value_or(0);
  }
  if (const auto delay = act.duration("delay")) {
    choose(Kind::kDelay);
    action.delay = *delay;
  }
  if (const auto throttle = act.duration("throttle")) {
    choose(Kind::kThrottle);
    action.delay = *throttle;
  }
  if (act.boolean("drop").value_or(false)) choose(Kind::kDrop);
  if (const auto close = act.word("close", kCloses))
    choose(*close == "fin" ? Kind::kCloseFin : Kind::kCloseRst);
  auto set = act.integer_map("set");
  auto clear = act.texts("clear");
  if (set || clear) {
    choose(Kind::kRewrite);
    if (set) action.rewrite.set = std::move(*set);
    if (clear) action.rewrite.clear.insert(clear->begin(), clear->end());
  }
  action.apply = act.boolean("apply").value_or(false);
  act.finish();
  if (actions != 1) act.fault("", "does one of error, delay, drop, close, throttle, set and clear");
}

json::object match_json(const RuleMatch& match) {
  json::object when;
  if (match.api) when["api"] = *match.api;
  if (match.broker) when["broker"] = *match.broker;
  if (match.client_id) when["client_id"] = *match.client_id;
  if (match.topic) when["topic"] = *match.topic;
  if (match.skip > 0) when["skip"] = match.skip;
  if (match.times) when["times"] = *match.times;
  return when;
}

json::object action_json(const RuleAction& action) {
  json::object act;
  switch (action.kind) {
    case Kind::kError:
      act["error"] = protocol::name(static_cast<protocol::KafkaError>(action.error_code));
      break;
    case Kind::kDelay:
      act["delay"] = action.delay.count();
      break;
    case Kind::kThrottle:
      act["throttle"] = action.delay.count();
      break;
    case Kind::kDrop:
      act["drop"] = true;
      break;
    case Kind::kCloseFin:
      act["close"] = "fin";
      break;
    case Kind::kCloseRst:
      act["close"] = "rst";
      break;
    case Kind::kRewrite:
      if (!action.rewrite.set.empty()) act["set"] = json::value_from(action.rewrite.set);
      if (!action.rewrite.clear.empty()) act["clear"] = json::value_from(action.rewrite.clear);
      break;
  }
  if (action.apply) act["apply"] = true;
  return act;
}

}  // namespace

Result<Rule> rule_from_json(const json::value& value) {
  JsonReader::Fault fault;
  JsonReader reader(value, "a rule", fault);
  Rule rule;
  rule.id = reader.required("id", reader.text("id")).value_or("");
  if (auto when = reader.object("when", "a rule's when")) read_match(*when, rule.match);
  auto act = reader.required("do", reader.object("do", "a rule's do"));
  if (act) read_action(*act, rule.action);
  rule.optional = reader.boolean("optional").value_or(false);
  reader.finish();
  if (rule.id.empty()) reader.fault("id", "is not empty");
  if (fault.first) return tl::unexpected<Error>(std::move(*fault.first));
  return rule;
}

json::object to_json(const Rule& rule) {
  json::object out{{"id", rule.id}};
  if (json::object when = match_json(rule.match); !when.empty()) out["when"] = std::move(when);
  out["do"] = action_json(rule.action);
  if (rule.optional) out["optional"] = true;
  return out;
}

}  // namespace ktrial::fakebroker
