// SPDX-License-Identifier: Apache-2.0
#include "harness/traces/trace.h"

#include <algorithm>
#include <exception>
#include <utility>

namespace ktrial::harness::traces {
namespace {

std::string name_of(const boost::json::object& request) {
  std::string name(request.at("api").as_string());
  const auto* const fields = request.if_contains("fields");
  if (fields == nullptr || !fields->is_object()) return name;
  const auto* const epoch = fields->get_object().if_contains("memberEpoch");
  const bool leaves = epoch != nullptr && epoch->is_int64() && epoch->get_int64() < 0;
  if (name == "ConsumerGroupHeartbeat" && leaves) name += "/leave";
  return name;
}

std::string to_string(const Step& step) {
  std::string text = step.api + " v" + std::to_string(step.version);
  if (!step.error.empty()) text += " (" + step.error + ')';
  return text;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

const std::set<std::string>& roving_of(const std::string& program, const Rules& rules) {
  static const std::set<std::string> kNone;
  const auto found = rules.roving.find(program);
  return found == rules.roving.end() ? kNone : found->second;
}

std::set<std::string> names(const boost::json::value& list) {
  std::set<std::string> made;
  for (const auto& name : list.as_array()) made.emplace(name.as_string());
  return made;
}

using Texts = std::vector<std::string>;

// Collapsed traces by client id; with it, what roves.
std::map<std::string, Texts> by_client(const std::string& program,
                                       const std::vector<ConnectionTrace>& traces,
                                       const Rules& rules) {
  const auto& roving = roving_of(program, rules);
  std::map<std::string, Texts> made;
  std::map<std::string, std::set<std::string>> roved;
  const auto of_broker = [&](const ConnectionTrace& trace) {
    return std::ranges::any_of(rules.brokers,
                               [&](const auto& word) { return trace.client.starts_with(word); });
  };
  for (const ConnectionTrace& trace : traces) {
    if (of_broker(trace)) continue;
    made[trace.client].push_back(collapsed(trace, program, rules));
    for (const Step& step : trace.steps) {
      if (roving.contains(step.api)) roved[trace.client].insert(to_string(step));
    }
  }
  for (const auto& [client, asked] : roved)
    made[client].push_back("on any connection: " + joined({asked.begin(), asked.end()}));
  return made;
}

void remove_equal(Texts& real, Texts& fake) {
  std::erase_if(real, [&](const std::string& trace) {
    const auto equal = std::ranges::find(fake, trace);
    if (equal == fake.end()) return false;
    fake.erase(equal);
    return true;
  });
}

std::string reason_for(const std::string& program, const Difference& difference,
                       const Rules& rules) {
  for (const auto& allowed : rules.allowed) {
    if (program.find(allowed.program) != std::string::npos &&
        difference.real.find(allowed.real) != std::string::npos &&
        difference.fake.find(allowed.fake) != std::string::npos)
      return allowed.why;
  }
  return "";
}

}  // namespace

std::vector<ConnectionTrace> traces_of(const capture::EventLog& log) {
  std::vector<ConnectionTrace> traces(log.connections.size());
  for (const auto& connection : log.connections) {
    if (!connection.client_ids.empty())
      traces[static_cast<std::size_t>(connection.id)].client = connection.client_ids.front();
  }
  std::map<std::pair<int, std::int64_t>, std::size_t> asked;  // place of the request in the trace
  for (const auto& event : log.events) {
    const bool request = event.type == "req";
    const auto* const correlation = event.data.if_contains("correlation_id");
    if (event.conn < 0 || correlation == nullptr || (!request && event.type != "resp")) continue;
    auto& steps = traces[static_cast<std::size_t>(event.conn)].steps;
    const std::pair key{event.conn, correlation->to_number<std::int64_t>()};
    if (request) {
      asked[key] = steps.size();
      steps.push_back({name_of(event.data), event.data.at("version").to_number<int>(), ""});
    } else if (const auto* const error = event.data.if_contains("error_name")) {
      if (const auto at = asked.find(key); at != asked.end())
        steps[at->second].error = error->as_string();
    }
  }
  // What was open before the program started is none of its doing.
  std::vector<ConnectionTrace> begun;
  for (const auto& connection : log.connections) {
    if (connection.from_start)
      begun.push_back(std::move(traces[static_cast<std::size_t>(connection.id)]));
  }
  return begun;
}

Result<Rules> parse_rules(const boost::json::value& from) {
  try {
    Rules rules;
    rules.brokers = names(from.at("brokers"));
    rules.clocked = names(from.at("clocked"));
    rules.racing = names(from.at("racing"));
    rules.repeated = names(from.at("repeated"));
    for (const auto& [program, apis] : from.at("roving").as_object())
      rules.roving[program] = names(apis);
    for (const auto& one : from.at("allowed").as_array()) {
      const auto text = [&](const char* name) { return std::string(one.at(name).as_string()); };
      rules.allowed.push_back({text("program"), text("real"), text("fake"), text("why")});
    }
    return rules;
  } catch (const std::exception& error) {
    return fail(Errc::kInvalidArgument, error.what(), "rules of traces");
  }
}

std::string collapsed(const ConnectionTrace& trace, const std::string& program,
                      const Rules& rules) {
  const auto& roving = roving_of(program, rules);
  std::set<std::string> before;
  Texts kept;
  for (const Step& step : trace.steps) {
    if (rules.clocked.contains(step.api) || rules.racing.contains(step.error) ||
        roving.contains(step.api))
      continue;
    std::string text = to_string(step);
    const bool again = !before.insert(text).second;
    if (again && (rules.repeated.contains(step.api) || kept.back() == text)) continue;
    kept.push_back(std::move(text));
  }
  return joined(kept);
}

std::string whole(const ConnectionTrace& trace) {
  Texts all;
  for (const Step& step : trace.steps) all.push_back(to_string(step));
  return joined(all);
}

Compared compare(const std::string& program, const std::vector<ConnectionTrace>& real,
                 const std::vector<ConnectionTrace>& fake, const Rules& rules) {
  auto reals = by_client(program, real, rules);
  auto fakes = by_client(program, fake, rules);
  Compared compared;
  for (const auto& [client, traces] : fakes) reals.try_emplace(client);
  for (auto& [client, mine] : reals) {
    Texts& theirs = fakes[client];
    compared.connections += std::max(mine.size(), theirs.size());
    for (const std::string& trace : mine)
      compared.requests += static_cast<std::size_t>(std::ranges::count(trace, ',')) + 1;
    remove_equal(mine, theirs);
    for (std::size_t i = 0; i < std::max(mine.size(), theirs.size()); ++i) {
      Difference found{client, i < mine.size() ? mine[i] : "(none)",
                       i < theirs.size() ? theirs[i] : "(none)"};
      found.why = reason_for(program, found, rules);
      compared.differences.push_back(std::move(found));
    }
  }
  return compared;
}

}  // namespace ktrial::harness::traces
