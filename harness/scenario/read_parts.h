// SPDX-License-Identifier: Apache-2.0
// The parts of a scenario file, one reader each. Faults go to the Reader's diagnostics; what
// comes back is then not used.
#pragma once

#include "harness/scenario/reader.h"
#include "harness/scenario/scenario.h"
#include "harness/scenario/scenario_file.h"

#include <string>
#include <vector>

namespace ktrial::harness {

ClusterPart read_cluster(Reader& reader, const Node& node);
SecurityPart read_security(Reader& reader, const Node& node);
RulePart read_rule(Reader& reader, const Node& node);
std::vector<TopicPart> read_topics(Reader& reader, const Node& node);

// `client:` (one, named c1) or `clients:` (a map by name).
std::vector<ClientPart> read_clients(Reader& reader, const Node& root);
std::map<std::string, std::string> read_config(Reader& reader, const Node& node);

// Marks that the steps will set, in order, for the static check of windows: "quiet",
// "send.begin", "send.2.end", ... A mark set twice is a fault.
std::vector<std::string> marks_of_steps(Reader& reader, const Node& steps);
std::vector<Step> read_steps(Reader& reader, const Node& node,
                             const std::vector<ClientPart>& clients, const Grammar& grammar);

// A `when`: nullopt = holds (or cannot be told yet), else why it does not.
std::optional<std::string> read_when(Reader& reader, const Node& node, const CaseContext& context,
                                     const std::vector<ClientPart>& clients);
// `needs`: a list of capabilities, or a map {axis=value: [...]}; those of this variant.
std::vector<std::string> read_needs(Reader& reader, const Node& node, const Axes& axes);
// "axis=value" or "axis=value,axis=value"; a fault for an axis or value that does not exist.
Axes read_axes(Reader& reader, const std::string& text, const Position& at);
bool covers(const Axes& filter, const Axes& axes);

std::vector<CheckSpec> read_checks(Reader& reader, const Node& node, const CaseContext& context,
                                   const std::vector<ClientPart>& clients, const Grammar& grammar);
std::vector<Mutant> read_mutants(Reader& reader, const Node& node,
                                 const std::vector<CheckSpec>& checks);

}  // namespace ktrial::harness
