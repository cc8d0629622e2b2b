// SPDX-License-Identifier: Apache-2.0
// Ids of connections that are not a broker's ordinary one.
#pragma once

#include <climits>

namespace ktrial::client {

// A group's traffic must not queue behind a long fetch, so its coordinator is a node of its own.
constexpr int coordinator_node(int broker) { return INT_MAX - broker; }
// A second connection to a leader (the mutant two-conns-per-leader).
constexpr int second_node(int broker) { return INT_MAX / 2 - broker; }

}  // namespace ktrial::client
