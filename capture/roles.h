// SPDX-License-Identifier: Apache-2.0
// What a connection is for, judged by when it was dialled and what it carried (event_log.h). Each
// client id has its own past: a second client's first dial is a bootstrap dial too.
#pragma once

#include "capture/event_log.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace ktrial::capture {

class Roles {
 public:
  // The SYN of `connection`, whose server address may or may not be a bootstrap address.
  void attempt(Connection& connection, bool at_bootstrap_address);
  // `api` is empty if unknown.
  void request(Connection& connection, std::string_view api, std::string_view client_id);
  void metadata_answered(std::string_view client_id, std::int64_t at_ns);
  // A client with this id is created (again): it starts from its bootstrap list.
  void client_created(std::string_view client_id);

 private:
  std::unordered_set<int> undecided_;  // bootstrap or not: its client is not known yet
  std::unordered_map<std::string, std::int64_t> answered_ns_;  // first Metadata answer
};

}  // namespace ktrial::capture
