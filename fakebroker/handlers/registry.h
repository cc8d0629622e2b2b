// SPDX-License-Identifier: Apache-2.0
// Registry: one row per API: its versions and its handler. ApiVersions answers from it, so that
// what is offered is what is there.
#pragma once

#include "fakebroker/handlers/any_request.h"

#include <cstdint>
#include <memory>
#include <span>

namespace ktrial::fakebroker {

// What the cluster must have for an API to be there.
enum class ApiCondition : std::uint8_t { kNone, kConsumerGroups, kShareGroups, kTelemetry };

struct ApiRow {
  std::int16_t key;
  std::int16_t advertised_min;
  std::int16_t min, max;
  ApiCondition condition;
  Result<std::unique_ptr<AnyRequest>> (*decode)(const Slice& body, std::int16_t version);
};

std::span<const ApiRow> registry();
[[nodiscard]] bool is_offered(const ApiRow& row, const ClusterSpec& spec);
const ApiRow* find_row(std::int16_t key);  // nullptr if there is none

}  // namespace ktrial::fakebroker
