// SPDX-License-Identifier: Apache-2.0
// The fake cluster that stands beside ci/kafka/broker, and what both of them serve.
#pragma once

#include "fakebroker/cluster_spec.h"
#include "fakebroker/differential/engine.h"

#include <vector>

namespace ktrial::fakebroker::differential {

// Laid over the real broker's configuration: what the fake holds to be set at its start, so that
// both say where a value comes from.
extern const char* const kAsTheFake;

// Configured as ci/kafka/broker does.
ClusterSpec twin(int brokers = 1);
std::vector<ServedApi> served_by_both();

}  // namespace ktrial::fakebroker::differential
