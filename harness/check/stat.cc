// SPDX-License-Identifier: Apache-2.0
// stat: one figure out of many events: a sum, mean, extreme or percentile of a field, the highest
// rate in any window of a length, the most connections open at once; against constants, or as a
// ratio to the same figure of something else.
#include "harness/check/primitives.h"
#include "harness/check/selector_reader.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace ktrial::harness {

namespace {

enum class Figure { kSum, kMean, kLeast, kMost, kPercentile, kRate, kConcurrent };

struct Statistic {
  std::shared_ptr<const Selector> of;
  Figure figure = Figure::kSum;
  std::string name;  // as written: "p99", "sum"
  std::string field;
  double quantile = 0;
  Nanos per{0};
};

struct Computed {
  double value = 0;
  std::size_t sample = 0;
  std::optional<Moment> at;  // where a rate or a concurrency was highest
};

// Nearest rank, so that the figure is one that was measured.
double percentile(std::vector<double> values, double quantile) {
  std::sort(values.begin(), values.end());
  const double rank = std::ceil(quantile * static_cast<double>(values.size()));
  const auto index = static_cast<std::size_t>(std::max(rank, 1.0)) - 1;
  return values[std::min(index, values.size() - 1)];
}

Computed highest_rate(const Selection& found, Nanos per) {
  Computed out;
  std::size_t first = 0;
  out.sample = found.events.size();
  for (std::size_t i = 0; i < found.events.size(); ++i) {
    while (found.events[i]->at_ns - found.events[first]->at_ns >= per.count()) ++first;
    const auto n = static_cast<double>(i - first + 1);
    if (n <= out.value) continue;
    out.value = n;
    out.at = moment_of(*found.events[first]);
  }
  return out;
}

Computed most_at_once(const Selection& found) {
  struct Change {
    std::int64_t at_ns;
    int by;
    std::uint64_t packet;
  };
  std::vector<Change> changes;
  for (const auto* conn : found.conns) {
    if (!conn->open_ns) continue;
    changes.push_back({*conn->open_ns, 1, conn->open_packet});
    if (const auto done = client_done_ns(*conn)) changes.push_back({*done, -1, 0});
  }
  std::stable_sort(changes.begin(), changes.end(), [](const Change& a, const Change& b) {
    return a.at_ns != b.at_ns ? a.at_ns < b.at_ns : a.by < b.by;
  });
  Computed out;
  out.sample = found.conns.size();
  double open = 0;
  for (const Change& change : changes) {
    open += change.by;
    if (open <= out.value) continue;
    out.value = open;
    out.at = Moment{change.at_ns, change.packet};
  }
  return out;
}

std::optional<double> number(const boost::json::value& value) {
  if (value.is_int64()) return static_cast<double>(value.get_int64());
  if (value.is_uint64()) return static_cast<double>(value.get_uint64());
  if (value.is_double()) return value.get_double();
  return std::nullopt;
}

std::vector<double> values_of(const Statistic& statistic, const Selection& found,
                              const LogView& view) {
  std::vector<double> out;
  const auto add = [&](const FieldValue& field) {
    if (!field.found) return;
    if (field.spread) {
      for (const auto& each : field.value.as_array())
        if (const auto n = number(each)) out.push_back(*n);
    } else if (const auto n = number(field.value)) {
      out.push_back(*n);
    }
  };
  for (const auto* event : found.events) add(view.field(*event, statistic.field));
  for (const auto* conn : found.conns) add(view.field(*conn, statistic.field));
  return out;
}

// nullopt: a figure of nothing.
std::optional<Computed> compute(const Statistic& statistic, const Selection& found,
                                const LogView& view) {
  if (statistic.figure == Figure::kRate) return highest_rate(found, statistic.per);
  if (statistic.figure == Figure::kConcurrent) return most_at_once(found);
  const std::vector<double> values = values_of(statistic, found, view);
  Computed out;
  out.sample = values.size();
  out.value = std::accumulate(values.begin(), values.end(), 0.0);
  if (statistic.figure == Figure::kSum) return out;
  if (values.empty()) return std::nullopt;
  if (statistic.figure == Figure::kMean) out.value /= static_cast<double>(values.size());
  if (statistic.figure == Figure::kLeast)
    out.value = *std::min_element(values.begin(), values.end());
  if (statistic.figure == Figure::kMost)
    out.value = *std::max_element(values.begin(), values.end());
  if (statistic.figure == Figure::kPercentile) out.value = percentile(values, statistic.quantile);
  return out;
}

std::string text_of(const Statistic& statistic) {
  std::string out = statistic.name;
  if (statistic.figure == Figure::kRate)
    out = "most in any " + print_duration(statistic.per);
  else if (statistic.figure == Figure::kConcurrent)
    out = "most open at once";
  else
    out += " of " + statistic.field;
  return out + " of " + statistic.of->text();
}

class Stat final : public Check {
 public:
  Stat(Statistic statistic, std::optional<Statistic> against, NumberBounds bounds, bool report)
      : statistic_(std::move(statistic)),
        against_(std::move(against)),
        bounds_(bounds),
        report_(report) {}

  Outcome judge(const JudgeContext& context) const override {
    Outcome out;
    out.timing = statistic_.figure == Figure::kRate;
    const auto figure = one(statistic_, "", context, out);
    if (!figure) return out;
    double value = figure->value;
    std::string text = text_of(statistic_) + " is " + print_number(value) + " (sample of " +
                       std::to_string(figure->sample) + ")";
    if (against_) {
      const auto other = one(*against_, "against_", context, out);
      if (!other) return out;
      if (other->value == 0) return nothing(*against_, out);
      value /= other->value;
      out.arithmetic.push_back({"ratio", value, ""});
      text += ", " + print_number(value) + " times the " + print_number(other->value) + " of " +
              text_of(*against_);
    }
    if (bounds_.least) out.arithmetic.push_back({"min", *bounds_.least, ""});
    if (bounds_.most) out.arithmetic.push_back({"max", *bounds_.most, ""});
    out.measured = value;
    out.sentence = text;
    if (report_) {
      out.verdict = Verdict::kInfo;
      return out;
    }
    const bool holds = bounds_.holds(value);
    out.verdict = holds ? Verdict::kPass : Verdict::kFail;
    out.sentence += (holds ? ", wanted " : ", but wanted ") + bounds_.text();
    return out;
  }

