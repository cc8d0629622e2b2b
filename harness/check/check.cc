// SPDX-License-Identifier: Apache-2.0
#include "harness/check/check.h"

#include <algorithm>
#include <map>

namespace ktrial::harness {

namespace {

class NoCheck final : public Check {
 public:
  Outcome judge(const JudgeContext&) const override {
    Outcome out;
    out.verdict = Verdict::kError;
    out.sentence = "the check could not be read";
    return out;
  }
  std::string expanded() const override { return "(nothing)"; }
};

std::uint64_t packet_of(const capture::Connection& conn) {
  return conn.attempt_packet != 0 ? conn.attempt_packet : conn.open_packet;
}

}  // namespace

CheckPointer no_check() { return std::make_shared<NoCheck>(); }

bool not_reached(const Selection& selection, const LogView& view, Outcome& outcome) {
  outcome.windows.insert(outcome.windows.end(), selection.windows.begin(), selection.windows.end());
  if (!selection.unreached) return false;
  outcome.verdict = Verdict::kInconclusive;
  outcome.reason = "not_reached";
  outcome.sentence = "not judged: '" + *selection.unreached + "' was never reached";
  for (const capture::Event& event : view.log().events)
    if (event.type == "step.missed") {
      outcome.evidence.push_back(view.evidence(event));
      break;
    }
  return true;
}

Evidence connection_evidence(const capture::Connection& conn, const LogView& view) {
  std::string text = view.describe(conn);
  if (!conn.apis.empty()) {
    text += " (";
    for (std::size_t i = 0; i < conn.apis.size() && i < 6; ++i)
      text += (i > 0 ? ", " : "") + conn.apis[i];
    text += ")";
  }
  if (conn.close_kind == "refused")
    text += ", refused";
  else if (!conn.closer.empty())
    text += ", ended by " + conn.closer + " (" + conn.close_kind + ")";
  return {packet_of(conn), conn.attempt_ns.value_or(conn.open_ns.value_or(0)), conn.id, text};
}

void add_evidence(const Selection& selection, const LogView& view, Outcome& outcome,
                  std::size_t most) {
  std::size_t left = most;
  for (const auto* event : selection.events) {
    if (left-- == 0) return;
    outcome.evidence.push_back(view.evidence(*event));
  }
  for (const auto* conn : selection.conns) {
    if (left-- == 0) return;
    outcome.evidence.push_back(connection_evidence(*conn, view));
  }
}

std::string packets_of(const Selection& selection) {
  constexpr std::size_t kNamed = 5;
  std::vector<std::uint64_t> packets;
  for (const auto* event : selection.events) packets.push_back(event->packet);
  for (const auto* conn : selection.conns) packets.push_back(packet_of(*conn));
  std::string out;
  for (std::size_t i = 0; i < packets.size() && i < kNamed; ++i)
    out += (i > 0 ? ", " : "") + std::to_string(packets[i]);
  if (packets.size() > kNamed) out += " and " + std::to_string(packets.size() - kNamed) + " more";
  return out;
}

std::string in_windows(const Selection& selection, const LogView& view) {
  std::string out;
  for (const JudgedWindow& window : selection.windows) {
    out += out.empty() ? " in " : " and ";
    out += window.label + " = " + view.seconds(window.from.at_ns) + " s (packet " +
           std::to_string(window.from.packet) + ") to " + view.seconds(window.to.at_ns) +
           " s (packet " + std::to_string(window.to.packet) + ")";
  }
  return out;
}

std::string seen_instead(const Selection& selection, const LogView& view) {
  std::map<std::string, int> kinds;
  std::vector<std::string> order;
  for (const capture::Event& event : view.log().events) {
    if (!from_packet(event)) continue;
    const Moment at = moment_of(event);
    if (!std::all_of(selection.windows.begin(), selection.windows.end(),
                     [&](const JudgedWindow& w) { return at >= w.from && at <= w.to; }))
      continue;
    std::string kind = event.type;
    if (const auto* api = event.data.if_contains("api"); api != nullptr && api->is_string()) {
      kind += " ";
      kind += std::string_view(api->get_string());
    }
    if (kinds[kind]++ == 0) order.push_back(kind);
  }
  if (order.empty()) return "nothing was seen there";
  std::string out;
  for (std::size_t i = 0; i < order.size() && i < 8; ++i)
    out += (i > 0 ? ", " : "seen there: ") + order[i] + " x" + std::to_string(kinds[order[i]]);
  if (order.size() > 8) out += ", ...";
  return out;
}

bool NumberBounds::holds(double value) const {
  return (!least || value >= *least) && (!most || value <= *most);
}

std::string print_number(double value) { return to_text(Value(value)); }

std::string NumberBounds::text() const {
  if (least && most)
    return *least == *most ? "= " + print_number(*least)
                           : "from " + print_number(*least) + " to " + print_number(*most);
  if (least) return ">= " + print_number(*least);
  if (most) return "<= " + print_number(*most);
  return "any";
}

NumberBounds read_bounds(MapReader& map) {
  NumberBounds out;
  Reader& reader = map.reader();
  if (const Node* eq = map.take("eq")) out.least = out.most = reader.number(*eq);
  if (const Node* min = map.take("min")) out.least = reader.number(*min);
  if (const Node* max = map.take("max")) out.most = reader.number(*max);
  if (out.least && out.most && *out.least > *out.most)
    reader.error(map.node().at, "min is above max");
  return out;
}

std::vector<std::string> check_keys() {
  std::vector<std::string> out{"each", "allow_empty"};
  for (const CheckKind& kind : check_kinds()) out.emplace_back(kind.key);
  return out;
}

}  // namespace ktrial::harness
