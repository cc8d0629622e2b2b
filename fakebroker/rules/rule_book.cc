// SPDX-License-Identifier: Apache-2.0
#include "fakebroker/rules/rule_book.h"

#include "fakebroker/rules/rule_json.h"
#include "protocol/api_info.h"

#include <algorithm>

namespace ktrial::fakebroker {
namespace {

template <class T>
bool is_or_any(const std::optional<T>& wanted, const auto& found) {
  return !wanted || *wanted == found;
}

bool needs_names(const RuleMatch& match) {
  return match.topic || match.group || match.transactional_id;
}

}  // namespace

Result<void> RuleBook::add(Rule rule, TimePoint now) {
  std::vector<std::int16_t> api_keys;
  for (const std::string& name : rule.match.apis) {
    const protocol::ApiInfo* const api = protocol::find_api(std::string_view(name));
    if (api == nullptr)
      return fail(Errc::kInvalidArgument, "no such API: " + name, "rule " + rule.id);
    api_keys.push_back(api->key);
  }
  const bool taken = std::any_of(rules_.begin(), rules_.end(),
                                 [&](const Entry& e) { return e.status.rule.id == rule.id; });
  if (taken) return fail(Errc::kInvalidArgument, "there is a rule of this id", "rule " + rule.id);
  Rng rng(seed_, rule.id);
  std::unique_ptr<Script> script;
  if (!rule.action.lua.empty()) {
    auto loaded = Script::load(rule.action.lua, rule.id, rng());
    if (!loaded)
      return fail(Errc::kInvalidArgument, loaded.error().message, "rule " + rule.id + " lua");
    script = std::move(*loaded);
  }
  rules_.push_back({{.rule = std::move(rule)}, std::move(api_keys), now, rng, std::move(script)});
  return {};
}

Result<void> RuleBook::remove(const std::string& id) {
  const auto found = std::ranges::find(rules_, id, [](const Entry& e) { return e.status.rule.id; });
  if (found == rules_.end()) return fail(Errc::kNotFound, "no such rule", "rule " + id);
  if (removed_.size() == kKeptRemoved) removed_.erase(removed_.begin());
  removed_.push_back(std::move(found->status));
  rules_.erase(found);
  return {};
}

std::vector<RuleStatus> RuleBook::statuses() const {
  std::vector<RuleStatus> statuses = removed_;
  for (RuleStatus& status : in_force()) statuses.push_back(std::move(status));
  return statuses;
}

std::vector<RuleStatus> RuleBook::in_force() const {
  std::vector<RuleStatus> statuses;
  for (const Entry& entry : rules_) statuses.push_back(entry.status);
  return statuses;
}

bool RuleBook::in_time(const Entry& entry, TimePoint now) const {
  const RuleMatch& match = entry.status.rule.match;
  if (match.from_mark && !marks_.contains(*match.from_mark)) return false;
  if (match.to_mark && marks_.contains(*match.to_mark)) return false;
  if (now - entry.since < match.after) return false;
  return !match.during || now - entry.since < match.after + *match.during;
}

bool RuleBook::matches(const Entry& entry, const Event& event, const Subject& subject) const {
  const RuleMatch& match = entry.status.rule.match;
  if (match.on != event.on) return false;
  if (!entry.api_keys.empty() &&
      std::ranges::find(entry.api_keys, event.api_key) == entry.api_keys.end())
    return false;
  if (match.min_version && event.version < *match.min_version) return false;
  if (match.max_version && event.version > *match.max_version) return false;
  return is_or_any(match.broker, event.broker) && is_or_any(match.connection, event.connection) &&
         is_or_any(match.client_id, event.client_id) && in_time(entry, event.at) &&
         (!needs_names(match) || subject.names(match));
}

// Of those that match. A draw is made for each one whose turn it is.
bool RuleBook::is_turn(Entry& entry) {
  const RuleMatch& match = entry.status.rule.match;
  const std::uint64_t number = entry.status.seen++;
  if (number < match.skip || (number - match.skip) % match.every != 0) return false;
  if (match.times && entry.status.hits >= *match.times) return false;
  return match.probability >= 1 || entry.rng.chance(match.probability);
}

std::optional<RuleAction> RuleBook::ask_script(Entry& entry, const Subject& subject) {
  boost::json::object ctx = subject.context();
  ctx["seen"] = entry.status.seen;
  ctx["hits"] = entry.status.hits;
  const auto returned = entry.script->on_request(ctx);
  std::string& error = entry.status.error;
  if (!returned) {
    if (error.empty()) error = returned.error().message;
    return std::nullopt;
  }
  if (!*returned) return std::nullopt;
  auto action = action_from_json(**returned);
  if (!action) {
    if (error.empty()) error = "what on_request returned: " + action.error().to_string();
    return std::nullopt;
  }
  return std::move(*action);
}

std::optional<RuleBook::Acting> RuleBook::act(const Event& event, const Subject& subject) {
  for (Entry& entry : rules_) {
    if (!matches(entry, event, subject) || !is_turn(entry)) continue;
    RuleStatus& status = entry.status;
    std::optional<RuleAction> action =
        entry.script ? ask_script(entry, subject) : std::optional(status.rule.action);
    if (!action) continue;
    if (status.hits++ < kKeptHits)
      status.first_hits.push_back({event.at, event.broker, event.connection});
    const RuleMatch& match = status.rule.match;
    return Acting{status.rule.id,
                  std::move(*action),
                  entry.since,
                  {match.topic, match.partition, match.group, match.transactional_id, {}}};
  }
  return std::nullopt;
}

void RuleBook::failed(std::string_view id, std::string error) {
  const auto found = std::ranges::find(rules_, id, [](const Entry& e) { return e.status.rule.id; });
  if (found != rules_.end() && found->status.error.empty()) found->status.error = std::move(error);
}

}  // namespace ktrial::fakebroker
