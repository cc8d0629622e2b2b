// SPDX-License-Identifier: Apache-2.0
// Authorized operations, as bit fields of AclOperation codes (KIP-430): a broker without an
// authorizer allows everything that the resource knows.
#pragma once

#include <cstdint>

namespace ktrial::fakebroker {

// READ 3, WRITE 4, CREATE 5, DELETE 6, ALTER 7, DESCRIBE 8, DESCRIBE_CONFIGS 10, ALTER_CONFIGS 11
inline constexpr std::int32_t kTopicOperations = 0b1101'1111'1000;
// CREATE 5, ALTER 7, DESCRIBE 8, CLUSTER_ACTION 9, DESCRIBE_CONFIGS 10, ALTER_CONFIGS 11,
// IDEMPOTENT_WRITE 12
inline constexpr std::int32_t kClusterOperations = 0b1'1111'1010'0000;

}  // namespace ktrial::fakebroker
