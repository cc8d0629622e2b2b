// SPDX-License-Identifier: Apache-2.0
#include "capture/read_capture.h"

#include "capture/capture_file.h"

namespace ktrial::capture {

Result<EventLog> analyze_file(const std::string& path, const ReadOptions& options) {
  auto file = CaptureFile::open(path);
  if (!file) {
    Error error = file.error();
    if (error.where != path) error.where = path + ", " + error.where;
    return tl::unexpected<Error>(std::move(error));
  }
  Analyzer analyzer(options.analyzer);
  PacketView packet;
  std::uint64_t number = 0;
  for (;;) {
    const auto more = file->next(packet);
    if (!more) {
      Error error = more.error();
      error.where = path + ", " + error.where;
      if (!options.accept_damaged_end || number == 0)
        return tl::unexpected<Error>(std::move(error));
      analyzer.source_problem(error.to_string());
      break;
    }
    if (!*more) break;
    analyzer.packet(packet, ++number);
  }
  if (file->info().dropped) analyzer.set_dropped(*file->info().dropped);
  analyzer.finish();
  return analyzer.take_log();
}

}  // namespace ktrial::capture
