// SPDX-License-Identifier: Apache-2.0
// ScenarioFile: a scenario file, read and checked: for every variant of its matrix the whole file
// is bound once without a client, so that a slip anywhere is found before anything starts.
#pragma once

#include "common/result.h"
#include "harness/scenario/scenario.h"
#include "harness/scenario/yaml_node.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace ktrial::harness {

class Reader;
struct Selector;

// How checks, waits and selectors are read: the judge's part, handed in so that the scenario
// model does not depend on it.
struct Grammar {
  std::shared_ptr<const Check> (*check)(Reader&, const Node& node, bool info) = nullptr;
  // The keys of a check's map that belong to the grammar.
  std::vector<std::string> (*check_keys)() = nullptr;
  // `node` is the wait's map without the step's own keys (deadline, optional).
  std::shared_ptr<const WaitCondition> (*wait)(Reader&, const Node& node) = nullptr;
  std::shared_ptr<const Selector> (*let)(Reader&, const std::string& name,
                                         const Node& node) = nullptr;
};

class ScenarioFile {
 public:
  static Result<ScenarioFile> parse(std::string_view text, std::string name, const Grammar&);
  static Result<ScenarioFile> read(const std::string& path, const Grammar&);

  [[nodiscard]] const std::string& id() const { return id_; }
  [[nodiscard]] const std::string& title() const { return title_; }
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] const std::string& text() const { return text_; }  // for the case folder's copy
  // At least one; without a matrix the one empty set of axes.
  [[nodiscard]] const std::vector<Axes>& variants() const { return variants_; }
  [[nodiscard]] static std::string suffix(const Axes& axes);  // "first=client,mode=refuse"

  // The case: context.axes must be one of variants().
  [[nodiscard]] Result<Scenario> bind(const CaseContext& context) const;

 private:
  Grammar grammar_;
  std::string id_, title_, path_, text_;
  std::shared_ptr<const Node> root_;
  std::vector<Axes> variants_;
};

}  // namespace ktrial::harness
