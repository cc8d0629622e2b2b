// SPDX-License-Identifier: Apache-2.0
#include "reports/render/swimlane.h"

#include "reports/render/xml.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>

namespace ktrial::reports {
namespace {

constexpr double kGutter = 180;  // lane labels
constexpr double kRight = 66;    // room for who closed
constexpr double kTop = 34;      // mark labels
constexpr double kLane = 30;
constexpr double kCallLane = 22;
constexpr std::size_t kMaxTicksPerLane = 160;
constexpr double kCallLetter = 6;     // at most, of a call's name
constexpr double kLetter = 7;         // at most, of small text
constexpr double kIdleSeconds = 0.4;  // a pause this long is drawn as idle

// Colour class of an API: what it is for.
std::string_view api_class(std::string_view api) {
  if (api == "Metadata" || api == "DescribeCluster") return "meta";
  if (api == "ApiVersions" || api.starts_with("Sasl")) return "setup";
  if (api == "Produce" || api == "InitProducerId") return "prod";
  if (api == "Fetch" || api == "ListOffsets" || api == "ShareFetch") return "fetch";
  return "group";
}

// The last moment at which a connection, or an attempt at one, is there.
double end_of(const Lane& lane, double duration) {
  if (lane.closed) return *lane.closed;
  return lane.open ? duration : lane.attempt.value_or(duration);
}

class Swimlane {
 public:
  Swimlane(const CaseResult& result, const SwimlaneView& view)
      : result_(result),
        max_lanes_(view.max_lanes),
        width_(view.width),
        from_(view.from),
        until_(std::max(view.from + 0.001, view.until.value_or(result.duration))),
        scale_((width_ - kGutter - kRight) / (until_ - from_)) {
    for (const CheckResult& check : result.checks) {
      if (check.verdict != Verdict::kFail) continue;
      for (const Evidence& evidence : check.evidence) cited_.insert(evidence.packet);
    }
  }

  SwimlaneDrawing draw() {
    y_ = kTop;
    calls();
    actions();
    const std::size_t lanes = connections();
    const double bottom = y_ + 4;
    const std::string behind = stalls(bottom) + axis(bottom) + marks(bottom);
    return {behind + body_, bottom + 22,
            fmt::format("{} connections over {:.2f} seconds", lanes, until_ - from_), drawn_};
  }

 private:
  [[nodiscard]] double x(double t) const {
    return kGutter + (std::clamp(t, from_, until_) - from_) * scale_;
  }

  [[nodiscard]] bool shown(double t) const { return t >= from_ && t <= until_; }
  [[nodiscard]] bool shown(double begin, double end) const {
    return begin <= until_ && end >= from_;
  }

  // Draws the lanes in view; how many there are, drawn or not.
  std::size_t connections() {
    std::size_t lanes = 0;
    for (const Lane& one : result_.lanes) {
      const double begin = one.attempt.value_or(one.open.value_or(0));
      if (!shown(begin, end_of(one, result_.duration))) continue;
      if (lanes++ < max_lanes_) lane(one);
    }
    if (lanes > max_lanes_) {
      body_ +=
          fmt::format("<text class=\"sw-note\" x=\"{}\" y=\"{}\">and {} more connections</text>",
                      kGutter, y_ + 14, lanes - max_lanes_);
      y_ += kCallLane;
    }
    return lanes;
  }

  void label(std::string_view text, double y, std::string_view css = "sw-label") {
    body_ +=
        fmt::format("<text class=\"{}\" x=\"{}\" y=\"{:.0f}\">{}</text>", css, 0, y, escape(text));
  }

  void calls() {
    const bool any = std::any_of(
        result_.calls.begin(), result_.calls.end(),
        [this](const Call& one) { return shown(one.begin, one.end.value_or(result_.duration)); });
    if (!any) return;
    label("driver calls", y_ + 14);
    std::string names;
    double free_until = width_;  // a name may go on to where the next call begins
    for (auto call = result_.calls.rbegin(); call != result_.calls.rend(); ++call) {
      if (!shown(call->begin, call->end.value_or(result_.duration))) continue;
      const double from = x(call->begin);
      const double to = std::max(from + 2, x(call->end.value_or(result_.duration)));
      body_ += fmt::format(
          "<rect class=\"sw-call{}\" x=\"{:.1f}\" y=\"{:.0f}\" width=\"{:.1f}\" height=\"12\" "
          "rx=\"2\"><title>{} at {:.3f} s{}</title></rect>",
          call->ok ? "" : " sw-bad", from, y_ + 4, to - from, escape(call->name), call->begin,
          call->ok ? "" : ": " + escape(call->detail));
      if (from + 4 + kCallLetter * static_cast<double>(call->name.size()) <= free_until) {
        names += fmt::format("<text class=\"sw-calltext\" x=\"{:.1f}\" y=\"{:.0f}\">{}</text>",
                             from + 3, y_ + 13.5, escape(call->name));
      }
      free_until = from;
    }
    body_ += names;
    y_ += kCallLane;
  }