  std::string expanded() const override {
    std::string out = text_of(statistic_);
    if (against_) out += " / " + text_of(*against_);
    return out + (report_ ? ": report" : " " + bounds_.text());
  }

 private:
  // nullopt: `out` already says why.
  static std::optional<Computed> one(const Statistic& statistic, const std::string& prefix,
                                     const JudgeContext& context, Outcome& out) {
    const Selection found = select(*statistic.of, context.view, context.subject);
    if (not_reached(found, context.view, out)) return std::nullopt;
    const auto figure = compute(statistic, found, context.view);
    if (!figure) {
      nothing(statistic, out);
      out.sentence += in_windows(found, context.view) + "; " + seen_instead(found, context.view);
      return std::nullopt;
    }
    out.arithmetic.push_back({prefix + "sample", static_cast<std::int64_t>(figure->sample), ""});
    out.arithmetic.push_back({prefix + statistic.name, figure->value, ""});
    if (figure->at) {
      for (const auto* event : found.events)
        if (moment_of(*event) >= *figure->at && out.evidence.size() < 8)
          out.evidence.push_back(context.view.evidence(*event));
      if (statistic.figure == Figure::kConcurrent)
        for (const auto* conn : found.conns)
          if (conn->open_ns && *conn->open_ns <= figure->at->at_ns && out.evidence.size() < 8)
            out.evidence.push_back(connection_evidence(*conn, context.view));
    } else {
      add_evidence(found, context.view, out);
    }
    return figure;
  }

  static Outcome nothing(const Statistic& statistic, Outcome& out) {
    out.verdict = Verdict::kFail;
    out.measured = nullptr;
    out.sentence = "nothing to take " + text_of(statistic) + " from";
    return out;
  }

  Statistic statistic_;
  std::optional<Statistic> against_;
  NumberBounds bounds_;
  bool report_;
};

const std::vector<std::pair<std::string, double>> kPercentiles{
    {"median", 0.5}, {"p50", 0.5}, {"p90", 0.9}, {"p95", 0.95}, {"p99", 0.99}, {"p999", 0.999}};

Statistic read_statistic(MapReader& map) {
  Reader& reader = map.reader();
  Statistic out;
  const Node* of = map.require("of");
  out.of = of != nullptr ? read_selector(reader, *of) : std::make_shared<Selector>();
  if (const Node* window = map.take("window"))
    out.of = within(out.of, read_window(reader, *window));
  int figures = 0;
  const auto field = [&](const std::string& key, Figure figure) {
    const Node* path = map.take(key);
    if (path == nullptr) return false;
    ++figures;
    out.figure = figure;
    out.name = key;
    out.field = reader.text(*path).value_or("");
    return true;
  };
  field("sum", Figure::kSum);
  field("mean", Figure::kMean);
  field("least", Figure::kLeast);
  field("most", Figure::kMost);
  for (const auto& [key, quantile] : kPercentiles)
    if (field(key, Figure::kPercentile)) out.quantile = quantile;
  if (const Node* rate = map.take("rate")) {
    ++figures;
    out.figure = Figure::kRate;
    out.name = "rate";
    const std::string text = reader.text(*rate).value_or("");
    const auto per =
        text.starts_with("per_") ? parse_duration(std::string_view(text).substr(4)) : std::nullopt;
    if (!per || per->count() <= 0)
      reader.error(rate->at, "rate is per_ and a time: per_1s, per_100ms");
    const Nanos written = per.value_or(std::chrono::seconds(1));
    out.per = Nanos(std::llround(static_cast<double>(written.count()) / reader.acceleration));
    if (out.of->conns) reader.error(rate->at, "a rate is of events; use event: conn.attempt");
  }
  if (const Node* concurrent = map.take("concurrent")) {
    ++figures;
    out.figure = Figure::kConcurrent;
    out.name = "concurrent";
    if (reader.boolean(*concurrent) != true || !out.of->conns)
      reader.error(concurrent->at, "concurrent: true counts connections ({conns: {...}})");
  }
  if (map.is_map() && figures != 1)
    reader.error(map.node().at,
                 "stat needs one of sum, mean, least, most, median, p50, p90, p95, p99, p999, "
                 "rate, concurrent");
  return out;
}

}  // namespace

CheckPointer read_stat(Reader& reader, const Node& node, bool info) {
  MapReader map(reader, node, "stat");
  Statistic statistic = read_statistic(map);
  std::optional<Statistic> against;
  if (const Node* other = map.take("against")) {
    MapReader inner(reader, *other, "against");
    against = read_statistic(inner);
    inner.finish();
  }
  const NumberBounds bounds = read_bounds(map);
  const Node* report = map.take("report");
  map.finish();
  if (report != nullptr && !info) reader.error(report->at, "report belongs to INFO checks");
  const bool bound =
      node.find("eq") != nullptr || node.find("min") != nullptr || node.find("max") != nullptr;
  if (report == nullptr && !bound && node.is_map())
    reader.error(node.at, "stat needs eq, min, max or, at level INFO, report: value");
  return std::make_shared<Stat>(std::move(statistic), std::move(against), bounds,
                                report != nullptr);
}

}  // namespace ktrial::harness
