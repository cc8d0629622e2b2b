// SPDX-License-Identifier: Apache-2.0
// From a scenario's cluster part to the fake cluster's own specification, and to the layout note
// that tells the analyser who is who.
#pragma once

#include "fakebroker/cluster_spec.h"
#include "fakebroker/rules/rule.h"
#include "harness/scenario/scenario.h"

#include <boost/json.hpp>

#include <string>

namespace ktrial::harness {

// Broker b listens at 127.slot.(b / 250).(b % 250 + 1):9092.
fakebroker::BrokerSpec broker_of(int id, int slot);
// All but the brokers' addresses. The spec's brokers are those of the part.
void apply_settings(const ClusterPart& part, fakebroker::ClusterSpec& spec);
fakebroker::ClusterSpec cluster_of(const ClusterPart& part, int slot, double client_speed = 1);
// "host:port,host:port" of the bootstrap brokers.
std::string bootstrap_of(const ClusterPart& part, const fakebroker::ClusterSpec& spec);
boost::json::object layout_note(const ClusterPart& part, const fakebroker::ClusterSpec& spec);

}  // namespace ktrial::harness
