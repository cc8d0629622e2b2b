// SPDX-License-Identifier: Apache-2.0
// What a conversation carries from answer to request, for one of the two brokers.
//
// In a body: "name@" becomes a name of this run alone ("name-17"); "$v" the value saved as v;
// "$v+1" and "$v-1" a number more or less.
#pragma once

#include "common/result.h"

#include <boost/json.hpp>

#include <map>
#include <string>
#include <string_view>

namespace ktrial::fakebroker::differential {

class Variables {
 public:
  explicit Variables(int run) : run_(run) {}

  void set(const std::string& name, std::string value) { values_[name] = std::move(value); }
  [[nodiscard]] Result<boost::json::value> put_into(const boost::json::value& body) const;
  [[nodiscard]] std::string own(std::string_view name) const;

 private:
  [[nodiscard]] Result<std::string> text(std::string_view written) const;

  int run_;
  std::map<std::string, std::string> values_;
};

// The value at "responses.0.name" as a string; nothing if there is none.
std::optional<std::string> value_at(const boost::json::value& answer, std::string_view path);

}  // namespace ktrial::fakebroker::differential
