// SPDX-License-Identifier: Apache-2.0
#include "harness/check/load_scenario.h"

#include "harness/check/check.h"
#include "harness/check/selector_reader.h"
#include "harness/check/wait.h"

namespace ktrial::harness {

namespace {

Grammar grammar() {
  Grammar out;
  out.check = &read_check_body;
  out.check_keys = &check_keys;
  out.wait = &read_wait;
  out.let = &read_let;
  return out;
}

}  // namespace

Result<ScenarioFile> load_scenario(const std::string& path) {
  return ScenarioFile::read(path, grammar());
}

Result<ScenarioFile> parse_scenario(std::string_view text, std::string name) {
  return ScenarioFile::parse(text, std::move(name), grammar());
}

}  // namespace ktrial::harness