  void actions() {
    const bool any = std::any_of(
        result_.moments.begin(), result_.moments.end(),
        [this](const Moment& moment) { return moment.kind == "act" && shown(moment.t); });
    if (!any) return;
    label("broker actions", y_ + 14);
    for (const Moment& moment : result_.moments) {
      if (moment.kind != "act" || !shown(moment.t)) continue;
      body_ += fmt::format(
          "<path class=\"sw-act\" d=\"M{0:.1f} {1:.0f}l6 11h-12z\"/><text class=\"sw-acttext\" "
          "x=\"{2:.1f}\" y=\"{3:.0f}\">{4}</text>",
          x(moment.t), y_ + 4, x(moment.t) + 8, y_ + 14, escape(moment.text));
    }
    y_ += kCallLane;
  }

  void lane(const Lane& lane) {
    const double middle = y_ + kLane / 2;
    std::string roles;
    for (const std::string& role : lane.roles) roles += (roles.empty() ? "" : " + ") + role;
    label(fmt::format("conn#{} \u2192 broker {}", lane.id,
                      lane.broker < 0 ? "?" : std::to_string(lane.broker)),
          middle - 1);
    label(roles.empty() ? lane.server : roles, middle + 10, "sw-sub");
    body_ +=
        fmt::format("<line class=\"sw-rail\" x1=\"{}\" x2=\"{}\" y1=\"{:.0f}\" y2=\"{:.0f}\"/>",
                    kGutter, width_ - kRight, middle, middle);
    if (lane.open) bar(lane, middle);
    if (lane.attempt && shown(*lane.attempt)) {
      body_ += fmt::format(
          "<circle class=\"sw-syn\" cx=\"{:.1f}\" cy=\"{:.0f}\" r=\"3\"><title>SYN at {:.3f} "
          "s</title></circle>",
          x(*lane.attempt), middle, *lane.attempt);
    }
    ticks(lane, middle);
    closing(lane, middle);
    y_ += kLane;
  }

  void bar(const Lane& lane, double middle) {
    const double from = x(*lane.open);
    const double to = x(lane.closed.value_or(result_.duration));
    body_ += fmt::format(
        "<rect class=\"sw-conn\" x=\"{:.1f}\" y=\"{:.0f}\" width=\"{:.1f}\" height=\"8\" "
        "rx=\"3\"/>",
        from, middle - 4, std::max(1.0, to - from));
    // Idle spans: from one payload to the next, or to the end.
    std::vector<double> busy{*lane.open};
    for (const Request& request : result_.requests) {
      if (request.conn != lane.id) continue;
      busy.push_back(request.t);
      if (request.answered) busy.push_back(*request.answered);
    }
    std::sort(busy.begin(), busy.end());
    busy.push_back(lane.closed.value_or(result_.duration));
    for (std::size_t i = 1; i < busy.size(); ++i) {
      if (busy[i] - busy[i - 1] < kIdleSeconds || !shown(busy[i - 1], busy[i])) continue;
      body_ += fmt::format(
          "<rect class=\"sw-idle\" x=\"{:.1f}\" y=\"{:.0f}\" width=\"{:.1f}\" "
          "height=\"8\"><title>idle {:.3f} s</title></rect>",
          x(busy[i - 1]), middle - 4, x(busy[i]) - x(busy[i - 1]), busy[i] - busy[i - 1]);
    }
  }

  // A tick up for each request, a shorter one down for its answer.
  void ticks(const Lane& lane, double middle) {
    std::map<std::string_view, std::string> paths;
    std::string rings;
    std::size_t drawn = 0;
    for (const Request& request : result_.requests) {
      if (request.conn != lane.id) continue;
      if (!shown(request.t, request.answered.value_or(request.t))) continue;
      if (++drawn > kMaxTicksPerLane) break;
      const std::string_view css = api_class(request.api);
      std::string& path = paths[css];
      drawn_.insert(css);
      if (shown(request.t)) path += fmt::format("M{:.1f} {:.0f}v-9", x(request.t), middle - 1);
      if (request.answered && shown(*request.answered))
        path += fmt::format("M{:.1f} {:.0f}v6", x(*request.answered), middle + 1);
      if (cited_.contains(request.packet) ||
          (request.response_packet != 0 && cited_.contains(request.response_packet))) {
        rings += fmt::format(
            "<circle class=\"sw-cited\" cx=\"{:.1f}\" cy=\"{:.0f}\" r=\"7\"><title>{} cited by a "
            "failing check</title></circle>",
            x(request.t), middle - 4, escape(request.api));
      }
    }
    for (const auto& [css, path] : paths)
      body_ += fmt::format("<path class=\"sw-req sw-{}\" d=\"{}\"/>", css, path);
    body_ += rings;
  }

