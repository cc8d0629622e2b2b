// SPDX-License-Identifier: Apache-2.0
// The first two bytes pick an API and a version, the others are a response's body.
#include "protocol/api_info.h"

#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ktrial;            // NOLINT(google-build-using-namespace)
  using namespace ktrial::protocol;  // NOLINT(google-build-using-namespace)
  if (size < 2) return 0;
  const auto apis = all_apis();
  const ApiInfo& api = apis[data[0] % apis.size()];
  const int versions = api.max_version - api.min_version + 1;
  const auto version = static_cast<std::int16_t>(api.min_version + data[1] % versions);
  static_cast<void>(response_json(api.key, version, Slice::copy_of({data + 2, size - 2})));
  return 0;
}
