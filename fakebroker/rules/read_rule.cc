// SPDX-License-Identifier: Apache-2.0
#include "common/hint.h"
#include "common/json_reader.h"
#include "fakebroker/rules/rule_json.h"
#include "protocol/api_info.h"
#include "protocol/errors.h"

#include <array>
#include <charconv>
#include <cmath>
#include <limits>

namespace ktrial::fakebroker {

namespace json = boost::json;

namespace {

constexpr std::int64_t kMostTimes = std::numeric_limits<std::uint32_t>::max();
constexpr std::int64_t kMostBytes = 64LL << 20U;
constexpr std::int64_t kLastTag = 1LL << 28U;
constexpr std::array<std::string_view, 2> kOns{"request", "accept"};
constexpr std::array<std::string_view, 4> kCloses{"fin", "rst", "half", "vanish"};

std::vector<std::string> api_names() {
  std::vector<std::string> names;
  for (const auto& api : protocol::all_apis()) names.emplace_back(api.name);
  return names;
}

std::vector<std::string> error_names() {
  constexpr std::int16_t kFirst = -1;
  constexpr std::int16_t kBeyond = 1000;
  std::vector<std::string> names;
  for (std::int16_t code = kFirst; code < kBeyond; ++code) {
    const auto name = protocol::name(static_cast<protocol::KafkaError>(code));
    if (name != "UNKNOWN") names.emplace_back(name);
  }
  return names;
}

template <class Integer>
std::optional<Integer> number_of(std::string_view text) {
  Integer number = 0;
  const auto [end, bad] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (bad != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

template <class Integer>
std::optional<Integer> integer(JsonReader& reader, std::string_view member, std::int64_t least,
                               std::int64_t most) {
  const auto number = reader.integer(member, least, most);
  return number ? std::optional(static_cast<Integer>(*number)) : std::nullopt;
}

std::optional<std::string> bytes_of_hex(std::string_view text) {
  if (text.size() % 2 != 0) return std::nullopt;
  std::string bytes;
  for (std::size_t i = 0; i < text.size(); i += 2) {
    unsigned byte = 0;
    const auto [end, bad] = std::from_chars(text.data() + i, text.data() + i + 2, byte, 16);
    if (bad != std::errc() || end != text.data() + i + 2) return std::nullopt;
    bytes += static_cast<char>(byte);
  }
  return bytes;
}

std::string hex(JsonReader& reader, std::string_view member, std::string_view text) {
  auto bytes = bytes_of_hex(text);
  if (!bytes) reader.fault(member, "is bytes in hexadecimal, such as \"00ff\"");
  return bytes.value_or("");
}

// --- when

void read_apis(JsonReader& when, RuleMatch& match) {
  match.apis = when.text_or_texts("api").value_or(std::vector<std::string>());
  for (const std::string& name : match.apis) {
    if (protocol::find_api(std::string_view(name)) == nullptr)
      when.fault("api", "is the name of an API, such as Produce, not '" + name + "'" +
                            hint(name, api_names()));
  }
}

void read_version(JsonReader& when, RuleMatch& match) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int16_t>::max();
  if (!when.is_object("version")) {
    match.min_version = match.max_version = integer<std::int16_t>(when, "version", 0, kMost);
    return;
  }
  auto span = when.object("version", "a rule's version");
  match.min_version = integer<std::int16_t>(*span, "min", 0, kMost);
  match.max_version = integer<std::int16_t>(*span, "max", 0, kMost);
  span->finish();
}

void read_between(JsonReader& when, RuleMatch& match) {
  const auto marks = when.texts("between");
  if (!marks) return;
  if (marks->size() != 2) return when.fault("between", "is two marks: [from, to]");
  match.from_mark = marks->front();
  match.to_mark = marks->back();
}

void read_match(JsonReader& when, RuleMatch& match) {
  if (const auto on = when.word("on", kOns); on && *on == "accept")
    match.on = RuleMatch::On::kAccept;
  read_apis(when, match);
  read_version(when, match);
  match.broker = integer<int>(when, "broker", 0, INT32_MAX);
  match.connection = integer<std::uint64_t>(when, "connection", 1, INT64_MAX);
  match.client_id = when.text("client_id");
  match.topic = when.text("topic");
  match.partition = integer<std::int32_t>(when, "partition", 0, INT32_MAX);
  match.group = when.text("group");
  match.transactional_id = when.text("transactional_id");
  match.skip = integer<std::uint32_t>(when, "skip", 0, kMostTimes).value_or(0);
  match.every = integer<std::uint32_t>(when, "every", 1, kMostTimes).value_or(1);
  match.times = integer<std::uint32_t>(when, "times", 1, kMostTimes);
  match.probability = when.number("probability", 0, 1).value_or(1);
  match.after = when.duration("after").value_or(Millis{0});
  match.during = when.duration("for");
  read_between(when, match);
  when.finish();
  if (match.partition && !match.topic) when.fault("partition", "needs a topic beside it");
  const bool of_a_request = !match.apis.empty() || match.min_version || match.max_version ||
                            match.client_id || match.topic || match.group || match.transactional_id;
  if (match.on == RuleMatch::On::kAccept && of_a_request)
    when.fault("on",
               "is accept: nothing was asked for yet, so there is no api, version, "
               "client_id, topic, group or transactional_id to go by");
}

// --- do

// By its name in Kafka's error table, or by its number.
std::optional<std::int16_t> read_error(JsonReader& act) {
  if (act.is_integer("error")) return integer<std::int16_t>(act, "error", INT16_MIN, INT16_MAX);
  const auto text = act.text("error");
  if (!text) return std::nullopt;
  if (const auto known = protocol::find_error(*text)) return code(*known);
  if (const auto number = number_of<std::int16_t>(*text)) return number;
  act.fault("error",
            "is a name of Kafka's error table, not '" + *text + "'" + hint(*text, error_names()));
  return std::nullopt;
}

void read_errors(JsonReader& act, std::vector<PartError>& errors) {
  for (JsonReader& each : act.objects("errors", "a part's error")) {
    PartError& one = errors.emplace_back();
    one.part.topic = each.text("topic");
    one.part.partition = integer<std::int32_t>(each, "partition", 0, INT32_MAX);
    one.part.group = each.text("group");
    one.part.transactional_id = each.text("transactional_id");
    one.part.resource = each.text("resource");
    one.error = each.required("error", read_error(each)).value_or(0);
    each.finish();
    if (one.part.empty())
      each.fault("", "names a topic, partition, group, transactional_id or resource");
    if (one.part.partition && !one.part.topic) each.fault("partition", "needs a topic beside it");
  }
}

bool has_error(const RuleAction& action) { return action.error || !action.errors.empty(); }

void read_rewrite(JsonReader& act, Rewrite& rewrite) {
  if (const json::object* const set = act.raw_object("set")) {
    for (const auto& [name, value] : *set) {
      FieldValue& field = rewrite.set[std::string(name)];
      if (value.is_bool())
        field = value.get_bool();
      else if (value.is_int64())
        field = value.get_int64();
      else if (value.is_string())
        field = std::string(value.get_string());
      else if (!value.is_null())
        act.fault("set", "gives fields integers, texts, true, false or null: {leaderEpoch: 0}");
    }
  }
  if (const json::object* const fields = act.raw_object("fields")) rewrite.fields = *fields;
  if (const auto clear = act.text_or_texts("clear"))
    rewrite.clear.insert(clear->begin(), clear->end());
  for (const auto& [tag, text] :
       act.text_map("tags").value_or(std::map<std::string, std::string>())) {
    const auto number = number_of<int>(tag);
    if (!number || *number < 0 || *number > kLastTag)
      act.fault("tags", "is a map of tags to bytes in hexadecimal: {10000: \"00ff\"}");
    rewrite.tags[number.value_or(0)] = hex(act, "tags", text);
  }
}

void read_bytes(JsonReader& bytes, Mangling& mangling) {
  mangling.size = integer<std::int32_t>(bytes, "size", INT32_MIN, INT32_MAX);
  mangling.correlation_shift =
      integer<std::int32_t>(bytes, "correlation_shift", INT32_MIN, INT32_MAX);
  mangling.truncate = integer<std::uint32_t>(bytes, "truncate", 0, kMostBytes);
  mangling.garbage = integer<std::uint32_t>(bytes, "garbage", 0, kMostBytes);
  if (const auto text = bytes.text("append")) mangling.append = hex(bytes, "append", *text);
  for (const auto& [at, text] :
       bytes.text_map("patch").value_or(std::map<std::string, std::string>())) {
    const auto offset = number_of<std::int32_t>(at);
    if (!offset) bytes.fault("patch", "is a map of offsets to bytes: {4: \"00ff\"}");
    mangling.patch[offset.value_or(0)] = hex(bytes, "patch", text);
  }
  if (const auto flip = bytes.integers("flip", INT32_MIN, INT32_MAX))
    mangling.flip.assign(flip->begin(), flip->end());
  mangling.twice = bytes.boolean("twice").value_or(false);
  bytes.finish();
  if (mangling.empty())
    bytes.fault("",
                "changes something: size, correlation_shift, truncate, garbage, append, patch, "
                "flip or twice");
}

void read_send(JsonReader& send, Pacing& pacing) {
  pacing.first = integer<std::uint32_t>(send, "first", 0, kMostBytes);
  pacing.piece = integer<std::uint32_t>(send, "piece", 1, kMostBytes).value_or(0);
  pacing.every = send.duration("every").value_or(Millis{0});
  send.finish();
  if (pacing.empty()) send.fault("", "needs first (bytes, and no more) or piece (bytes at a time)");
}

ClusterMove read_move_of_partition(JsonReader& reader, ClusterMove::Kind kind) {
  using Kind = ClusterMove::Kind;
  ClusterMove move{.kind = kind, .broker = -1};
  move.topic = reader.required("topic", reader.text("topic")).value_or("");
  move.partition =
      reader.required("partition", integer<std::int32_t>(reader, "partition", 0, INT32_MAX))
          .value_or(0);
  if (kind == Kind::kLeader)
    move.broker = reader.required("to", integer<int>(reader, "to", -1, INT32_MAX)).value_or(0);
  if (kind == Kind::kFailReplica || kind == Kind::kMendReplica) {
    move.broker =
        reader.required("broker", integer<int>(reader, "broker", 0, INT32_MAX)).value_or(0);
  }
  if (kind == Kind::kInSync) {
    move.brokers = reader.required("replicas", reader.integers("replicas", 0, INT32_MAX))
                       .value_or(std::vector<int>());
  }
  reader.finish();
  return move;
}

void read_moves(JsonReader& act, std::vector<ClusterMove>& moves) {
  using Kind = ClusterMove::Kind;
  constexpr std::array<std::pair<std::string_view, Kind>, 6> kMoves{
      {{"move_coordinator", Kind::kCoordinator},
       {"move_controller", Kind::kController},
       {"stop_broker", Kind::kStop},
       {"start_broker", Kind::kStart},
       {"refuse", Kind::kRefuse},
       {"drop_syn", Kind::kDropSyn}}};
  constexpr std::array<std::pair<std::string_view, Kind>, 6> kOfPartitions{
      {{"move_leader", Kind::kLeader},
       {"set_isr", Kind::kInSync},
       {"hold_high_watermark", Kind::kHoldWatermark},
       {"release_high_watermark", Kind::kReleaseWatermark},
       {"fail_replica", Kind::kFailReplica},
       {"mend_replica", Kind::kMendReplica}}};
  for (const auto& [member, kind] : kOfPartitions) {
    if (auto reader = act.object(member, std::string(member)))
      moves.push_back(read_move_of_partition(*reader, kind));
  }
  for (const auto& [member, kind] : kMoves) {
    if (const auto broker = integer<int>(act, member, 0, INT32_MAX))
      moves.push_back({.kind = kind, .broker = *broker});
  }
}

void read_view(JsonReader& view, RuleAction& action) {
  MetadataView& out = action.view.emplace();
  out.frozen = view.boolean("frozen").value_or(false);
  const auto lag = view.duration("lag");
  out.lag = lag.value_or(Millis{0});
  view.finish();
  if (out.frozen == lag.has_value()) view.fault("", "is frozen: true, or has a lag, not both");
}

bool does_something(const RuleAction& action) {
  return !action.lua.empty() || !action.moves.empty() || action.view || action.delay > Millis{0} ||
         has_error(action) || action.throttle || !action.rewrite.empty() || !action.bytes.empty() ||
         !action.send.empty() || action.drop || action.close || action.stall;
}

bool changes_answer(const RuleAction& action) {
  return action.throttle || !action.rewrite.empty() || !action.bytes.empty() ||
         !action.send.empty();
}

void check(JsonReader& act, const RuleAction& action, RuleMatch::On on) {
  const bool for_requests = action.view || has_error(action) || action.drop ||
                            changes_answer(action) || !action.lua.empty();
  if (action.everywhere && !action.error) act.fault("everywhere", "needs an error beside it");
  if (action.error && !action.errors.empty())
    act.fault("errors", "are those of parts: no error beside them");
  if (!does_something(action)) {
    act.fault(
        "",
        "does something: error, errors, delay, drop, close, throttle, stall, set, clear, tags, "
        "bytes, send, view, move_leader, move_coordinator, move_controller, stop_broker, "
        "start_broker, refuse, drop_syn, set_isr, hold_high_watermark, "
        "release_high_watermark, fail_replica or mend_replica");
  } else if (action.drop && (has_error(action) || action.close || changes_answer(action))) {
    act.fault("drop", "leaves no answer to change: nothing but delay, stall or a move beside it");
  } else if (action.close && !action.answer && (has_error(action) || changes_answer(action))) {
    act.fault("close", "takes the place of the answer, unless answer is true");
  } else if (on == RuleMatch::On::kAccept && for_requests) {
    act.fault("",
              "has no answer to change yet: a rule on accept does close, delay, stall or a move");
  }
}

void read_action(JsonReader& act, RuleAction& action, RuleMatch::On on) {
  if (auto lua = act.text("lua")) {
    action.lua = std::move(*lua);
    act.finish();
    return check(act, action, on);
  }
  read_moves(act, action.moves);
  if (auto view = act.object("view", "a rule's view")) read_view(*view, action);
  action.error = read_error(act);
  action.everywhere = act.boolean("everywhere").value_or(false);
  read_errors(act, action.errors);
  action.delay = act.duration("delay").value_or(Millis{0});
  action.before = act.boolean("before").value_or(false);
  action.throttle = act.duration("throttle");
  action.drop = act.boolean("drop").value_or(false);
  read_rewrite(act, action.rewrite);
  if (auto bytes = act.object("bytes", "a rule's bytes")) read_bytes(*bytes, action.bytes);
  if (auto send = act.object("send", "a rule's send")) read_send(*send, action.send);
  if (const auto close = act.word("close", kCloses)) {
    const auto at = std::ranges::find(kCloses, *close) - kCloses.begin();
    action.close = static_cast<RuleClose>(at);
  }
  const bool sends = !action.bytes.empty() || !action.send.empty();
  action.answer = act.boolean("answer").value_or(!action.close || sends);
  // An error, or a connection closed instead of an answer, stands for work that was not done.
  action.apply = act.boolean("apply").value_or(!has_error(action) && action.answer);
  if (const auto stall = act.duration("stall", "forever")) action.stall = *stall;
  act.finish();
  check(act, action, on);
}

template <class T, class Read>
Result<T> read_document(const json::value& value, const std::string& what, Read read) {
  JsonReader::Fault fault;
  JsonReader reader(value, what, fault);
  T out;
  read(reader, out);
  if (fault.first) return tl::unexpected<Error>(std::move(*fault.first));
  return out;
}

}  // namespace

Result<Rule> rule_from_json(const json::value& value) {
  return read_document<Rule>(value, "a rule", [](JsonReader& reader, Rule& rule) {
    rule.id = reader.required("id", reader.text("id")).value_or("");
    if (auto when = reader.object("when", "a rule's when")) read_match(*when, rule.match);
    auto act = reader.required("do", reader.object("do", "a rule's do"));
    if (act) read_action(*act, rule.action, rule.match.on);
    rule.optional = reader.boolean("optional").value_or(false);
    reader.finish();
    if (rule.id.empty()) reader.fault("id", "is not empty");
  });
}

Result<RuleAction> action_from_json(const json::value& value, RuleMatch::On on) {
  return read_document<RuleAction>(value, "an action", [on](JsonReader& reader, RuleAction& out) {
    read_action(reader, out, on);
  });
}

void quicken(Rule& rule, double speed) {
  const auto shorten = [speed](Millis& time) {
    if (time == kForever) return;
    time = Millis(std::llround(static_cast<double>(time.count()) / speed));
  };
  shorten(rule.match.after);
  if (rule.match.during) shorten(*rule.match.during);
  shorten(rule.action.delay);
  shorten(rule.action.send.every);
  if (rule.action.stall) shorten(*rule.action.stall);
  if (rule.action.view) shorten(rule.action.view->lag);
}

}  // namespace ktrial::fakebroker
