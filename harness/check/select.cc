// SPDX-License-Identifier: Apache-2.0
#include "harness/check/select.h"

#include <algorithm>
#include <set>

namespace ktrial::harness {

namespace {

using capture::Connection;
using capture::Event;

template <class T, class U>
bool in(const std::vector<T>& list, const U& value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

std::string_view text(const Event& event, std::string_view key) {
  const auto* value = event.data.if_contains(key);
  return value != nullptr && value->is_string() ? std::string_view(value->get_string())
                                                : std::string_view{};
}

bool has_role(const Connection& conn, const std::vector<std::string>& roles) {
  return std::any_of(roles.begin(), roles.end(),
                     [&](const std::string& role) { return conn.has_role(role); });
}

struct Bounds {
  std::optional<Moment> from, to;  // inclusive; absent: open
  bool empty = false;              // begins with something that never happened

  [[nodiscard]] bool contains(Moment at) const {
    return !empty && (!from || at >= *from) && (!to || at <= *to);
  }
};

class Selecting {
 public:
  Selecting(const Selector& selector, const LogView& view, const Subject& subject)
      : selector_(selector), view_(view), subject_(subject) {}

  Selection run() {
    bounds();
    if (out_.unreached) return std::move(out_);
    for (const auto& set : selector_.in) {
      const Selection conns = select(*set, view_);
      if (conns.unreached) out_.unreached = conns.unreached;
      for (const Connection* conn : conns.conns) allowed_.insert(conn->id);
    }
    if (selector_.conns)
      connections();
    else
      events();
    return std::move(out_);
  }

 private:
  std::optional<Moment> edge(const Edge& edge) {
    ResolvedEdge resolved = resolve(edge, view_);
    if (resolved.unreached) out_.unreached = std::move(resolved.unreached);
    return resolved.at;
  }

  Bounds window(const Window& window) {
    Bounds out;
    out.from = edge(window.from);
    out.to = edge(window.to);
    if (!out.from && window.from.kind != Edge::Kind::kStart) out.empty = true;
    out_.windows.push_back(
        {out.from.value_or(view_.start()), out.to.value_or(view_.end()), window.text()});
    return out;
  }

  void bounds() {
    for (const Window& each : selector_.windows) bounds_.push_back(window(each));
    if (selector_.after) {
      Bounds after;
      after.from = edge(*selector_.after);
      after.empty = !after.from.has_value();
      // Strictly after: the event itself is not its own successor.
      if (after.from) ++after.from->packet;
      out_.windows.push_back(
          {after.from.value_or(view_.start()), view_.end(), "after " + selector_.after->text()});
      bounds_.push_back(after);
    }
    if (selector_.before) {
      Bounds before;
      before.to = edge(*selector_.before);
      if (before.to && before.to->packet > 0) --before.to->packet;
      out_.windows.push_back(
          {view_.start(), before.to.value_or(view_.end()), "before " + selector_.before->text()});
      bounds_.push_back(before);
    }
    if (selector_.closed_in) closed_in_ = window(*selector_.closed_in);
    if (selector_.opened_in) opened_in_ = window(*selector_.opened_in);
    if (selector_.open_at) open_at_ = edge(*selector_.open_at);
  }

  [[nodiscard]] bool within(Moment at) const {
    return std::all_of(bounds_.begin(), bounds_.end(),
                       [&](const Bounds& each) { return each.contains(at); });
  }

  // ---- events
  void events() {
    const Event* last_before = nullptr;
    for (const Event& event : view_.log().events) {
      if (!matches(event)) continue;
      const Moment at = moment_of(event);
      if (within(at))
        out_.events.push_back(&event);
      else if (selector_.or_last_before && before_window(at))
        last_before = &event;
    }
    if (out_.events.empty() && last_before != nullptr) out_.events.push_back(last_before);
    pick(out_.events);
  }

  [[nodiscard]] bool before_window(Moment at) const {
    return std::all_of(bounds_.begin(), bounds_.end(), [&](const Bounds& each) {
      return !each.empty && (!each.to || at <= *each.to);
    });
  }

  [[nodiscard]] bool matches(const Event& event) const {
    if (!selector_.events.empty() && !in(selector_.events, event.type)) return false;
    if (!selector_.apis.empty() && !in(selector_.apis, text(event, "api"))) return false;
    if (!selector_.brokers.empty() && !in(selector_.brokers, broker_of(event))) return false;
    if (!selector_.by.empty() && text(event, "by") != selector_.by) return false;
    if (!selector_.call.empty() && text(event, "call") != selector_.call) return false;
    if (!selector_.client.empty() && text(event, "client") != selector_.client) return false;
    if (!selector_.name.empty() && text(event, "name") != selector_.name &&
        text(event, "event") != selector_.name)
      return false;
    if (!selector_.in.empty() && !allowed_.contains(event.conn)) return false;
    if (!selector_.roles.empty()) {
      const Connection* conn = view_.connection(event.conn);
      if (conn == nullptr || !has_role(*conn, selector_.roles)) return false;
    }
    if (!selector_.anywhere && from_packet(event)) {
      if (subject_.conn != nullptr && event.conn != subject_.conn->id) return false;
      if (subject_.broker && event.broker != *subject_.broker) return false;
    }
    return std::all_of(selector_.where.begin(), selector_.where.end(), [&](const FieldTest& test) {
      return test.matcher.matches(view_.field(event, test.path));
    });
  }

  [[nodiscard]] static int broker_of(const Event& event) {
    if (event.broker >= 0) return event.broker;
    const auto* broker = event.data.if_contains("broker");
    return broker != nullptr && broker->is_int64() ? static_cast<int>(broker->get_int64()) : -1;
  }

  // ---- connections
  void connections() {
    for (const Connection& conn : view_.log().connections)
      if (matches(conn)) out_.conns.push_back(&conn);
    std::stable_sort(
        out_.conns.begin(), out_.conns.end(),
        [](const Connection* a, const Connection* b) { return begin(*a) < begin(*b); });
    pick(out_.conns);
  }

  [[nodiscard]] bool matches(const Connection& conn) const {
    if (!selector_.brokers.empty() && !in(selector_.brokers, conn.broker)) return false;
    if (!selector_.roles.empty() && !has_role(conn, selector_.roles)) return false;
    if (!selector_.by.empty() && conn.closer != selector_.by) return false;
    if (!selector_.in.empty() && !allowed_.contains(conn.id)) return false;
    if (!selector_.anywhere) {
      if (subject_.conn != nullptr && conn.id != subject_.conn->id) return false;
      if (subject_.broker && conn.broker != *subject_.broker) return false;
    }
    if (!selector_.apis.empty() && !used_api(conn)) return false;
    if (selector_.apis.empty() && !bounds_.empty() && !alive_within(conn)) return false;
    if (closed_in_) {
      const auto end = first_end_ns(conn);
      if (!end || conn.close_kind == "refused" || !closed_in_->contains({*end, end_packet(conn)}))
        return false;
    }
    if (opened_in_ && (!conn.open_ns || !opened_in_->contains({*conn.open_ns, conn.open_packet})))
      return false;
    if (selector_.open_at) {
      if (!open_at_ || !conn.open_ns || *conn.open_ns > open_at_->at_ns) return false;
      const auto done = client_done_ns(conn);
      if (done && *done <= open_at_->at_ns) return false;
    }
    return std::all_of(selector_.where.begin(), selector_.where.end(), [&](const FieldTest& test) {
      return test.matcher.matches(view_.field(conn, test.path));
    });
  }

  // With a window: used one of the APIs in it.
  [[nodiscard]] bool used_api(const Connection& conn) const {
    if (bounds_.empty())
      return std::any_of(selector_.apis.begin(), selector_.apis.end(),
                         [&](const std::string& api) { return conn.used_api(api); });
    const auto& events = view_.log().events;
    return std::any_of(events.begin(), events.end(), [&](const Event& event) {
      return event.conn == conn.id && event.type == "req" &&
             in(selector_.apis, text(event, "api")) && within(moment_of(event));
    });
  }

  [[nodiscard]] bool alive_within(const Connection& conn) const {
    return std::all_of(bounds_.begin(), bounds_.end(), [&](const Bounds& each) {
      if (each.empty) return false;
      if (each.to && begin(conn) > each.to->at_ns) return false;
      const auto done = conn.closed_ns ? conn.closed_ns : first_end_ns(conn);
      return !(each.from && done && *done < each.from->at_ns);
    });
  }

  static std::int64_t begin(const Connection& conn) {
    if (conn.attempt_ns) return *conn.attempt_ns;
    if (conn.open_ns) return *conn.open_ns;
    return conn.first_payload_ns.value_or(0);
  }
  static std::uint64_t end_packet(const Connection& conn) {
    if (conn.client_end_packet == 0) return conn.broker_end_packet;
    if (conn.broker_end_packet == 0) return conn.client_end_packet;
    return std::min(conn.client_end_packet, conn.broker_end_packet);
  }

  template <class T>
  void pick(std::vector<T>& list) const {
    if (selector_.nth == 0) return;
    const auto size = static_cast<int>(list.size());
    const int index = selector_.nth > 0 ? selector_.nth - 1 : size + selector_.nth;
    if (index < 0 || index >= size) {
      list.clear();
      return;
    }
    list = {list[static_cast<std::size_t>(index)]};
  }

  const Selector& selector_;
  const LogView& view_;
  const Subject& subject_;
  Selection out_;
  std::vector<Bounds> bounds_;
  std::optional<Bounds> closed_in_, opened_in_;
  std::optional<Moment> open_at_;
  std::set<int> allowed_;
};

std::optional<std::int64_t> earliest(std::initializer_list<std::optional<std::int64_t>> times) {
  std::optional<std::int64_t> out;
  for (const auto& time : times)
    if (time && (!out || *time < *out)) out = time;
  return out;
}

}  // namespace

Selection select(const Selector& selector, const LogView& view, const Subject& subject) {
  return Selecting(selector, view, subject).run();
}

ResolvedEdge resolve(const Edge& edge, const LogView& view) {
  switch (edge.kind) {
    case Edge::Kind::kStart:
      return {view.start(), {}};
    case Edge::Kind::kEnd:
      return {view.mark("end_of_case"), {}};
    case Edge::Kind::kNow:
      return {view.end(), {}};
    case Edge::Kind::kMark: {
      auto at = view.mark(edge.mark);
      if (!at) return {std::nullopt, edge.mark};
      return {at, {}};
    }
    case Edge::Kind::kFirst:
    case Edge::Kind::kLast: {
      const Selection found = select(*edge.event, view);
      if (found.unreached) return {std::nullopt, found.unreached};
      if (found.events.empty()) return {};
      return {moment_of(
                  *(edge.kind == Edge::Kind::kFirst ? found.events.front() : found.events.back())),
              {}};
    }
  }
  return {};
}

std::optional<std::int64_t> first_end_ns(const Connection& conn) {
  return earliest({conn.client_fin_ns, conn.broker_fin_ns, conn.client_rst_ns, conn.broker_rst_ns});
}

std::optional<std::int64_t> client_done_ns(const Connection& conn) {
  return earliest({conn.client_fin_ns, conn.client_rst_ns, conn.broker_rst_ns, conn.closed_ns});
}

}  // namespace ktrial::harness
