// SPDX-License-Identifier: Apache-2.0
// Any bytes as what members of a classic group tell one another.
#include "protocol/consumer_protocol.h"

#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ktrial;            // NOLINT(google-build-using-namespace)
  using namespace ktrial::protocol;  // NOLINT(google-build-using-namespace)
  const Slice bytes = Slice::copy_of({data, size});
  static_cast<void>(decode_subscription(bytes));
  static_cast<void>(decode_assignment(bytes));
  return 0;
}
