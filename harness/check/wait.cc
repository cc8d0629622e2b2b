// SPDX-License-Identifier: Apache-2.0
#include "harness/check/wait.h"

#include "harness/check/select.h"
#include "harness/check/selector_reader.h"

#include <algorithm>

namespace ktrial::harness {

std::string WaitCondition::text() const {
  std::string out = count == 1 ? of->text() : std::to_string(count) + " of " + of->text();
  if (each_broker) out += " for each of these brokers";
  return out;
}

std::shared_ptr<const WaitCondition> read_wait(Reader& reader, const Node& node) {
  auto out = std::make_shared<WaitCondition>();
  Node selector = node;
  if (const Node* count = node.find("count"))
    out->count = static_cast<std::size_t>(reader.integer(*count, 1, 1'000'000).value_or(1));
  if (const Node* each = node.find("each_broker"))
    out->each_broker = reader.boolean(*each).value_or(false);
  // brokers: [1, 2] asks for each of them, broker: [1, 2] for any.
  if (node.find("brokers") != nullptr) out->each_broker = true;
  if (const Node* of = node.find("of")) {
    for (const NodeEntry& entry : node.entries)
      if (entry.key != "of" && entry.key != "count" && entry.key != "each_broker")
        reader.error(entry.at,
                     "beside 'of' a wait has only count, each_broker, deadline, optional");
    out->of = read_selector(reader, *of);
  } else {
    std::erase_if(selector.entries, [](const NodeEntry& entry) {
      return entry.key == "count" || entry.key == "each_broker";
    });
    out->of = read_selector(reader, selector);
  }
  return out;
}

bool satisfied(const WaitCondition& condition, const capture::EventLog& log) {
  const LogView view(log);
  const Selection found = select(*condition.of, view);
  if (found.unreached) return false;
  if (!condition.each_broker) return found.size() >= condition.count;
  return std::all_of(condition.of->brokers.begin(), condition.of->brokers.end(), [&](int broker) {
    std::size_t n = 0;
    for (const auto* event : found.events) n += event->broker == broker ? 1U : 0U;
    for (const auto* conn : found.conns) n += conn->broker == broker ? 1U : 0U;
    return n >= condition.count;
  });
}

}  // namespace ktrial::harness
