// SPDX-License-Identifier: Apache-2.0
// What the control API does to one partition's replicas, as the body of the request says.
#pragma once

#include "common/result.h"
#include "fakebroker/cluster.h"

#include <boost/json/value.hpp>

#include <string>

namespace ktrial::fakebroker {

// {"replicas": [1, 2]}
Result<void> set_isr(Cluster& cluster, const std::string& topic, int partition,
                     const boost::json::value& body);
// {"held": true}
Result<void> hold_high_watermark(Cluster& cluster, const std::string& topic, int partition,
                                 const boost::json::value& body);
// {"broker": 1, "online": false}
Result<void> set_replica_online(Cluster& cluster, const std::string& topic, int partition,
                                const boost::json::value& body);

}  // namespace ktrial::fakebroker
