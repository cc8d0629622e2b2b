// SPDX-License-Identifier: Apache-2.0
// Any bytes as a rule: what is read must print as what reads the same.
#include "fakebroker/rules/rule_json.h"

#include <cstdint>
#include <cstdlib>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ktrial::fakebroker;  // NOLINT(google-build-using-namespace)
  boost::system::error_code bad;
  const auto value = boost::json::parse({reinterpret_cast<const char*>(data), size}, bad);
  if (bad) return 0;
  const auto rule = rule_from_json(value);
  if (!rule) return 0;
  const auto printed = to_json(*rule);
  const auto again = rule_from_json(printed);
  if (!again || to_json(*again) != printed) std::abort();
  return 0;
}
