// SPDX-License-Identifier: Apache-2.0
// Rule: when a request (or a connection) matches, do this to it or to its answer. Each rule counts
// its hits, so that a scenario can tell a fault that fired from one that did not.
// The grammar in which people write them: docs/rules.md; its reader: rule_json.h.
#pragma once

#include "common/clock.h"

#include <boost/json.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

namespace ktrial::fakebroker {

struct RuleMatch {
  enum class On : std::uint8_t { kRequest, kAccept };  // kAccept: a connection that was just made
  On on = On::kRequest;
  std::vector<std::string> apis = {};  // any of these names, e.g. "Metadata"; empty: every API
  std::optional<std::int16_t> min_version = {};
  std::optional<std::int16_t> max_version = {};
  std::optional<int> broker = {};
  std::optional<std::uint64_t> connection = {};  // its number in the cluster, from 1
  std::optional<std::string> client_id = {};
  std::optional<std::string> topic = {};  // a topic that the request names
  std::optional<std::int32_t> partition = {};
  std::optional<std::string> group = {};
  std::optional<std::string> transactional_id = {};

  std::uint32_t skip = 0;                   // let this many matches pass first
  std::uint32_t every = 1;                  // then of so many the first
  std::optional<std::uint32_t> times = {};  // act this many times; absent: always
  double probability = 1;                   // drawn from the cluster's seed and the rule's id
  Millis after{0};                          // counted from when the rule was added
  std::optional<Millis> during = {};        // from `after` on
  std::optional<std::string> from_mark = {};
  std::optional<std::string> to_mark = {};
};

// A value for a member of an answer; monostate: null.
using FieldValue = std::variant<std::monostate, bool, std::int64_t, std::string>;

// Changes to an answer, by the field's name in Kafka's message definitions, wherever it occurs.
// What does not fit a member's type leaves it as it is; an integer is cut to the member's width.
struct Rewrite {
  std::map<std::string, FieldValue, std::less<>> set = {};
  std::set<std::string, std::less<>> clear = {};  // lists, left empty
  boost::json::object fields = {};                // members by their place: reply_fields.h
  std::map<int, std::string> tags = {};           // unknown tagged fields at the top: tag, bytes
  [[nodiscard]] bool empty() const {
    return set.empty() && clear.empty() && fields.empty() && tags.empty();
  }
};

// Changes to an encoded answer. Offsets are into the frame after its size field; negative ones
// count from its end.
struct Mangling {
  std::optional<std::int32_t> size = {};               // claimed, whatever follows
  std::optional<std::int32_t> correlation_shift = {};  // added to the correlation id
  std::optional<std::uint32_t> truncate = {};          // keep so many bytes; the size field agrees
  std::optional<std::uint32_t> garbage = {};           // so many random bytes instead of the body
  std::string append = {};                             // the size field agrees
  std::map<std::int32_t, std::string> patch = {};      // bytes at an offset
  std::vector<std::int32_t> flip = {};                 // offsets of bytes whose bits are inverted
  bool twice = false;                                  // the frame is sent a second time
  [[nodiscard]] bool empty() const;
};

// How an answer's bytes leave. All zero: at once.
struct Pacing {
  std::optional<std::uint32_t> first = {};  // only so many bytes, the size field included
  std::uint32_t piece = 0;                  // bytes at a time; 0: all
  Millis every{0};                          // between pieces
  [[nodiscard]] bool empty() const { return !first && piece == 0; }
};

// A part of a request and of its answer: all that is given holds for it.
struct RulePart {
  std::optional<std::string> topic = {};
  std::optional<std::int32_t> partition = {};
  std::optional<std::string> group = {};
  std::optional<std::string> transactional_id = {};
  std::optional<std::string> resource = {};  // by its name: of DescribeConfigs and its kin
  [[nodiscard]] bool empty() const {
    return !topic && !partition && !group && !transactional_id && !resource;
  }
};

struct PartError {
  RulePart part = {};
  std::int16_t error = 0;
};

// What happens to the cluster before the request is looked at.
struct ClusterMove {
  enum class Kind : std::uint8_t {
    kLeader,       // of `topic`, `partition` becomes `broker`
    kCoordinator,  // every group's and transactional id's becomes `broker`
    kController,
    kStop,  // the listener closes, every connection is reset
    kStart,
    kRefuse,   // the listener closes, connections stay
    kDropSyn,  // connection attempts are not answered
    // Of `topic`, `partition`:
    kInSync,            // `brokers` are in sync, and no others
    kHoldWatermark,     // the high watermark stays where it is
    kReleaseWatermark,  // it goes on
    kFailReplica,       // the disk of `broker` that it is on fails
    kMendReplica,
  };
  Kind kind = Kind::kStop;
  int broker = 0;
  std::string topic = {};
  std::int32_t partition = 0;
  std::vector<int> brokers = {};
};

// The cluster as a broker believes it to be when it answers Metadata.
struct MetadataView {
  bool frozen = false;  // as it was when the rule was added
  Millis lag{0};        // as it was so long ago
};

enum class RuleClose : std::uint8_t {
  kFin,
  kRst,
  kHalf,    // our direction only; what the client sends is still taken, and not answered
  kVanish,  // no FIN, no RST, and nothing that arrives is acknowledged
};

constexpr Millis kForever = Millis::max();

// Everything that is set happens, in this order: the moves; `delay` if `before`; the request (if
// `apply`) or an error instead; `delay`; changes to the answer and its bytes; the answer, unless it
// is dropped or the connection closes without; `close`; `stall`.
struct RuleAction {
  std::string lua = {};  // a program that says what to do; nothing else is set then
  std::vector<ClusterMove> moves = {};
  std::optional<MetadataView> view = {};
  Millis delay{0};
  bool before = false;  // wait before the request is looked at; else before its answer
  bool apply = true;    // do what was asked for
  std::optional<std::int16_t> error = {};  // of the parts that the match names; else of everything
  bool everywhere = false;                 // ... in every error field all the same
  std::vector<PartError> errors = {};      // of parts, the others answered as ever
  std::optional<Millis> throttle = {};     // throttle_time_ms, and mute so long (KIP-219)
  Rewrite rewrite = {};
  Mangling bytes = {};
  Pacing send = {};
  bool drop = false;  // no answer, nor to what follows on the connection
  std::optional<RuleClose> close = {};
  bool answer = true;                // of `close`: after the answer, else instead of it
  std::optional<Millis> stall = {};  // stop reading so long
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
  std::uint64_t seen = 0;  // what matched, skipped ones included
  std::uint64_t hits = 0;  // of these, what it acted on
  std::string error = {};  // the first thing that went wrong in carrying it out; empty: nothing
  std::vector<RuleHit> first_hits = {};  // the first kKeptHits of them
};

constexpr std::size_t kKeptHits = 1000;

}  // namespace ktrial::fakebroker
