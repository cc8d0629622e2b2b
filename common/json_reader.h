// SPDX-License-Identifier: Apache-2.0
// JsonReader: takes the members of a JSON object that a user wrote, and says what is wrong with it:
// the first fault, with a JSON pointer to it (RFC 6901). A member that is null is not there.
#pragma once

#include "common/clock.h"
#include "common/result.h"

#include <boost/json.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ktrial {

class JsonReader {
 public:
  // Shared by the readers of one document.
  struct Fault {
    std::optional<Error> first = {};
  };

  // `what`: how a message calls the object, e.g. "a rule".
  JsonReader(const boost::json::value& value, std::string what, Fault& fault,
             std::string pointer = "");

  // Nothing if it is not there, or not as it should be: then there is a fault.
  std::optional<std::string> text(std::string_view member);
  std::optional<std::int64_t> integer(std::string_view member, std::int64_t least,
                                      std::int64_t most);
  std::optional<bool> boolean(std::string_view member);
  std::optional<double> number(std::string_view member, double least, double most);
  // Milliseconds, or a text with a unit: "250ms", "1.5s", "2m". `forever`: a word that stands for
  // Millis::max().
  std::optional<Millis> duration(std::string_view member, std::string_view forever = {});
  // One of `words`.
  std::optional<std::string> word(std::string_view member, std::span<const std::string_view> words);
  std::optional<std::vector<std::string>> texts(std::string_view member);
  // One, or a list.
  std::optional<std::vector<std::string>> text_or_texts(std::string_view member);
  std::optional<std::vector<int>> integers(std::string_view member, int least, int most);
  std::optional<std::map<std::string, std::string>> text_map(std::string_view member);
  // A member that is an object of its own.
  std::optional<JsonReader> object(std::string_view member, std::string what);
  // A member that is a list of these. Empty if it is absent.
  std::vector<JsonReader> objects(std::string_view member, const std::string& what);
  // A member that is a map of whatever the caller makes of it; nullptr if it is absent.
  const boost::json::object* raw_object(std::string_view member);
  [[nodiscard]] bool has(std::string_view member) const;
  [[nodiscard]] bool is_object(std::string_view member) const;
  [[nodiscard]] bool is_integer(std::string_view member) const;

  template <class T>
  std::optional<T> required(std::string_view member, std::optional<T> value) {
    if (!value && !has(member)) fault(member, "is needed");
    return value;
  }
  // Members that nobody took are unknown.
  void finish();
  void fault(std::string_view member, const std::string& message);
  [[nodiscard]] bool failed() const { return fault_->first.has_value(); }

 private:
  // nullptr if it is absent.
  const boost::json::value* take(std::string_view member);
  [[nodiscard]] const boost::json::value* peek(std::string_view member) const;

  const boost::json::object* object_ = nullptr;
  std::string what_;
  std::string pointer_;
  Fault* fault_;
  std::set<std::string, std::less<>> taken_;
};

}  // namespace ktrial
