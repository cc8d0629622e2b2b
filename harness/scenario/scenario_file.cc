// SPDX-License-Identifier: Apache-2.0
#include "harness/scenario/scenario_file.h"

#include "harness/scenario/expression.h"
#include "harness/scenario/read_parts.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

namespace ktrial::harness {

namespace {

constexpr std::size_t kMostVariants = 500;
constexpr int kFormat = 1;

// An id is a path of words: it becomes a folder's name and a glob's target.
bool valid_id(std::string_view id) {
  return !id.empty() && id.front() != '/' && id.back() != '/' &&
         id.find("//") == std::string_view::npos &&
         id.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-./") ==
             std::string_view::npos &&
         id.find("..") == std::string_view::npos;
}

struct Matrix {
  std::vector<std::pair<std::string, std::vector<std::string>>> axes;

  [[nodiscard]] std::vector<Axes> variants() const {
    std::vector<Axes> out{{}};
    for (const auto& [name, values] : axes) {
      std::vector<Axes> longer;
      for (const Axes& before : out) {
        for (const std::string& value : values) {
          Axes next = before;
          next[name] = value;
          longer.push_back(std::move(next));
        }
      }
      out = std::move(longer);
    }
    return out;
  }
};

Matrix read_matrix(Reader& reader, const Node* node) {
  Matrix out;
  if (node == nullptr) return out;
  if (!node->is_map()) {
    reader.error(node->at, "matrix is a map of axes: {mode: [refuse, blackhole]}");
    return out;
  }
  std::size_t variants = 1;
  for (const NodeEntry& entry : node->entries) {
    std::vector<std::string> values;
    for (const Node& item : entry.value.items)
      if (item.is_scalar()) values.push_back(item.text);
    if (values.empty()) {
      reader.error(entry.value.at, "axis '" + entry.key + "' needs a list of values");
      continue;
    }
    variants *= values.size();
    if (variants > kMostVariants) {
      reader.error(entry.at, "more than " + std::to_string(kMostVariants) + " variants");
      break;
    }
    out.axes.emplace_back(entry.key, std::move(values));
  }
  return out;
}

Repeat read_repeat(Reader& reader, const Node& node) {
  constexpr std::int64_t kMost = 1000;
  Repeat out;
  if (!node.is_map()) {
    out.times = out.needed = static_cast<int>(reader.integer(node, 1, kMost).value_or(1));
    return out;
  }
  MapReader map(reader, node, "repeat");
  if (const Node* n = map.require("n"))
    out.times = static_cast<int>(reader.integer(*n, 1, kMost).value_or(1));
  out.needed = out.times;
  if (const Node* need = map.take("need")) {
    const std::string text = reader.text(*need).value_or("all");
    const std::string of = "of" + std::to_string(out.times);
    if (text == "median")
      out.median = true;
    else if (text.ends_with(of) && text.size() > of.size() &&
             text.find_first_not_of("0123456789") == text.size() - of.size())
      out.needed = std::stoi(text.substr(0, std::min<std::size_t>(text.size() - of.size(), 4)));
    else if (text != "all")
      reader.error(need->at, "need is all, median or, for example, 2" + of);
    if (out.needed < 1 || out.needed > out.times)
      reader.error(need->at, "between 1 and n passes can be needed");
  }
  map.finish();
  return out;
}

// Values by name: of vars, and of let entries that are no selector.
void read_vars(Reader& reader, const Node& node) {
  if (!node.is_map()) {
    reader.error(node.at, "vars are a map of values");
    return;
  }
  for (const NodeEntry& entry : node.entries) {
    auto value = interpolate(entry.value.text, reader.scope());
    if (!entry.value.is_scalar()) {
      reader.error(entry.value.at, "a var is one value");
    } else if (!value) {
      Position at = entry.value.at;
      at.column += static_cast<int>(value.error().offset);
      reader.error(at, value.error().message);
    } else {
      reader.scope().set(entry.key, std::move(*value));
    }
  }
}

void read_lets(Reader& reader, const Node& node, const Grammar& grammar, bool values) {
  if (!node.is_map()) {
    if (values) reader.error(node.at, "let is a map of names to selectors or values");
    return;
  }
  for (const NodeEntry& entry : node.entries) {
    if (entry.value.is_scalar() != values) continue;
    if (values) {
      Node one;
      one.kind = Node::Kind::kMap;
      one.at = node.at;
      one.entries.push_back(entry);
      read_vars(reader, one);
    } else {
      reader.lets[entry.key] = grammar.let(reader, entry.key, entry.value);
    }
  }
}

class Binder {
 public:
  Binder(const Node& root, const Grammar& grammar, const CaseContext& context, Reader& reader)
      : root_(root), grammar_(grammar), context_(context), reader_(reader) {}

