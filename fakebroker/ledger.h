// SPDX-License-Identifier: Apache-2.0
// Ledger: the cluster's own account of connections and requests. Steps wait on it, verdicts do
// not rest on it: it must agree with the capture, or the case is a harness error.
#pragma once

#include "common/clock.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ktrial::fakebroker {

struct LedgerEntry {
  enum class Kind : std::uint8_t { kAccept, kRequest, kResponse, kClose };
  Kind kind = Kind::kAccept;
  std::uint64_t number = 0;  // counts from 1 over the cluster's life
  TimePoint at = {};
  int broker = 0;
  std::uint64_t connection = 0;  // unique in the cluster
  std::string peer = {};         // "127.0.0.1:40112"
  std::int16_t api_key = -1;
  std::int16_t api_version = -1;
  std::int32_t correlation_id = 0;
  std::uint32_t bytes = 0;  // frame size without the length prefix
  std::string client_id = {};
  std::string detail = {};  // kClose: who and why; "rule ID" where one acted
};

}  // namespace ktrial::fakebroker
