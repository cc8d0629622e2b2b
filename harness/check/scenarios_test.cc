// SPDX-License-Identifier: Apache-2.0
// Every scenario that ships loads in every variant.
#include "harness/check/load_scenario.h"
#include "source_dir.h"

#include <gtest/gtest.h>

#include <filesystem>

namespace ktrial::harness {
namespace {

TEST(Scenarios, AllThatShipLoad) {
  int files = 0;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(KTRIAL_SOURCE_DIR "/scenarios")) {
    const auto name = entry.path().filename();
    if (name.extension() != ".yaml" || name == "sets.yaml" || name == "claims.yaml" ||
        name == "known.yaml")
      continue;
    const auto file = load_scenario(entry.path().string());
    EXPECT_TRUE(file) << (file ? "" : file.error().to_string());
    ++files;
  }
  EXPECT_GT(files, 0);
}

}  // namespace
}  // namespace ktrial::harness
