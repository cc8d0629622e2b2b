// SPDX-License-Identifier: Apache-2.0
#include "harness/check/point.h"

#include "harness/check/selector_reader.h"

#include <algorithm>

namespace ktrial::harness {

namespace {

using capture::Connection;
using Time = std::optional<std::int64_t>;

struct Found {
  Time at;
  std::uint64_t packet = 0;
};

Found earlier(const Found& a, const Found& b) {
  if (!a.at) return b;
  if (!b.at) return a;
  return *a.at <= *b.at ? a : b;
}

Found client_end(const Connection& c) {
  return earlier({c.client_fin_ns, c.client_end_packet}, {c.client_rst_ns, c.client_end_packet});
}
Found broker_end(const Connection& c) {
  return earlier({c.broker_fin_ns, c.broker_end_packet}, {c.broker_rst_ns, c.broker_end_packet});
}

Found find_word(const std::string& word, const Connection& c) {
  if (word == "attempt") return {c.attempt_ns, c.attempt_packet};
  if (word == "open") return {c.open_ns, c.open_packet};
  if (word == "first_payload") return {c.first_payload_ns, 0};
  if (word == "last_payload") return {c.last_payload_ns, c.last_payload_packet};
  if (word == "client_fin") return {c.client_fin_ns, c.client_end_packet};
  if (word == "broker_fin") return {c.broker_fin_ns, c.broker_end_packet};
  if (word == "client_rst") return {c.client_rst_ns, c.client_end_packet};
  if (word == "broker_rst") return {c.broker_rst_ns, c.broker_end_packet};
  if (word == "client_fin_or_rst") return client_end(c);
  if (word == "broker_fin_or_rst") return broker_end(c);
  if (word == "first_fin_or_rst") return earlier(client_end(c), broker_end(c));
  return {c.closed_ns, std::max(c.client_end_packet, c.broker_end_packet)};  // closed_at
}

const std::vector<std::string> kWords{"attempt",
                                      "open",
                                      "first_payload",
                                      "last_payload",
                                      "client_fin",
                                      "broker_fin",
                                      "client_rst",
                                      "broker_rst",
                                      "client_fin_or_rst",
                                      "broker_fin_or_rst",
                                      "first_fin_or_rst",
                                      "closed_at",
                                      "it"};

}  // namespace

Point Point::read(Reader& reader, const Node& node) {
  Point out;
  if (node.is_scalar()) {
    const std::string name = reader.text(node).value_or("");
    if (std::find(kWords.begin(), kWords.end(), name) != kWords.end()) {
      out.word_ = name;
      out.text_ = name;
      const bool fits = name == "it" ? reader.each == "events" : reader.each == "connections";
      if (!fits)
        reader.error(node.at, "'" + name + "' has a meaning only inside each over " +
                                  (name == "it" ? "events" : "connections"));
      return out;
    }
    auto known = reader.marks;
    for (const auto& [let, selector] : reader.lets) known.push_back(let);
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      known.insert(known.end(), kWords.begin(), kWords.end());
      const std::string near = nearest(name, known);
      reader.error(node.at, "neither a mark, a selector's name nor a point of a connection: '" +
                                name + "'" +
                                (near.empty() ? "" : "; did you mean '" + near + "'?"));
      out.text_ = name;
      return out;
    }
  }
  out.edge_ = read_edge(reader, node);
  out.text_ = out.edge_.kind == Edge::Kind::kFirst ? out.edge_.event->text() : out.edge_.text();
  return out;
}

std::optional<FoundPoint> Point::find(const JudgeContext& context, std::optional<Moment> from,
                                      Outcome& outcome) const {
  const LogView& view = context.view;
  if (word_ == "it") {
    if (context.subject.event == nullptr) return std::nullopt;
    return FoundPoint{context.subject.event->at_ns, view.evidence(*context.subject.event)};
  }
  if (!word_.empty()) {
    if (context.subject.conn == nullptr) return std::nullopt;
    const Connection& conn = *context.subject.conn;
    outcome.conns.insert(conn.id);
    const Found found = find_word(word_, conn);
    if (!found.at) return std::nullopt;
    return FoundPoint{*found.at,
                      {found.packet, *found.at, conn.id, word_ + " of " + view.describe(conn)}};
  }
  if (edge_.kind == Edge::Kind::kFirst || edge_.kind == Edge::Kind::kLast) {
    const Selection found = select(*edge_.event, view, context.subject);
    if (not_reached(found, view, outcome)) return std::nullopt;
    const auto after = [&](const capture::Event* event) {
      return !from || moment_of(*event) > *from;
    };
    if (edge_.kind == Edge::Kind::kLast) {
      if (found.events.empty() || !after(found.events.back())) return std::nullopt;
      return FoundPoint{found.events.back()->at_ns, view.evidence(*found.events.back())};
    }
    const auto first = std::find_if(found.events.begin(), found.events.end(), after);
    if (first == found.events.end()) return std::nullopt;
    return FoundPoint{(*first)->at_ns, view.evidence(**first)};
  }
  const ResolvedEdge resolved = resolve(edge_, view);
  if (!resolved.at) {
    Selection none;
    none.unreached = resolved.unreached;
    not_reached(none, view, outcome);
    return std::nullopt;
  }
  return FoundPoint{resolved.at->at_ns,
                    {resolved.at->packet, resolved.at->at_ns, -1, "mark " + edge_.text()}};
}

}  // namespace ktrial::harness
