// SPDX-License-Identifier: Apache-2.0
#include "fakebroker/rule_book.h"

#include "protocol/api_info.h"

#include <algorithm>

namespace ktrial::fakebroker {

Result<void> RuleBook::add(Rule rule) {
  Entry entry;
  if (rule.match.api) {
    const protocol::ApiInfo* const api = protocol::find_api(std::string_view(*rule.match.api));
    if (api == nullptr)
      return fail(Errc::kInvalidArgument, "no such API: " + *rule.match.api, "rule " + rule.id);
    entry.api_key = api->key;
  }
  const bool taken = std::any_of(rules_.begin(), rules_.end(),
                                 [&](const Entry& e) { return e.status.rule.id == rule.id; });
  if (taken) return fail(Errc::kInvalidArgument, "there is a rule of this id", "rule " + rule.id);
  entry.status.rule = std::move(rule);
  rules_.push_back(std::move(entry));
  return {};
}

Result<void> RuleBook::remove(const std::string& id) {
  const auto found = std::ranges::find(rules_, id, [](const Entry& e) { return e.status.rule.id; });
  if (found == rules_.end()) return fail(Errc::kNotFound, "no such rule", "rule " + id);
  removed_.push_back(std::move(found->status));
  rules_.erase(found);
  return {};
}

std::vector<RuleStatus> RuleBook::statuses() const {
  std::vector<RuleStatus> statuses = removed_;
  for (const Entry& entry : rules_) statuses.push_back(entry.status);
  return statuses;
}

std::optional<RuleBook::Acting> RuleBook::act(
    const Request& request, const std::function<bool(std::string_view)>& names_topic) {
  for (Entry& entry : rules_) {
    const RuleMatch& match = entry.status.rule.match;
    if (entry.api_key && *entry.api_key != request.api_key) continue;
    if (match.broker && *match.broker != request.broker) continue;
    if (match.client_id && *match.client_id != request.client_id) continue;
    if (match.topic && !names_topic(*match.topic)) continue;
    if (++entry.status.seen <= match.skip) continue;
    if (match.times && entry.status.hits.size() >= *match.times) continue;
    entry.status.hits.push_back({request.at, request.broker, request.connection});
    return Acting{entry.status.rule.id, entry.status.rule.action};
  }
  return std::nullopt;
}

}  // namespace ktrial::fakebroker
