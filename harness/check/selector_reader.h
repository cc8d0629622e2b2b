// SPDX-License-Identifier: Apache-2.0
// Selectors, windows and edges out of YAML, with every name checked: event types, APIs, brokers,
// marks, let names.
#pragma once

#include "harness/check/selector.h"
#include "harness/scenario/reader.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ktrial::harness {

const std::vector<std::string>& event_types();

// A let name, or a map. Never null; after a fault it selects anything.
std::shared_ptr<const Selector> read_selector(Reader& reader, const Node& node);
// As read_selector, and a list is a window to be named by `window: NAME`.
std::shared_ptr<const Selector> read_let(Reader& reader, const std::string& name, const Node& node);
// [from, to], or the name of one.
Window read_window(Reader& reader, const Node& node);
// A mark's name, {mark: x}, {first: selector}, {last: selector}, or a selector (its first event).
Edge read_edge(Reader& reader, const Node& node);
// The selector with one more window.
std::shared_ptr<const Selector> within(std::shared_ptr<const Selector> selector, Window window);

}  // namespace ktrial::harness
