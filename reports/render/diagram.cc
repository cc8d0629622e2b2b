// SPDX-License-Identifier: Apache-2.0
#include "reports/render/diagram.h"

#include "embedded/ktrial_reports.h"
#include "reports/render/xml.h"

#include <fmt/format.h>

#include <array>
#include <set>

namespace ktrial::reports {
namespace {

constexpr double kMargin = 16;
constexpr double kWidth = 860;   // legible where a page shows it 800 pixels wide
constexpr double kHead = 46;     // title and subtitle
constexpr double kLegend = 26;   // below the lanes
constexpr double kLine = 16;     // of the legend
constexpr double kLetter = 5.6;  // mean width at the legend's size

struct Entry {
  std::string_view css, text;
};
constexpr std::array<Entry, 5> kApis{{{"meta", "Metadata"},
                                      {"setup", "ApiVersions, SASL"},
                                      {"prod", "Produce, InitProducerId"},
                                      {"fetch", "Fetch, ListOffsets"},
                                      {"group", "group and other"}}};
constexpr std::string_view kSigns =
    "dot: SYN \u00b7 tick up: request, down: answer \u00b7 dashed: idle";

struct Legend {
  std::string body;
  double height = kLegend;
};

// Only the colours that are drawn; the signs below them if they do not fit beside them.
Legend legend(const std::set<std::string_view>& used) {
  Legend out;
  double x = 0;
  for (const Entry& entry : kApis) {
    if (!used.contains(entry.css)) continue;
    out.body += fmt::format(
        "<path class=\"sw-req sw-{}\" d=\"M{:.1f} 0v-10\"/><text class=\"sw-note\" x=\"{:.1f}\" "
        "y=\"0\">{}</text>",
        entry.css, x + 2, x + 8, entry.text);
    x += 28 + kLetter * static_cast<double>(entry.text.size());
  }
  std::string signs(kSigns);
  if (used.contains("stall")) signs += " \u00b7 band: the host stalled";
  const bool fits = x + kLetter * static_cast<double>(signs.size()) <= kWidth;
  if (!fits) out.height += kLine;
  out.body += fmt::format("<text class=\"sw-note\" x=\"{:.1f}\" y=\"{}\">{}</text>", fits ? x : 0,
                          fits ? 0 : kLine, signs);
  return out;
}

std::string title_of(const CaseResult& result) {
  std::string title = result.column() + " \u00b7 " + result.id;
  if (!result.variant.empty()) title += " \u00b7 " + result.variant;
  if (result.accelerate != 1)
    title += fmt::format(" \u00b7 client's clock \u00d7{}", result.accelerate);
  return title;
}

}  // namespace

std::string diagram_svg(const CaseResult& result, const SwimlaneView& view) {
  SwimlaneView narrow = view;
  narrow.width = kWidth;
  const SwimlaneDrawing lanes = draw_swimlane(result, narrow);
  const Legend below = legend(lanes.drawn);
  const double width = kWidth + 2 * kMargin;
  const double height = kHead + lanes.height + below.height;
  const std::string title = escape(title_of(result));
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"swimlane\" width=\"{0}\" "
      "height=\"{1:.0f}\" viewBox=\"0 0 {0} {1:.0f}\" role=\"img\" aria-label=\"{2}: {3}\">\n"
      "<style>{4}{5}</style>\n"
      "<rect class=\"sw-paper\" width=\"{0}\" height=\"{1:.0f}\" rx=\"8\"/>\n"
      "<text class=\"sw-title\" x=\"{6}\" y=\"22\">{2}</text>\n"
      "<text class=\"sw-note\" x=\"{6}\" y=\"38\">{7}</text>\n"
      "<g transform=\"translate({6} {8})\">{9}</g>\n"
      "<g transform=\"translate({6} {10:.0f})\">{11}</g>\n"
      "</svg>\n",
      width, height, title, lanes.label, kPaletteCss, kSwimlaneCss, kMargin, escape(result.title),
      kHead, lanes.body, height - below.height + 14, below.body);
}

}  // namespace ktrial::reports
