// SPDX-License-Identifier: Apache-2.0
// The list of primitives and combinators. A new one is a source file and a line here.
#include "harness/check/primitives.h"

#include <algorithm>
#include <utility>

namespace ktrial::harness {

const std::vector<CheckKind>& check_kinds() {
  static const std::vector<CheckKind> kKinds{
      {"count", "so many events or connections in a window", &read_count},
      {"order", "A, then B, then C", &read_order},
      {"gap", "the time from X to Y", &read_gap},
      {"series", "successive gaps are constant, geometric or bounded", &read_series},
      {"value", "fields of each, any, none, the first or the last", &read_value},
      {"closer", "who ended a connection, and how", &read_closer},
      {"stat", "a sum, rate, mean or percentile within bounds", &read_stat},
      {"all", "every one of several checks holds", &read_all},
      {"any", "one of several checks holds", &read_any},
      {"not", "a check does not hold", &read_not},
      {"never", "sugar: count ... eq 0", &read_never},
      {"once", "sugar: count ... eq 1", &read_once},
      {"before", "sugar: order of two", &read_before},
      {"within", "sugar: gap {from: after, to: see, max: time}", &read_within},
  };
  return kKinds;
}

CheckPointer read_check_body(Reader& reader, const Node& node, bool info) {
  if (!node.is_map()) {
    reader.error(node.at, "a check is a map such as {count: {...}}, not " + node.describe());
    return no_check();
  }
  if (const Node* each = node.find("each")) {
    Node body = node;
    std::erase_if(body.entries, [](const NodeEntry& entry) { return entry.key == "each"; });
    return read_each(reader, *each, body, info);
  }
  const CheckKind* kind = nullptr;
  const NodeEntry* found = nullptr;
  for (const NodeEntry& entry : node.entries) {
    if (entry.key == "allow_empty") {
      reader.error(entry.at, "allow_empty belongs to each (beside it) and to value (inside it)");
      continue;
    }
    const auto known = std::find_if(check_kinds().begin(), check_kinds().end(),
                                    [&](const CheckKind& each) { return each.key == entry.key; });
    if (known == check_kinds().end()) {
      const auto keys = check_keys();
      if (reader.nested)
        reader.error(entry.at, "unknown check '" + entry.key + "'" + hint(entry.key, keys));
      continue;
    }
    if (kind != nullptr)
      reader.error(entry.at, "a check is one of its kind: '" + std::string(kind->key) + "' and '" +
                                 entry.key + "' stand side by side; use all: [...]");
    kind = &*known;
    found = &entry;
  }
  if (kind == nullptr) {
    // What stands there instead has been reported.
    if (node.entries.empty())
      reader.error(
          node.at,
          "the check has no primitive: count, order, gap, series, value, closer, stat, ...");
    return no_check();
  }
  const bool outer = std::exchange(reader.nested, true);
  CheckPointer out = kind->read(reader, found->value, info);
  reader.nested = outer;
  return out;
}

}  // namespace ktrial::harness
