// SPDX-License-Identifier: Apache-2.0
// Reader: typed values out of nodes, with ${...} evaluated in a scope and faults put into the
// diagnostics. MapReader: the members of a map; a key that nobody asked for is a fault.
#pragma once

#include "harness/scenario/diagnostics.h"
#include "harness/scenario/scope.h"
#include "harness/scenario/yaml_node.h"

#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ktrial::harness {

struct Selector;  // harness/check/selector.h

class Reader {
 public:
  Reader(Diagnostics& diagnostics, Scope scope)
      : diagnostics_(&diagnostics), scope_(std::move(scope)) {}

  Scope& scope() { return scope_; }
  void error(const Position& at, std::string message) {
    diagnostics_->error(at, std::move(message));
  }

  // nullopt: a fault was recorded, or the value is not known yet or missing in the profile.
  std::optional<Value> value(const Node& node);
  std::optional<std::int64_t> integer(const Node& node,
                                      std::int64_t least = std::numeric_limits<std::int64_t>::min(),
                                      std::int64_t most = std::numeric_limits<std::int64_t>::max());
  std::optional<double> number(const Node& node);
  // "3s"; a bare number counts as milliseconds, as in Kafka's own settings. A time of the client's
  // clock; if that is accelerated, what it is on the wire.
  std::optional<Nanos> duration(const Node& node);
  // A time of the harness's own, a deadline: real, whatever the client's clock does.
  std::optional<Nanos> real_duration(const Node& node);
  std::optional<bool> boolean(const Node& node);
  std::optional<std::string> text(const Node& node);
  // One of `known`; a nearest-name suggestion if it is not.
  std::optional<std::string> word(const Node& node, const std::vector<std::string>& known,
                                  std::string_view what);
  // One value, or a list of them.
  std::vector<std::string> texts(const Node& node);
  std::vector<int> integers(const Node& node, std::int64_t least, std::int64_t most);
  // Any node as JSON, expressions evaluated.
  boost::json::value json(const Node& node);

  // The profile value that an evaluation since the last call lacked.
  std::optional<std::string> take_missing();

  double acceleration = 1;  // of the client's clock

  // Names for the static checks; the loader fills them before the checks are read.
  std::vector<std::string> marks;
  std::map<std::string, std::shared_ptr<const Selector>> lets;
  int brokers = 0;      // ids 1..brokers exist
  std::string each;     // what the `each` around is over: "connections", "events", "brokers"
  bool nested = false;  // inside another check: its map has nothing but the check

 private:
  std::optional<Value> fail_type(const Node& node, std::string_view wanted);

  Diagnostics* diagnostics_;
  Scope scope_;
  std::optional<std::string> missing_;
};

class MapReader {
 public:
  // `what` names the map in messages: "check 'closed'", "a selector".
  MapReader(Reader& reader, const Node& node, std::string what);

  // nullptr: absent (a key with nothing behind it is absent, too).
  const Node* take(std::string_view key);
  // A missing one is a fault.
  const Node* require(std::string_view key);
  // Says that the key exists without reading it.
  void known(std::string_view key) { asked_.emplace_back(key); }
  // Every key not asked for is a fault.
  void finish();
  [[nodiscard]] bool is_map() const { return node_.is_map(); }
  [[nodiscard]] const Node& node() const { return node_; }
  Reader& reader() { return reader_; }

 private:
  Reader& reader_;
  const Node& node_;
  std::string what_;
  std::vector<std::string> asked_;
};

}  // namespace ktrial::harness
