// SPDX-License-Identifier: Apache-2.0
#include "fakebroker/differential/comparison.h"

#include <algorithm>
#include <array>
#include <optional>
#include <stdexcept>

namespace ktrial::fakebroker::differential {
namespace {

// "nodes-" is for every conversation that begins so.
bool is_for(std::string_view only, std::string_view conversation) {
  return only.empty() || only == conversation ||
         (only.ends_with('-') && conversation.starts_with(only));
}

using boost::json::array;
using boost::json::object;
using boost::json::value;

constexpr std::array<std::pair<std::string_view, Rule::How>, 6> kHows{{
    {"any", Rule::How::kAny},
    {"sign", Rule::How::kSign},
    {"renamed", Rule::How::kRenamed},
    {"set", Rule::How::kSet},
    {"text", Rule::How::kText},
    {"open", Rule::How::kOpen},
}};

std::string text(const object& from, std::string_view name) {
  const auto* const member = from.if_contains(name);
  return member != nullptr && member->is_string() ? std::string(member->get_string()) : "";
}

std::uint64_t leaves(const value& of) {
  std::uint64_t count = 0;
  if (of.is_array()) {
    for (const value& each : of.get_array()) count += leaves(each);
    return count + 1;  // its length
  }
  if (!of.is_object()) return 1;
  for (const auto& member : of.get_object()) count += leaves(member.value());
  return count;
}

int sign_of(const value& of) {
  if (!of.is_int64()) return 0;
  return (of.get_int64() > 0) - (of.get_int64() < 0);
}

// What a value without meaning looks like: none of these is anybody's name. There is a producer 0.
bool is_nothing(const value& of, const std::string& path) {
  const std::int64_t least = path.ends_with("roducerId") ? 0 : 1;
  return of.is_null() || (of.is_int64() && of.get_int64() < least) ||
         (of.is_string() && (of.get_string().empty() || of == "AAAAAAAAAAAAAAAAAAAAAA"));
}

array sorted(const array& from, const std::string& by);

std::string name_of(const value& element, const std::string& by) {
  if (by.empty() || !element.is_object()) return boost::json::serialize(element);
  const auto* const member = element.get_object().if_contains(by);
  if (member == nullptr) return "";
  return boost::json::serialize(member->is_array() ? sorted(member->get_array(), "") : *member);
}

array sorted(const array& from, const std::string& by) {
  std::vector<std::pair<std::string, const value*>> named;
  for (const value& element : from) named.emplace_back(name_of(element, by), &element);
  std::ranges::stable_sort(named, {}, &std::pair<std::string, const value*>::first);
  array made;
  for (const auto& [name, element] : named) made.push_back(*element);
  return made;
}

}  // namespace

Result<std::vector<Rule>> parse_rules(const value& from) {
  std::vector<Rule> rules;
  try {
    for (const value& each : from.as_array()) {
      const object& written = each.as_object();
      Rule rule;
      const std::string how = text(written, "as");
      const auto* const known = std::ranges::find(kHows, how, &decltype(kHows)::value_type::first);
      if (known == kHows.end()) throw std::runtime_error("no rule is called '" + how + "'");
      rule.how = known->second;
      rule.by = text(written, "by");
      rule.why = text(written, "why");
      rule.only = text(written, "only");
      if (rule.why.empty()) throw std::runtime_error("a rule without its reason");
      for (const value& field : written.at("fields").as_array()) {
        rule.field = field.as_string();
        rules.push_back(rule);
      }
    }
  } catch (const std::exception& error) {
    return fail(Errc::kInvalidArgument, error.what(), "allowed differences");
  }
  return rules;
}

// The most particular rule that fits: one for the conversation, then the one with the longest
// field.
const Rule* Comparison::rule_for(std::string_view plain_path, std::string_view conversation) const {
  const Rule* best = nullptr;
  for (const Rule& rule : rules_) {
    const bool whole = plain_path == rule.field;
    const bool tail = plain_path.ends_with("." + rule.field);
    if (!whole && !tail) continue;
    if (!is_for(rule.only, conversation)) continue;
    const auto weight = [](const Rule& of) { return std::pair(!of.only.empty(), of.field.size()); };
    if (best == nullptr || weight(rule) > weight(*best)) best = &rule;
  }
  return best;
}

class Comparison::Walk {
 public:
  Walk(const Comparison& by, Names& names) : by_(by), names_(names) {}