  Scenario run() {
    MapReader map(reader_, root_, "a scenario");
    Scenario out;
    out.at = root_.at;
    header(map, out);
    scope(map, out);
    out.cluster = part(map, "cluster", &read_cluster, ClusterPart{});
    if (root_.find("cluster") == nullptr) out.cluster.bootstrap = {1};
    const auto& listeners = out.cluster.security.spec.listeners;
    if (std::ranges::any_of(listeners, fakebroker::has_tls, &fakebroker::ListenerSpec::protocol))
      reader_.error(out.at, "a case is judged from what can be read on the wire: no TLS");
    reader_.brokers = out.cluster.brokers;
    map.known("client");
    map.known("clients");
    out.clients = read_clients(reader_, root_);
    conditions(map, out);
    if (const Node* steps = map.require("steps")) {
      // Selectors may name any mark of the case, also one set after the step that waits.
      reader_.marks = marks_of_steps(reader_, *steps);
      for (const char* const edge : {"start_of_case", "end_of_case"})
        reader_.marks.emplace_back(edge);
    }
    if (const Node* let = map.take("let")) read_lets(reader_, *let, grammar_, false);
    if (const Node* steps = root_.find("steps"))
      out.steps = read_steps(reader_, *steps, out.clients, grammar_);
    if (const Node* checks = map.require("checks"))
      out.checks = read_checks(reader_, *checks, context_, out.clients, grammar_);
    if (const Node* mutants = map.take("mutants"))
      out.mutants = read_mutants(reader_, *mutants, out.checks);
    map.finish();
    return out;
  }

 private:
  template <class Read, class Default>
  Default part(MapReader& map, std::string_view key, Read read, Default otherwise) {
    const Node* node = map.take(key);
    return node != nullptr ? read(reader_, *node) : std::move(otherwise);
  }

  void header(MapReader& map, Scenario& out) {
    if (const Node* format = map.take("ktrial"))
      if (const auto n = reader_.integer(*format); n && *n != kFormat)
        reader_.error(format->at, "this build reads format 1, not " + std::to_string(*n));
    if (const Node* id = map.require("id")) {
      out.id = reader_.text(*id).value_or("");
      if (!valid_id(out.id))
        reader_.error(id->at, "an id is made of a-z, 0-9, '-' and '.', with '/' between its parts");
    }
    const auto text = [&](std::string_view key) {
      const Node* node = map.take(key);
      return node != nullptr ? reader_.text(*node).value_or("") : std::string{};
    };
    out.title = text("title");
    out.why = text("why");
    if (const std::string requirement = text("requirement"); out.title.empty())
      out.title = requirement;
    if (const Node* refs = map.take("refs")) {
      const auto json = reader_.json(*refs);
      if (json.is_array())
        out.refs = json.get_array();
      else
        reader_.error(refs->at, "refs is a list");
    }
    const auto texts = [&](std::string_view key) {
      const Node* node = map.take(key);
      return node != nullptr ? reader_.texts(*node) : std::vector<std::string>{};
    };
    out.claims = texts("claims");
    out.tags = texts("tags");
    out.was = texts("was");
    if (const Node* timeout = map.take("timeout"))
      if (const auto time = reader_.real_duration(*timeout))
        out.timeout = std::chrono::duration_cast<Millis>(*time);
    if (const Node* exclusive = map.take("exclusive"))
      out.exclusive = reader_.boolean(*exclusive).value_or(false);
    if (const Node* bad_input = map.take("bad_input"))
      out.bad_input = reader_.boolean(*bad_input).value_or(false);
    if (const Node* repeat = map.take("repeat")) out.repeat = read_repeat(reader_, *repeat);
    if (const Node* sysctl = map.take("sysctl")) out.sysctl = read_config(reader_, *sysctl);
    out.axes = context_.axes;
    out.variant = ScenarioFile::suffix(out.axes);
    map.known("matrix");
  }

