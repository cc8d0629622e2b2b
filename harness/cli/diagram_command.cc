// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/commands.h"
#include "reports/model/choose_case.h"
#include "reports/model/read_run.h"
#include "reports/render/diagram.h"

#include <fstream>
#include <iostream>

namespace ktrial::harness {
namespace {

Result<std::string> draw(const DiagramOptions& options) {
  const auto run = reports::read_run(options.dir);
  if (!run) return tl::unexpected<Error>(run.error());
  const auto index = reports::choose_case(*run, {options.id, options.client, options.variant});
  if (!index) return tl::unexpected<Error>(index.error());
  const reports::CaseResult& one = run->cases[*index];

  reports::SwimlaneView view;
  view.max_lanes = options.lanes;
  if (!options.from.empty()) {
    const auto from = reports::point_in_time(one, options.from);
    if (!from) return tl::unexpected<Error>(from.error());
    if (*from >= one.duration)
      return fail(Errc::kInvalidArgument, "the case is over by then", "--from " + options.from);
    view.from = *from;
  }
  if (!options.until.empty()) {
    const auto until = reports::point_in_time(one, options.until);
    if (!until) return tl::unexpected<Error>(until.error());
    if (*until <= view.from)
      return fail(Errc::kInvalidArgument, "is not after --from", "--until " + options.until);
    view.until = *until;
  }
  return reports::diagram_svg(one, view);
}

}  // namespace

int diagram_command(const DiagramOptions& options) {
  const auto svg = draw(options);
  if (!svg) {
    std::cerr << "ktrial: " << svg.error().to_string() << '\n';
    return kExitUsage;
  }
  if (options.out.empty()) {
    std::cout << *svg;
    return kExitMet;
  }
  std::ofstream file(options.out, std::ios::binary | std::ios::trunc);
  file << *svg;
  file.close();
  if (!file) {
    std::cerr << "ktrial: " << options.out << ": cannot be written\n";
    return kExitUsage;
  }
  return kExitMet;
}

}  // namespace ktrial::harness
