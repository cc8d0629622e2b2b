// SPDX-License-Identifier: Apache-2.0
#include "harness/driver/accelerate.h"

#include <fmt/format.h>

namespace ktrial::harness {

namespace fs = std::filesystem;

namespace {

// Debian keeps it below the architecture's library folder.
fs::path find_libfaketime() {
  std::error_code bad;
  for (const auto& folder : fs::directory_iterator("/usr/lib", bad)) {
    const fs::path found = folder.path() / "faketime" / "libfaketimeMT.so.1";
    if (fs::exists(found, bad)) return found;
  }
  return {};
}

}  // namespace

Result<std::vector<std::string>> accelerated(const Places& places, std::vector<std::string> command,
                                             double factor) {
  const fs::path library = find_libfaketime();
  if (library.empty())
    return fail(Errc::kNotFound, "libfaketime is missing; `apt-get install libfaketime` brings it",
                "--accelerate");
  std::vector<std::string> out{
      "env",
      fmt::format("LD_PRELOAD={} {}", (places.bin / "libktrial-clock.so").string(),
                  library.string()),
      fmt::format("FAKETIME=+0 x{}", factor)};
  out.insert(out.end(), command.begin(), command.end());
  return out;
}

}  // namespace ktrial::harness
