// SPDX-License-Identifier: Apache-2.0
#include "reports/model/read_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <tuple>
#include <unordered_map>

namespace ktrial::reports {
namespace {

namespace fs = std::filesystem;
using boost::json::object;
using boost::json::value;

constexpr int kFormat = 1;

std::string text(const object& json, std::string_view key) {
  const value* found = json.if_contains(key);
  if (found == nullptr || found->is_null()) return {};
  return found->is_string() ? std::string(found->as_string()) : boost::json::serialize(*found);
}

double number(const object& json, std::string_view key, double otherwise = 0) {
  const value* found = json.if_contains(key);
  return found != nullptr && found->is_number() ? found->to_number<double>() : otherwise;
}

std::optional<double> optional_number(const object& json, std::string_view key) {
  const value* found = json.if_contains(key);
  if (found == nullptr || !found->is_number()) return std::nullopt;
  return found->to_number<double>();
}

std::optional<bool> optional_boolean(const object& json, std::string_view key) {
  const value* found = json.if_contains(key);
  if (found == nullptr || !found->is_bool()) return std::nullopt;
  return found->get_bool();
}

template <class Integer>
Integer integer(const object& json, std::string_view key, Integer otherwise = 0) {
  const value* found = json.if_contains(key);
  if (found == nullptr || !found->is_number()) return otherwise;
  boost::system::error_code out_of_range;
  const Integer exact = found->to_number<Integer>(out_of_range);
  return out_of_range ? otherwise : exact;
}

std::vector<std::string> texts(const object& json, std::string_view key) {
  std::vector<std::string> list;
  const value* found = json.if_contains(key);
  if (found == nullptr || !found->is_array()) return list;
  for (const value& element : found->get_array()) {
    list.push_back(element.is_string() ? std::string(element.as_string())
                                       : boost::json::serialize(element));
  }
  return list;
}

void each_object(const object& json, std::string_view key,
                 const std::function<void(const object&)>& fn) {
  const value* found = json.if_contains(key);
  if (found == nullptr || !found->is_array()) return;
  for (const value& element : found->get_array()) {
    if (element.is_object()) fn(element.get_object());
  }
}

Verdict verdict_of(const object& json) {
  return parse_verdict(text(json, "verdict")).value_or(Verdict::kError);
}

CheckResult check_of(const object& json) {
  CheckResult check;
  check.id = text(json, "id");
  check.level = text(json, "level");
  check.basis = text(json, "basis");
  check.sentence = text(json, "sentence");
  check.requirement = text(json, "requirement");
  check.expanded = text(json, "expanded");
  check.tshark = text(json, "tshark");
  check.verdict = verdict_of(json);
  check.preconditions = texts(json, "preconditions");
  check.claims = texts(json, "claims");
  check.decides = texts(json, "decides");
  check.holds = optional_boolean(json, "holds");
  check.finding = optional_boolean(json, "finding").value_or(false);
  each_object(json, "evidence", [&check](const object& one) {
    check.evidence.push_back({integer<std::uint64_t>(one, "packet"), number(one, "t"),
                              integer<int>(one, "conn", -1), text(one, "text")});
  });
  each_object(json, "arithmetic", [&check](const object& one) {
    check.arithmetic.push_back({text(one, "name"), text(one, "value"), text(one, "unit")});
  });
  return check;
}

std::string variant_of(const object& json) {
  const value* found = json.if_contains("variant");
  if (found == nullptr || !found->is_object()) return {};
  std::string joined;
  for (const auto& [axis, chosen] : found->get_object()) {
    if (!joined.empty()) joined += ' ';
    joined +=
        std::string(axis) + '=' +
        (chosen.is_string() ? std::string(chosen.as_string()) : boost::json::serialize(chosen));
  }
  return joined;
}

CaseResult case_of(const object& json) {
  CaseResult one;
  one.id = text(json, "id");
  one.title = text(json, "title");
  one.why = text(json, "why");
  one.file = text(json, "file");
  one.line = integer<int>(json, "line");
  one.client = text(json, "client");
  one.version = text(json, "version");
  one.variant = variant_of(json);
  one.known = text(json, "known");
  one.reason = one.known.empty() ? text(json, "reason") : "known failure: " + one.known;
  one.dir = text(json, "dir");
  one.seconds = number(json, "seconds");
  one.verdict = verdict_of(json);
  one.refs = texts(json, "refs");
  one.decides = texts(json, "decides");
  one.accelerate = number(json, "accelerate", 1);
  if (const value* attempts = json.if_contains("attempts"); attempts && attempts->is_array()) {
    one.attempt_count = std::max(1, static_cast<int>(attempts->get_array().size()));
  }
  each_object(json, "checks",
              [&one](const object& check) { one.checks.push_back(check_of(check)); });
  return one;
}

// Calls fn for each line; the last line may be cut off (a killed run), every other must be whole.
Result<void> each_line(const fs::path& path, const std::function<Result<void>(const object&)>& fn) {
  std::ifstream in(path);
  if (!in) return fail(Errc::kNotFound, "cannot be opened", path.string());
  std::string line;
  for (int number = 1; std::getline(in, line); ++number) {
    if (line.empty()) continue;
    boost::system::error_code bad;
    const value parsed = boost::json::parse(line, bad);
    if (bad && in.eof()) break;
    if (bad || !parsed.is_object()) {
      return fail(Errc::kMalformed, "not a JSON object: was this file written by ktrial?",
                  fmt::format("{}:{}", path.string(), number));
    }
    auto handled = fn(parsed.get_object());
    if (!handled) {
      handled.error().where = fmt::format("{}:{}", path.string(), number);
      return handled;
    }
  }
  return {};
}

Lane lane_of(const object& json) {
  Lane lane;
  lane.id = integer<int>(json, "id");
  lane.broker = integer<int>(json, "broker", -1);
  lane.client = text(json, "client");
  lane.server = text(json, "server");
  lane.closer = text(json, "closer");
  lane.close_kind = text(json, "close_kind");
  lane.roles = texts(json, "roles");
  lane.apis = texts(json, "apis");
  lane.attempt = optional_number(json, "attempt");
  lane.open = optional_number(json, "open");
  lane.first_payload = optional_number(json, "first_payload");
  lane.last_payload = optional_number(json, "last_payload");
  lane.closed = optional_number(json, "closed");
  lane.requests = integer<std::uint64_t>(json, "requests");
  lane.responses = integer<std::uint64_t>(json, "responses");
  return lane;
}

// Collects events into the lists that the pages show.
class EventSink {
 public:
  explicit EventSink(CaseResult& into) : into_(into) {}

