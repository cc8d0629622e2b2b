// SPDX-License-Identifier: Apache-2.0
// A conversation: requests in order, written in YAML (README.md in conversations/), said once for
// every version of the API that it is about.
#pragma once

#include "common/result.h"

#include <boost/json.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ktrial::fakebroker::differential {

struct VersionSpan {
  std::int16_t min = 0;
  std::int16_t max = INT16_MAX;
  [[nodiscard]] bool has(std::int16_t version) const { return version >= min && version <= max; }
};

struct Step {
  std::int16_t key = -1;  // -1: only waits
  boost::json::value body = boost::json::object{};
  std::optional<std::vector<std::uint8_t>> raw = {};  // instead of the body
  std::vector<std::uint8_t> trailing = {};            // behind the body
  std::optional<std::int16_t> version = {};           // fixed
  VersionSpan only = {};                              // versions of the varied API with this step
  std::string connection = "a@1";                     // its name, and the broker that it is to
  std::map<std::string, std::string> save = {};       // variable -> path in the answer
  bool answered = true;                               // false: the request has no answer (acks=0)
  bool later = false;       // the answer is awaited by a later step with `await`
  bool retry = false;       // again while a coordinator is loading or a transaction completes
  bool eventually = false;  // a read: again for a while until the answers are equal
  std::optional<std::string> await = {};  // the connection whose answer is awaited
  int pause_ms = 0;
};

struct Conversation {
  std::string name = {};
  std::vector<std::int16_t> varied = {};  // API keys
  VersionSpan versions = {};
  int nodes = 1;  // brokers of the clusters that it is for
  boost::json::object topics =
      {};  // name -> partitions, {partitions, configs} or {replicas, configs}
  std::vector<Step> steps = {};
};

Result<Conversation> parse_conversation(const boost::json::value& from, const std::string& name);
// All of *.yaml in a folder, by name.
Result<std::vector<Conversation>> load_conversations(const std::string& folder);

}  // namespace ktrial::fakebroker::differential
