// SPDX-License-Identifier: Apache-2.0
// What a client did, as the order of its requests on each connection, and where two such records
// differ (docs/fidelity.md, "Traces").
#pragma once

#include "capture/event_log.h"
#include "common/result.h"

#include <boost/json.hpp>

#include <map>
#include <set>
#include <string>
#include <vector>

namespace ktrial::harness::traces {

struct Step {
  std::string api;  // "Metadata"; a member's last heartbeat is "ConsumerGroupHeartbeat/leave"
  int version = 0;
  std::string error;  // name of the first error in the answer; empty if there is none
  bool operator==(const Step&) const = default;
};

struct ConnectionTrace {
  std::string client;  // the id that its requests name; empty on a connection without requests
  std::vector<Step> steps;
};

// Of the connections whose start was captured, in the order in which they were opened.
std::vector<ConnectionTrace> traces_of(const capture::EventLog& log);

// rules.yaml tells what they mean.
struct Rules {
  std::set<std::string> brokers, clocked, racing, repeated;
  std::map<std::string, std::set<std::string>> roving;  // by program
  struct Allowed {
    std::string program, real, fake, why;
  };
  std::vector<Allowed> allowed;
};

Result<Rules> parse_rules(const boost::json::value& from);

// "ApiVersions v5, Produce v13": what is left of it by the rules, equal neighbours said once.
std::string collapsed(const ConnectionTrace& trace, const std::string& program, const Rules& rules);
std::string whole(const ConnectionTrace& trace);

struct Difference {
  std::string client;      // its id
  std::string real, fake;  // collapsed; "(none)" where that side has no such connection
  std::string why = {};    // of the rule that allows it; empty: nothing does
};

struct Compared {
  std::size_t connections = 0;  // of both, those that differ counted once
  std::size_t requests = 0;     // in the collapsed traces of the real side
  std::vector<Difference> differences;
};

// Equal connections are paired first, whatever their order: clients open them in races.
Compared compare(const std::string& program, const std::vector<ConnectionTrace>& real,
                 const std::vector<ConnectionTrace>& fake, const Rules& rules);

}  // namespace ktrial::harness::traces
