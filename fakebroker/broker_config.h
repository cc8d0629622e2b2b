// SPDX-License-Identifier: Apache-2.0
// What a broker's server.properties would say, in its words.
#pragma once

#include "common/result.h"
#include "fakebroker/cluster_spec.h"

#include <string>

namespace ktrial::fakebroker {

// Every broker of the cluster is started with it. kInvalidArgument for a key that no broker knows,
// for a value that it does not take, and for what the cluster itself decides (addresses, ids).
// Of what nothing here acts on, the value is told to whoever asks (DescribeConfigs).
Result<void> set_broker_config(ClusterSpec& spec, const std::string& key, const std::string& value);

}  // namespace ktrial::fakebroker
