// SPDX-License-Identifier: Apache-2.0
#include "reports/write_reports.h"

#include "reports/model/read_run.h"
#include "reports/render/html.h"
#include "reports/render/junit.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <string>

namespace ktrial::reports {
namespace {

Result<void> write_file(const std::filesystem::path& path, const std::string& text) {
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out << text;
  out.close();
  if (!out)
    return fail(Errc::kIo, std::string("cannot be written: ") + std::strerror(errno),
                path.string());
  return {};
}

}  // namespace

Result<ReportPaths> write_reports(const std::filesystem::path& dir) {
  const auto run = read_run(dir);
  if (!run) return tl::unexpected<Error>(run.error());
  const ReportPaths paths{dir / "report.html", dir / "junit.xml"};
  KTRIAL_TRY(write_file(paths.html, html_report(*run)));
  KTRIAL_TRY(write_file(paths.junit, junit_xml(*run)));
  return paths;
}

}  // namespace ktrial::reports
