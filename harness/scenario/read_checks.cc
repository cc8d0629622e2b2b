// SPDX-License-Identifier: Apache-2.0
// What surrounds a check: id, level, basis, condition, expectations; the check itself is the
// grammar's. Mutants name checks.
#include "harness/scenario/expression.h"
#include "harness/scenario/read_parts.h"

#include <algorithm>
#include <charconv>
#include <set>

namespace ktrial::harness {

namespace {

const std::vector<std::string> kLevels{"MUST", "SHOULD", "INFO"};
const std::vector<std::string> kBases{"protocol", "config-doc", "profile", "house"};

std::optional<double> number_of(std::string_view text) {
  double out = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return out;
}

// "3", "1..", "..4", "2..4", or a word.
Expectation read_expectation(Reader& reader, const NodeEntry& entry) {
  Expectation out;
  if (auto match = ClientMatch::parse(entry.key))
    out.client = std::move(*match);
  else
    reader.error(entry.at, match.error().message);
  out.text = reader.text(entry.value).value_or("");
  if (const std::size_t dots = out.text.find(".."); dots != std::string::npos) {
    const std::string low = out.text.substr(0, dots), high = out.text.substr(dots + 2);
    out.least = number_of(low);
    out.most = number_of(high);
    if ((!low.empty() && !out.least) || (!high.empty() && !out.most) || out.text == "..")
      reader.error(entry.value.at, "'" + out.text + "' is no range; write 1.., ..4 or 2..4");
  } else if (const auto exact = number_of(out.text)) {
    out.least = out.most = exact;
  } else {
    out.value = out.text;
  }
  return out;
}

struct CheckSurroundings {
  const CaseContext& context;
  const std::vector<ClientPart>& clients;
  const Grammar& grammar;
};

std::optional<std::string> lacking(const std::vector<std::string>& needs,
                                   const CaseContext& context) {
  if (!context.capabilities) return std::nullopt;
  for (const std::string& need : needs) {
    const auto& have = *context.capabilities;
    if (std::find(have.begin(), have.end(), need) == have.end())
      return "the client has no capability '" + need + "'";
  }
  return std::nullopt;
}

bool reports(const Node& node) {
  if (node.find("report") != nullptr) return true;
  return std::any_of(node.entries.begin(), node.entries.end(),
                     [](const NodeEntry& entry) { return reports(entry.value); }) ||
         std::any_of(node.items.begin(), node.items.end(), reports);
}

CheckSpec read_check(Reader& reader, const Node& node, const CheckSurroundings& around) {
  CheckSpec spec;
  spec.at = node.at;
  const Node* id = node.find("id");
  MapReader map(reader, node, id != nullptr ? "check '" + id->text + "'" : "a check");
  if (const Node* name = map.require("id")) spec.id = reader.text(*name).value_or("");
  if (const Node* level = map.require("level")) {
    const auto word = reader.word(*level, kLevels, "level").value_or("MUST");
    spec.level = word == "MUST" ? Level::kMust : word == "SHOULD" ? Level::kShould : Level::kInfo;
  }
  spec.basis = "house";
  if (const Node* basis = map.take("basis"))
    spec.basis = reader.word(*basis, kBases, "basis").value_or("house");
  if (const Node* text = map.take("requirement"))
    spec.requirement = reader.text(*text).value_or("");
  if (const Node* claims = map.take("claims")) spec.claims = reader.texts(*claims);
  if (const Node* decides = map.take("decides")) {
    spec.decides = reader.texts(*decides);
    for (const std::string& claim : spec.decides) {
      if (std::find(spec.claims.begin(), spec.claims.end(), claim) == spec.claims.end())
        spec.claims.push_back(claim);
    }
    if (reports(node))
      reader.error(decides->at, "a check that decides a claim holds or does not: drop its report");
  }
  if (const Node* expect = map.take("expect")) {
    if (spec.level != Level::kInfo)
      reader.error(expect->at, "expect belongs to INFO checks: a finding never fails a run");
    if (!expect->is_map()) reader.error(expect->at, "expect is a map by client: {java: 0}");
    for (const NodeEntry& entry : expect->entries)
      spec.expect.push_back(read_expectation(reader, entry));
  }
  if (const Node* when = map.take("when"))
    spec.not_applicable = read_when(reader, *when, around.context, around.clients);
  if (const Node* needs = map.take("needs"))
    if (auto reason = lacking(read_needs(reader, *needs, around.context.axes), around.context))
      spec.not_applicable = std::move(reason);

  // The rest is the check itself.
  Node body = node;
  std::erase_if(body.entries, [&](const NodeEntry& entry) {
    static const std::set<std::string> kOurs{"id",      "level",  "basis", "requirement", "claims",
                                             "decides", "expect", "when",  "needs"};
    return kOurs.contains(entry.key);
  });
  for (const std::string& key : around.grammar.check_keys()) map.known(key);
  map.finish();
  static_cast<void>(reader.take_missing());
  spec.check = around.grammar.check(reader, body, spec.level == Level::kInfo);
  if (const auto missing = reader.take_missing()) {
    spec.check = nullptr;
    if (!spec.not_applicable)
      spec.not_applicable =
          "the client's profile does not say " + missing->substr(std::string("profile.").size());
  }
  return spec;
}

std::vector<std::string> known_ids(const std::vector<CheckSpec>& checks) {
  std::vector<std::string> out;
  for (const CheckSpec& check : checks) out.push_back(check.id);
  return out;
}

Mutant read_mutant(Reader& reader, const std::string& name, const Node& node,
                   const std::vector<std::string>& ids) {
  Mutant mutant;
  mutant.name = name;
  if (!node.is_list() && !node.is_scalar()) {
    reader.error(node.at, "mutant '" + name + "' names the checks that it turns red");
    return mutant;
  }
  for (const Node& item : node.is_list() ? node.items : std::vector<Node>{node})
    if (const auto id = reader.word(item, ids, "check")) mutant.checks.push_back(*id);
  return mutant;
}

}  // namespace

std::vector<CheckSpec> read_checks(Reader& reader, const Node& node, const CaseContext& context,
                                   const std::vector<ClientPart>& clients, const Grammar& grammar) {
  std::vector<CheckSpec> out;
  if (!node.is_list()) {
    reader.error(node.at, "checks are a list");
    return out;
  }
  std::set<std::string> ids;
  const CheckSurroundings around{context, clients, grammar};
  for (const Node& item : node.items) {
    out.push_back(read_check(reader, item, around));
    if (!ids.insert(out.back().id).second)
      reader.error(item.at, "check id '" + out.back().id + "' is used twice");
  }
  return out;
}

std::vector<Mutant> read_mutants(Reader& reader, const Node& node,
                                 const std::vector<CheckSpec>& checks) {
  std::vector<Mutant> out;
  if (!node.is_map()) {
    reader.error(node.at, "mutants are a map: {name: [checks that turn red]}");
    return out;
  }
  const auto ids = known_ids(checks);
  for (const NodeEntry& entry : node.entries) {
    if (!entry.value.is_map()) {
      out.push_back(read_mutant(reader, entry.key, entry.value, ids));
      continue;
    }
    for (const NodeEntry& variant : entry.value.entries) {
      Mutant mutant = read_mutant(reader, entry.key, variant.value, ids);
      mutant.only = read_axes(reader, variant.key, variant.at);
      out.push_back(std::move(mutant));
    }
  }
  return out;
}

}  // namespace ktrial::harness
