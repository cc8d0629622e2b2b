// SPDX-License-Identifier: Apache-2.0
// Rule: when a request matches, do this instead of (or before) answering as Kafka would. Each rule
// counts its hits, so that a scenario can tell a fault that fired from one that did not.
#pragma once

#include "common/clock.h"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace ktrial::fakebroker {

struct RuleMatch {
  std::optional<std::string> api = {};  // name, e.g. "Metadata"
  std::optional<int> broker = {};
  std::optional<std::string> client_id = {};
  std::optional<std::string> topic = {};    // a topic named in the request
  std::uint32_t skip = 0;                   // let this many matches pass first
  std::optional<std::uint32_t> times = {};  // then act this many times; absent: always
};

// Changes to an answer, by the field's name in Kafka's message definitions, wherever it occurs.
struct Rewrite {
  std::map<std::string, std::int64_t> set = {};  // integers; cut to the field's width
  std::set<std::string> clear = {};              // lists, left empty
};

struct RuleAction {
  enum class Kind : std::uint8_t {
    kError,     // answer with error_code (every error field that the API has for it)
    kDelay,     // answer as usual after `delay`
    kDrop,      // apply, never answer
    kCloseFin,  // close instead of answering
    kCloseRst,
    kThrottle,  // throttle_time_ms = delay, and mute the connection that long (KIP-219)
    kRewrite,   // answer as usual, with fields of the answer changed
  };
  Kind kind = Kind::kError;
  std::int16_t error_code = 0;
  Millis delay{0};
  Rewrite rewrite = {};
  bool apply = false;  // kError/kClose*: apply the request first (reply lost)
};

struct RuleHit {
  TimePoint at = {};
  int broker = 0;
  std::uint64_t connection = 0;
};

struct Rule {
  std::string id = {};
  RuleMatch match = {};
  RuleAction action = {};
  bool optional = false;  // a case may pass although this never fired
};

struct RuleStatus {
  Rule rule = {};
  std::uint64_t seen = 0;  // requests that matched, skipped ones included
  std::vector<RuleHit> hits = {};
};

}  // namespace ktrial::fakebroker
