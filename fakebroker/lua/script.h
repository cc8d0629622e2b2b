// SPDX-License-Identifier: Apache-2.0
// Script: a Lua 5.4 program that decides what happens to a request:
//
//   function on_request(ctx)
//     if ctx.request.acks == 0 then return {close = "rst"} end
//   end
//
// It runs in a state of its own, keeps its globals between calls, and can reach nothing outside: no
// file, no process, no module, no pattern matching (which cannot be bounded); a call that takes too
// many steps, or a state that grows too large, ends in an error.
#pragma once

#include "common/result.h"

#include <boost/json.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace ktrial::fakebroker {

class Script {
 public:
  static constexpr int kMostSteps = 1'000'000;           // of Lua's virtual machine, per call
  static constexpr std::size_t kMostBytes = 16U << 20U;  // that the state may hold

  // `name`: how errors call it, "name:3: ...". `seed`: of math.random. kInvalidArgument for what
  // does not compile, fails while it is loaded, or has no on_request.
  static Result<std::unique_ptr<Script>> load(const std::string& source, const std::string& name,
                                              std::uint64_t seed);
  virtual ~Script() = default;

  // What on_request returned for this; nullopt for nil. kInvalidArgument for an error in it.
  virtual Result<std::optional<boost::json::value>> on_request(const boost::json::object& ctx) = 0;
};

}  // namespace ktrial::fakebroker
