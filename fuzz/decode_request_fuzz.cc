// SPDX-License-Identifier: Apache-2.0
// Any bytes as a request: header, then the body that the header names, as JSON.
#include "protocol/api_info.h"
#include "protocol/header.h"

#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ktrial;            // NOLINT(google-build-using-namespace)
  using namespace ktrial::protocol;  // NOLINT(google-build-using-namespace)
  const Slice frame = Slice::copy_of({data, size});
  std::size_t body = 0;
  const auto header = decode_request_header(frame, body);
  if (!header) return 0;
  static_cast<void>(request_json(header->api_key, header->api_version, frame.part(body)));
  return 0;
}