  void closing(const Lane& lane, double middle) {
    if (lane.close_kind == "refused") {
      body_ +=
          fmt::format("<text class=\"sw-end sw-broker\" x=\"{:.1f}\" y=\"{:.0f}\">refused</text>",
                      x(lane.attempt.value_or(0)) + 6, middle + 3);
      return;
    }
    if (!lane.closed || lane.closer.empty() || !shown(*lane.closed)) return;
    const double at = x(*lane.closed);
    const std::string text = lane.closer + " " + (lane.close_kind == "rst" ? "RST" : "FIN");
    const bool fits = at + 62 < width_;
    body_ += fmt::format(
        "<path class=\"sw-close sw-{0}\" d=\"M{1:.1f} {2:.0f}v12\"/><text class=\"sw-end sw-{0}\" "
        "x=\"{3:.1f}\" y=\"{4:.0f}\" text-anchor=\"{5}\">{6}</text>",
        lane.closer == "client" ? "client" : "broker", at, middle - 6, fits ? at + 4 : at - 4,
        fits ? middle + 3.5 : middle + 13, fits ? "start" : "end", text);
  }

  std::string marks(double bottom) {
    std::string out;
    double free_from = 0;
    for (const Moment& moment : result_.moments) {
      if (moment.kind != "mark" || !shown(moment.t)) continue;
      const double at = x(moment.t);
      out += fmt::format(
          "<line class=\"sw-mark\" x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"16\" y2=\"{1:.0f}\"/>", at,
          bottom);
      const double width = kLetter * static_cast<double>(moment.text.size());
      const bool fits = at + width < width_;
      if ((fits ? at : at - width) < free_from) continue;
      out += fmt::format(
          "<text class=\"sw-marktext\" x=\"{:.1f}\" y=\"12\" text-anchor=\"{}\">{}</text>",
          fits ? at + 2 : at - 2, fits ? "start" : "end", escape(moment.text));
      free_from = at + (fits ? width : 0) + 8;
    }
    return out;
  }

  std::string stalls(double bottom) {
    std::string out;
    for (const Moment& moment : result_.moments) {
      if (moment.kind != "stall" || !shown(moment.t, moment.until)) continue;
      drawn_.insert("stall");
      out += fmt::format(
          "<rect class=\"sw-stall\" x=\"{:.1f}\" y=\"16\" width=\"{:.1f}\" "
          "height=\"{:.0f}\"><title>{}</title></rect>",
          x(moment.t), std::max(1.5, x(moment.until) - x(moment.t)), bottom - 16,
          escape(moment.text));
    }
    return out;
  }

  std::string axis(double bottom) const {
    const double rough = (until_ - from_) / 8;
    const double magnitude = std::pow(10, std::floor(std::log10(std::max(rough, 1e-6))));
    const double step = magnitude * (rough / magnitude > 5   ? 10
                                     : rough / magnitude > 2 ? 5
                                     : rough / magnitude > 1 ? 2
                                                             : 1);
    std::string out;
    for (double t = std::ceil(from_ / step) * step; t <= until_ + step / 1000; t += step) {
      out += fmt::format(
          "<line class=\"sw-grid\" x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"16\" y2=\"{1:.0f}\"/><text "
          "class=\"sw-tick\" x=\"{0:.1f}\" y=\"{2:.0f}\">{3:g} s</text>",
          x(t), bottom, bottom + 14, std::round(t * 1e6) / 1e6);
    }
    return out;
  }

  const CaseResult& result_;
  const std::size_t max_lanes_;
  const double width_;
  const double from_, until_;
  const double scale_;
  std::set<std::uint64_t> cited_;
  std::set<std::string_view> drawn_;
  std::string body_;
  double y_ = 0;
};

}  // namespace

SwimlaneDrawing draw_swimlane(const CaseResult& result, const SwimlaneView& view) {
  return Swimlane(result, view).draw();
}

std::string swimlane_svg(const CaseResult& result) {
  if (result.lanes.empty() && result.calls.empty()) return {};
  const SwimlaneView view;
  const SwimlaneDrawing drawing = draw_swimlane(result, view);
  return fmt::format(
      "<svg class=\"swimlane\" viewBox=\"0 0 {} {:.0f}\" role=\"img\" aria-label=\"{}\">{}</svg>",
      view.width, drawing.height, drawing.label, drawing.body);
}

}  // namespace ktrial::reports
