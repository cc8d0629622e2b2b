// SPDX-License-Identifier: Apache-2.0
#include "fakebroker/rules/rule_json.h"
#include "protocol/errors.h"

#include <fmt/format.h>

#include <array>

namespace ktrial::fakebroker {

namespace json = boost::json;

namespace {

std::string hex(std::string_view bytes) {
  std::string text;
  for (const char byte : bytes) text += fmt::format("{:02x}", static_cast<std::uint8_t>(byte));
  return text;
}

template <class Number>
json::object hex_map(const std::map<Number, std::string>& bytes) {
  json::object out;
  for (const auto& [at, each] : bytes) out[std::to_string(at)] = hex(each);
  return out;
}

template <class T>
void put(json::object& out, std::string_view member, const std::optional<T>& value) {
  if (value) out[member] = json::value_from(*value);
}
void put(json::object& out, std::string_view member, const std::optional<Millis>& time) {
  if (!time) return;
  if (*time == kForever) {
    out[member] = "forever";
  } else {
    out[member] = time->count();
  }
}
void put(json::object& out, std::string_view member, Millis time) {
  if (time > Millis{0}) out[member] = time.count();
}

void put_version(json::object& when, const RuleMatch& match) {
  if (match.min_version && match.min_version == match.max_version)
    return put(when, "version", match.min_version);
  json::object span;
  put(span, "min", match.min_version);
  put(span, "max", match.max_version);
  if (!span.empty()) when["version"] = std::move(span);
}

json::object match_json(const RuleMatch& match) {
  json::object when;
  if (match.on == RuleMatch::On::kAccept) when["on"] = "accept";
  if (match.apis.size() == 1) when["api"] = match.apis.front();
  if (match.apis.size() > 1) when["api"] = json::value_from(match.apis);
  put_version(when, match);
  put(when, "broker", match.broker);
  put(when, "connection", match.connection);
  put(when, "client_id", match.client_id);
  put(when, "topic", match.topic);
  put(when, "partition", match.partition);
  put(when, "group", match.group);
  put(when, "transactional_id", match.transactional_id);
  if (match.skip > 0) when["skip"] = match.skip;
  if (match.every > 1) when["every"] = match.every;
  put(when, "times", match.times);
  if (match.probability < 1) when["probability"] = match.probability;
  put(when, "after", match.after);
  put(when, "for", match.during);
  if (match.from_mark && match.to_mark)
    when["between"] = json::array{json::string(*match.from_mark), json::string(*match.to_mark)};
  return when;
}

void put_rewrite(json::object& act, const Rewrite& rewrite) {
  json::object set;
  for (const auto& [name, value] : rewrite.set) {
    set[name] = std::visit(
        []<class T>(const T& held) -> json::value {
          if constexpr (std::is_same_v<T, std::monostate>)
            return nullptr;
          else
            return json::value_from(held);
        },
        value);
  }
  if (!set.empty()) act["set"] = std::move(set);
  if (!rewrite.clear.empty()) act["clear"] = json::value_from(rewrite.clear);
  if (!rewrite.fields.empty()) act["fields"] = rewrite.fields;
  if (!rewrite.tags.empty()) act["tags"] = hex_map(rewrite.tags);
}

void put_bytes(json::object& act, const Mangling& bytes) {
  if (bytes.empty()) return;
  json::object out;
  put(out, "size", bytes.size);
  put(out, "correlation_shift", bytes.correlation_shift);
  put(out, "truncate", bytes.truncate);
  put(out, "garbage", bytes.garbage);
  if (!bytes.append.empty()) out["append"] = hex(bytes.append);
  if (!bytes.patch.empty()) out["patch"] = hex_map(bytes.patch);
  if (!bytes.flip.empty()) out["flip"] = json::value_from(bytes.flip);
  if (bytes.twice) out["twice"] = true;
  act["bytes"] = std::move(out);
}

void put_send(json::object& act, const Pacing& pacing) {
  if (pacing.empty()) return;
  json::object out;
  put(out, "first", pacing.first);
  if (pacing.piece > 0) out["piece"] = pacing.piece;
  put(out, "every", pacing.every);
  act["send"] = std::move(out);
}

void put_move(json::object& act, const ClusterMove& move) {
  using Kind = ClusterMove::Kind;
  constexpr std::array<std::string_view, 12> kNames{"move_leader",
                                                    "move_coordinator",
                                                    "move_controller",
                                                    "stop_broker",
                                                    "start_broker",
                                                    "refuse",
                                                    "drop_syn",
                                                    "set_isr",
                                                    "hold_high_watermark",
                                                    "release_high_watermark",
                                                    "fail_replica",
                                                    "mend_replica"};
  const std::string_view name = kNames.at(static_cast<std::size_t>(move.kind));
  if (move.kind != Kind::kLeader && move.kind < Kind::kInSync) {
    act[name] = move.broker;
    return;
  }
  json::object of_partition{{"topic", move.topic}, {"partition", move.partition}};
  if (move.kind == Kind::kLeader) of_partition["to"] = move.broker;
  if (move.kind == Kind::kInSync) of_partition["replicas"] = json::value_from(move.brokers);
  if (move.kind == Kind::kFailReplica || move.kind == Kind::kMendReplica)
    of_partition["broker"] = move.broker;
  act[name] = std::move(of_partition);
}

void put_view(json::object& act, const MetadataView& view) {
  json::object out;
  if (view.frozen)
    out["frozen"] = true;
  else
    out["lag"] = view.lag.count();
  act["view"] = std::move(out);
}

void put_close(json::object& act, RuleClose close) {
  constexpr std::array<std::string_view, 4> kNames{"fin", "rst", "half", "vanish"};
  act["close"] = kNames.at(static_cast<std::size_t>(close));
}

// One that Kafka's table does not have is its number.
void put_error(json::object& act, std::int16_t error) {
  const std::string_view name = protocol::name(static_cast<protocol::KafkaError>(error));
  if (protocol::find_error(name)) {
    act["error"] = name;
  } else {
    act["error"] = error;
  }
}

void put_errors(json::object& act, const std::vector<PartError>& errors) {
  if (errors.empty()) return;
  json::array out;
  for (const auto& [part, error] : errors) {
    json::object one;
    put(one, "topic", part.topic);
    put(one, "partition", part.partition);
    put(one, "group", part.group);
    put(one, "transactional_id", part.transactional_id);
    put(one, "resource", part.resource);
    put_error(one, error);
    out.push_back(std::move(one));
  }
  act["errors"] = std::move(out);
}

json::object action_json(const RuleAction& action) {
  if (!action.lua.empty()) return {{"lua", action.lua}};
  json::object act;
  for (const ClusterMove& move : action.moves) put_move(act, move);
  if (action.view) put_view(act, *action.view);
  if (action.error) put_error(act, *action.error);
  if (action.everywhere) act["everywhere"] = true;
  put_errors(act, action.errors);
  put(act, "delay", action.delay);
  if (action.before) act["before"] = true;
  put(act, "throttle", action.throttle);
  if (action.drop) act["drop"] = true;
  put_rewrite(act, action.rewrite);
  put_bytes(act, action.bytes);
  put_send(act, action.send);
  if (action.close) put_close(act, *action.close);
  const bool sends = !action.bytes.empty() || !action.send.empty();
  if (action.answer != (!action.close || sends)) act["answer"] = action.answer;
  if (action.apply != (!action.error && action.errors.empty() && action.answer))
    act["apply"] = action.apply;
  put(act, "stall", action.stall);
  return act;
}

}  // namespace

bool Mangling::empty() const {
  return !size && !correlation_shift && !truncate && !garbage && append.empty() && patch.empty() &&
         flip.empty() && !twice;
}

json::object to_json(const Rule& rule) {
  json::object out{{"id", rule.id}};
  if (json::object when = match_json(rule.match); !when.empty()) out["when"] = std::move(when);
  out["do"] = action_json(rule.action);
  if (rule.optional) out["optional"] = true;
  return out;
}

}  // namespace ktrial::fakebroker