  void compare(const std::string& path, const std::string& plain, const value& real,
               const value& fake) {
    const Rule* const rule = by_.rule_for(plain, names_.conversation);
    if (real.is_object() && fake.is_object()) {
      return objects(path, plain, real.get_object(), fake.get_object());
    }
    if (real.is_array() && fake.is_array() && (rule == nullptr || rule->how == Rule::How::kSet)) {
      if (rule == nullptr) return arrays(path, plain, real.get_array(), fake.get_array());
      return sets(path, plain, sorted(real.get_array(), rule->by),
                  sorted(fake.get_array(), rule->by), rule->by);
    }
    if (real.is_structured() != fake.is_structured()) {
      result.fields += std::max(leaves(real), leaves(fake));
      return differ(path, real, fake, rule);
    }
    ++result.fields;
    if (rule != nullptr && rule->how == Rule::How::kText) return texts(path, real, fake);
    if (rule != nullptr && rule->how == Rule::How::kRenamed) return renamed(path, real, fake);
    if (real == fake) return;
    if (rule != nullptr && allows(*rule, real, fake)) {
      ++result.allowed;
    } else {
      differ(path, real, fake, rule);
    }
  }

  Compared result;

 private:
  static bool allows(const Rule& rule, const value& real, const value& fake) {
    return rule.how == Rule::How::kAny ||
           (rule.how == Rule::How::kSign && sign_of(real) == sign_of(fake));
  }
  void differ(const std::string& path, const value& real, const value& fake, const Rule* rule) {
    Difference difference{path, boost::json::serialize(real), boost::json::serialize(fake)};
    difference.open = rule != nullptr && rule->how == Rule::How::kOpen;
    if (difference.open) difference.why = rule->why;
    result.differences.push_back(std::move(difference));
  }
  void objects(const std::string& path, const std::string& plain, const object& real,
               const object& fake) {
    for (const auto& [name, member] : real) {
      const std::string inner = path + "." + std::string(name);
      const auto* const other = fake.if_contains(name);
      compare(inner, plain + "." + std::string(name), member,
              other == nullptr ? value("(absent)") : *other);
    }
    for (const auto& [name, member] : fake) {
      if (!real.contains(name)) {
        const std::string inner = path + "." + std::string(name);
        compare(inner, plain + "." + std::string(name), value("(absent)"), member);
      }
    }
  }
  void arrays(const std::string& path, const std::string& plain, const array& real,
              const array& fake) {
    ++result.fields;
    if (real.size() != fake.size()) {
      differ(path + ".length", real, fake, by_.rule_for(plain + ".length", names_.conversation));
    }
    for (std::size_t i = 0; i < std::min(real.size(), fake.size()); ++i) {
      compare(path + "[" + std::to_string(i) + "]", plain, real[i], fake[i]);
    }
  }
  // Elements of one name belong together; what only one has is told by itself.
  void sets(const std::string& path, const std::string& plain, const array& real, const array& fake,
            const std::string& by) {
    if (by.empty() || real.size() == fake.size()) return arrays(path, plain, real, fake);
    ++result.fields;
    for (std::size_t i = 0, j = 0; i < real.size() || j < fake.size();) {
      const std::string ours = j < fake.size() ? name_of(fake[j], by) : "";
      const std::string theirs = i < real.size() ? name_of(real[i], by) : "";
      const std::string inner = path + "[" + std::min(ours, theirs) + "]";
      if (ours == theirs) {
        compare(inner, plain, real[i++], fake[j++]);
      } else if (j == fake.size() || (i < real.size() && theirs < ours)) {
        missing(path + "[" + theirs + "]", plain, real[i++], value("(missing)"));
      } else {
        missing(path + "[" + ours + "]", plain, value("(missing)"), fake[j++]);
      }
    }
  }
  void missing(const std::string& path, const std::string& plain, const value& real,
               const value& fake) {
    const std::uint64_t fields = std::max(leaves(real), leaves(fake));
    result.fields += fields;
    for (std::uint64_t i = 0; i < fields; ++i)
      differ(path, real, fake, by_.rule_for(plain + ".missing", names_.conversation));
  }
  void texts(const std::string& path, const value& real, const value& fake) {
    if (real.is_null() != fake.is_null()) return differ(path, real, fake, nullptr);
    if (real.is_null()) return;
    ++result.texts;
    result.equal_texts += real == fake ? 1U : 0U;
  }
  void renamed(const std::string& path, const value& real, const value& fake) {
    if (is_nothing(real, path) || is_nothing(fake, path)) {
      if (real != fake) differ(path, real, fake, nullptr);
      return;
    }
    // Numbers are small and stand for many things: told apart by their field.
    const std::string kind = real.is_string() ? "" : path.substr(path.rfind('.'));
    const std::string ours = kind + boost::json::serialize(fake);
    const std::string theirs = kind + boost::json::serialize(real);
    const auto& known = names_.fake_of_real.try_emplace(theirs, ours).first->second;
    const auto& back = names_.real_of_fake.try_emplace(ours, theirs).first->second;
    if (known != ours || back != theirs) return differ(path, real, fake, nullptr);
    result.allowed += real == fake ? 0U : 1U;
  }

  const Comparison& by_;
  Names& names_;
};

Compared Comparison::compare(const std::string& api, const value& real, const value& fake,
                             Names& names) const {
  Walk walk(*this, names);
  walk.compare(api, api, real, fake);
  return std::move(walk.result);
}

}  // namespace ktrial::fakebroker::differential
