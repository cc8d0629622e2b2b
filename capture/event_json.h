// SPDX-License-Identifier: Apache-2.0
// Events, connections and capture statistics as the lines of case.jsonl, and back. Times are
// seconds from the capture's first packet, to the nanosecond.
#pragma once

#include "capture/event_log.h"
#include "common/result.h"

#include <boost/json.hpp>

#include <cstdint>

namespace ktrial::capture {

// {"kind":"event","t","packet","type","conn","broker","data"}
boost::json::object to_json(const Event& event, std::int64_t first_ns);
Result<Event> event_from_json(const boost::json::object& line, std::int64_t first_ns);

// {"kind":"connection","id","client","server","broker","roles","apis", times..., counters...}
boost::json::object to_json(const Connection& connection, std::int64_t first_ns);
Result<Connection> connection_from_json(const boost::json::object& line, std::int64_t first_ns);

// {"kind":"capture","packets","dropped","first_ns","last_ns","problems"}
boost::json::object to_json(const CaptureStats& stats);
Result<CaptureStats> stats_from_json(const boost::json::object& line);

}  // namespace ktrial::capture