  // An event line: its own members, and "data" with what its type has.
  void add(const object& line) {
    const std::string type = text(line, "type");
    const double t = number(line, "t");
    object event = line;
    if (const value* data = line.if_contains("data"); data != nullptr && data->is_object()) {
      for (const auto& [key, member] : data->get_object()) event[key] = member;
    }
    into_.duration = std::max(into_.duration, t);
    if (type == "req") {
      add_request(event, t);
    } else if (type == "resp") {
      add_response(event, t);
    } else if (type == "call.begin") {
      open_calls_[call_key(event)] = into_.calls.size();
      into_.calls.push_back({text(event, "call"), text(event, "args"), t, std::nullopt, true});
    } else if (type == "call.end") {
      end_call(event, t);
    } else if (type == "mark") {
      into_.moments.push_back({"mark", text(event, "name"), t, t});
    } else if (type == "broker.act") {
      into_.moments.push_back(
          {"act", fmt::format("{} {}", text(event, "broker"), text(event, "do")), t, t});
    } else if (type == "host.stall") {
      const double seconds = number(event, "ms") / 1000;
      into_.moments.push_back({"stall", fmt::format("host stalled {:.0f} ms", seconds * 1000),
                               std::max(0.0, t - seconds), t});
    }
  }

 private:
  static std::string call_key(const object& event) {
    return text(event, "client") + '/' + text(event, "call") + '/' + text(event, "n");
  }

