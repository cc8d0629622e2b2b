// SPDX-License-Identifier: Apache-2.0
// Registry: one row per API: its versions and its handler. ApiVersions answers from it, so that
// what is offered is what is there.
#pragma once

#include "fakebroker/handlers/any_request.h"

#include <cstdint>
#include <memory>
#include <span>

namespace ktrial::fakebroker {

struct ApiRow {
  std::int16_t key;
  std::int16_t advertised_min;
  std::int16_t min, max;
  bool consumer_groups_only;  // only where the cluster has KIP-848
  Result<std::unique_ptr<AnyRequest>> (*decode)(const Slice& body, std::int16_t version);
};

std::span<const ApiRow> registry();
const ApiRow* find_row(std::int16_t key);  // nullptr if there is none

}  // namespace ktrial::fakebroker
