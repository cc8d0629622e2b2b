// SPDX-License-Identifier: Apache-2.0
// RuleBook: the rules in force, in the order they were added. The first one that matches and acts
// decides; those after it do not see the request.
#pragma once

#include "common/result.h"
#include "fakebroker/rule.h"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ktrial::fakebroker {

class RuleBook {
 public:
  struct Request {
    std::int16_t api_key = 0;
    int broker = 0;
    std::uint64_t connection = 0;
    std::string_view client_id;
    TimePoint at;
  };
  struct Acting {
    std::string id;
    RuleAction action;
  };

  // kInvalidArgument for an API that does not exist or an id that is taken.
  Result<void> add(Rule rule);
  Result<void> remove(const std::string& id);
  // Removed rules included: what they did has been done.
  [[nodiscard]] std::vector<RuleStatus> statuses() const;
  [[nodiscard]] bool empty() const { return rules_.empty(); }

  // `names_topic` is asked only if a rule names one. Counts.
  std::optional<Acting> act(const Request& request,
                            const std::function<bool(std::string_view)>& names_topic);

 private:
  struct Entry {
    RuleStatus status;
    std::optional<std::int16_t> api_key;
  };
  std::vector<Entry> rules_;
  std::vector<RuleStatus> removed_;
};

}  // namespace ktrial::fakebroker