  void add_request(const object& event, double t) {
    Request request;
    request.t = t;
    request.conn = integer<int>(event, "conn", -1);
    request.broker = integer<int>(event, "broker", -1);
    request.api = text(event, "api");
    request.version = integer<int>(event, "version");
    request.correlation_id = integer<std::int64_t>(event, "correlation_id");
    request.bytes = integer<std::uint64_t>(event, "bytes");
    request.packet = integer<std::uint64_t>(event, "packet");
    pending_[request.conn].push_back(into_.requests.size());
    into_.requests.push_back(std::move(request));
  }

  void add_response(const object& event, double t) {
    const auto correlation = integer<std::int64_t>(event, "correlation_id");
    auto& waiting = pending_[integer<int>(event, "conn", -1)];
    const auto found = std::find_if(waiting.begin(), waiting.end(), [&](std::size_t index) {
      return into_.requests[index].correlation_id == correlation;
    });
    if (found == waiting.end()) return;
    Request& request = into_.requests[*found];
    request.answered = t;
    request.error = text(event, "error");
    request.response_packet = integer<std::uint64_t>(event, "packet");
    waiting.erase(found);
  }

  void end_call(const object& event, double t) {
    const auto found = open_calls_.find(call_key(event));
    if (found == open_calls_.end()) return;
    Call& call = into_.calls[found->second];
    call.end = t;
    const value* ok = event.if_contains("ok");
    call.ok = ok == nullptr || !ok->is_bool() || ok->get_bool();
    if (!call.ok) call.detail = text(event, "error");
    open_calls_.erase(found);
  }

  CaseResult& into_;
  std::unordered_map<int, std::vector<std::size_t>> pending_;
  std::unordered_map<std::string, std::size_t> open_calls_;
};

// The case's own file adds what the swimlane shows; a case that never started has none.
Result<void> read_case_file(const fs::path& path, CaseResult& into) {
  if (!fs::exists(path)) return {};
  EventSink sink(into);
  return each_line(path, [&](const object& json) -> Result<void> {
    const std::string kind = text(json, "kind");
    if (kind == "connection") into.lanes.push_back(lane_of(json));
    if (kind == "event") sink.add(json);
    return {};
  });
}

}  // namespace

Result<RunResult> read_run(const fs::path& dir) {
  RunResult run;
  run.dir = dir.string();
  const auto read = each_line(dir / "run.jsonl", [&run](const object& json) -> Result<void> {
    const std::string kind = text(json, "kind");
    if (kind == "run") {
      const int format = integer<int>(json, "format", kFormat);
      if (format > kFormat) {
        return fail(Errc::kUnsupported,
                    fmt::format("written in format {}, this ktrial reads up to {}: use a newer one",
                                format, kFormat));
      }
      run.started = text(json, "started");
      run.ktrial_version = text(json, "ktrial");
      run.arguments = texts(json, "args");
      each_object(json, "claims", [&run](const object& claim) {
        run.claims.push_back({text(claim, "id"), text(claim, "text"), text(claim, "unobservable")});
      });
      if (const value* host = json.if_contains("host"); host && host->is_object()) {
        run.host = host->get_object();
      }
      if (const value* found = json.if_contains("calibration"); found && found->is_object()) {
        run.calibration = found->get_object();
      }
    } else if (kind == "case") {
      run.cases.push_back(case_of(json));
    } else if (kind == "end") {
      run.complete = true;
      run.exit_code = integer<int>(json, "exit");
    }
    return {};
  });
  if (!read) return tl::unexpected<Error>(read.error());
  // Cases end in any order: two reports of the same cases must lie side by side.
  std::stable_sort(run.cases.begin(), run.cases.end(),
                   [](const CaseResult& a, const CaseResult& b) {
                     return std::tie(a.id, a.variant, a.client, a.version) <
                            std::tie(b.id, b.variant, b.client, b.version);
                   });
  for (CaseResult& one : run.cases) {
    if (one.dir.empty()) continue;
    KTRIAL_TRY(read_case_file(dir / one.dir / "case.jsonl", one));
  }
  return run;
}

}  // namespace ktrial::reports