  void scope(MapReader& map, const Scenario& out) {
    Scope& scope = reader_.scope();
    scope.set("case",
              context_.case_name.empty() ? Value(out.full_id()) : Value(context_.case_name));
    scope.set("time_scale", context_.time_scale);
    if (!context_.client.empty())
      scope.set("client.name", context_.client);
    else
      scope.set("client.name", Unknown{});
    if (!context_.version.empty())
      scope.set("client.version", context_.version);
    else
      scope.set("client.version", Unknown{});
    if (context_.profile) scope.set_profile(*context_.profile);
    if (const Node* vars = map.take("vars")) read_vars(reader_, *vars);
    if (const Node* let = map.take("let")) read_lets(reader_, *let, grammar_, true);
  }

  void conditions(MapReader& map, Scenario& out) {
    if (const Node* when = map.take("when"))
      out.not_applicable = read_when(reader_, *when, context_, out.clients);
    if (const Node* needs = map.take("needs"))
      out.needs = read_needs(reader_, *needs, context_.axes);
    if (!context_.capabilities || out.not_applicable) return;
    for (const std::string& need : out.needs) {
      const auto& have = *context_.capabilities;
      if (std::find(have.begin(), have.end(), need) == have.end())
        out.not_applicable = "the client has no capability '" + need + "'";
    }
  }

  const Node& root_;
  const Grammar& grammar_;
  const CaseContext& context_;
  Reader& reader_;
};

Scenario bind_with(const Node& root, const Grammar& grammar, const Matrix& matrix,
                   const CaseContext& context, Diagnostics& diagnostics) {
  Scope scope;
  for (const auto& [name, values] : matrix.axes) {
    const auto chosen = context.axes.find(name);
    scope.set_axis(name, values, chosen != context.axes.end() ? chosen->second : values.front());
  }
  Reader reader(diagnostics, std::move(scope));
  reader.acceleration = context.accelerate;
  return Binder(root, grammar, context, reader).run();
}

}  // namespace

std::string ScenarioFile::suffix(const Axes& axes) {
  std::string out;
  for (const auto& [name, value] : axes) {
    if (!out.empty()) out += ",";
    out += name;
    out += "=";
    out += value;
  }
  return out;
}

Result<ScenarioFile> ScenarioFile::parse(std::string_view text, std::string name,
                                         const Grammar& grammar) {
  auto root = parse_yaml(text, name);
  KTRIAL_TRY(root);
  ScenarioFile out;
  out.grammar_ = grammar;
  out.path_ = std::move(name);
  out.text_ = text;
  out.root_ = std::make_shared<const Node>(std::move(*root));
  if (!out.root_->is_map())
    return fail(Errc::kMalformed, "a scenario is a map with id, steps and checks",
                out.root_->at.to_string());

  Diagnostics diagnostics;
  Reader reader(diagnostics, Scope{});
  const Matrix matrix = read_matrix(reader, out.root_->find("matrix"));
  KTRIAL_TRY(diagnostics.result());
  out.variants_ = matrix.variants();
  for (const Axes& axes : out.variants_) {
    CaseContext context;
    context.axes = axes;
    const Scenario scenario = bind_with(*out.root_, grammar, matrix, context, diagnostics);
    out.id_ = scenario.id;
    out.title_ = scenario.title;
  }
  KTRIAL_TRY(diagnostics.result());
  return out;
}

Result<ScenarioFile> ScenarioFile::read(const std::string& path, const Grammar& grammar) {
  constexpr std::size_t kLargest = std::size_t{1} << 20U;
  std::ifstream file(path, std::ios::binary);
  if (!file) return fail(Errc::kIo, std::strerror(errno), path);
  std::string text(kLargest + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  return parse(text, path, grammar);
}

Result<Scenario> ScenarioFile::bind(const CaseContext& context) const {
  if (std::find(variants_.begin(), variants_.end(), context.axes) == variants_.end())
    return fail(Errc::kInvalidArgument, "no variant '" + suffix(context.axes) + "'", path_);
  Diagnostics diagnostics;
  Reader reader(diagnostics, Scope{});
  const Matrix matrix = read_matrix(reader, root_->find("matrix"));
  Scenario out = bind_with(*root_, grammar_, matrix, context, diagnostics);
  out.file = path_;
  KTRIAL_TRY(diagnostics.result());
  return out;
}

}  // namespace ktrial::harness
