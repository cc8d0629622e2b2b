// SPDX-License-Identifier: Apache-2.0
// RuleBook: the rules in force, in the order they were added. The first one that matches and acts
// decides; those after it do not see the request.
#pragma once

#include "common/result.h"
#include "common/rng.h"
#include "fakebroker/lua/script.h"
#include "fakebroker/rules/rule.h"

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace ktrial::fakebroker {

class RuleBook {
 public:
  // Draws for `probability` repeat for the same seed, rule ids and requests.
  explicit RuleBook(std::uint64_t seed = 0) : seed_(seed) {}

  struct Event {
    RuleMatch::On on = RuleMatch::On::kRequest;
    std::int16_t api_key = -1;
    std::int16_t version = -1;
    int broker = 0;
    std::uint64_t connection = 0;
    std::string_view client_id;
    TimePoint at;
  };
  struct Acting {
    std::string id;
    RuleAction action;
    TimePoint since;  // when the rule was added
    RulePart named;   // what its match names
  };
  // What is asked of a request only if a rule needs it.
  class Subject {
   public:
    virtual ~Subject() = default;
    // Its topic, partition, group and transactional id are those of the rule.
    [[nodiscard]] virtual bool names(const RuleMatch& match) const = 0;
    // For a script: what it is called with, but for the counters.
    [[nodiscard]] virtual boost::json::object context() const = 0;
  };

  // kInvalidArgument for an API that does not exist, an id that is taken, a script that does not
  // load.
  Result<void> add(Rule rule, TimePoint now);
  Result<void> remove(const std::string& id);
  // A moment that rules may begin or end at.
  void mark(std::string name) { marks_.insert(std::move(name)); }
  // Removed rules included: what they did has been done.
  [[nodiscard]] std::vector<RuleStatus> statuses() const;
  // Those that were not removed.
  [[nodiscard]] std::vector<RuleStatus> in_force() const;
  [[nodiscard]] bool empty() const { return rules_.empty(); }

  // Counts. A script that returns nothing, or fails, has not acted.
  std::optional<Acting> act(const Event& event, const Subject& subject);
  // A rule could not be carried out.
  void failed(std::string_view id, std::string error);

 private:
  struct Entry {
    RuleStatus status;
    std::vector<std::int16_t> api_keys;
    TimePoint since;
    Rng rng;
    std::unique_ptr<Script> script = nullptr;
  };
  [[nodiscard]] bool matches(const Entry& entry, const Event& event, const Subject& subject) const;
  [[nodiscard]] bool in_time(const Entry& entry, TimePoint now) const;
  static bool is_turn(Entry& entry);
  static std::optional<RuleAction> ask_script(Entry& entry, const Subject& subject);

  std::uint64_t seed_;
  std::vector<Entry> rules_;
  static constexpr std::size_t kKeptRemoved = 1000;
  std::vector<RuleStatus> removed_;
  std::set<std::string, std::less<>> marks_;
};

}  // namespace ktrial::fakebroker
