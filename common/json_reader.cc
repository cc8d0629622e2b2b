// SPDX-License-Identifier: Apache-2.0
#include "common/json_reader.h"

#include "common/hint.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

namespace ktrial {

namespace json = boost::json;

namespace {

std::string escaped(std::string_view member) {
  std::string out;
  for (const char c : member) out += c == '~' ? "~0" : c == '/' ? "~1" : std::string(1, c);
  return out;
}

// A parser makes signed numbers of those that fit; a program may make either.
std::optional<std::int64_t> whole(const json::value& value) {
  if (value.is_int64()) return value.get_int64();
  if (value.is_uint64() && value.get_uint64() <= INT64_MAX)
    return static_cast<std::int64_t>(value.get_uint64());
  return std::nullopt;
}

std::optional<Millis> parse_duration(std::string_view text) {
  static constexpr std::array<std::pair<std::string_view, double>, 6> kUnits{
      {{"us", 1e-3}, {"ms", 1}, {"s", 1e3}, {"m", 60e3}, {"min", 60e3}, {"h", 3'600e3}}};
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const std::string_view unit = text.substr(static_cast<std::size_t>(end - text.data()));
  if (error != std::errc() || !(number >= 0)) return std::nullopt;
  for (const auto& [name, factor] : kUnits) {
    if (unit == name && number * factor < 1e15) return Millis(std::llround(number * factor));
  }
  return std::nullopt;
}

}  // namespace

JsonReader::JsonReader(const json::value& value, std::string what, Fault& fault,
                       std::string pointer)
    : object_(value.if_object()),
      what_(std::move(what)),
      pointer_(std::move(pointer)),
      fault_(&fault) {
  if (object_ == nullptr && !fault_->first)
    fault_->first = Error{Errc::kInvalidArgument, what_ + " is an object", pointer_};
}

void JsonReader::fault(std::string_view member, const std::string& message) {
  if (fault_->first) return;
  fault_->first = Error{Errc::kInvalidArgument, fmt::format("{}: {} {}", what_, member, message),
                        pointer_ + '/' + escaped(member)};
}

bool JsonReader::has(std::string_view member) const { return peek(member) != nullptr; }

bool JsonReader::is_object(std::string_view member) const {
  const json::value* const value = peek(member);
  return value != nullptr && value->is_object();
}

bool JsonReader::is_integer(std::string_view member) const {
  const json::value* const value = peek(member);
  return value != nullptr && whole(*value);
}

const json::value* JsonReader::peek(std::string_view member) const {
  const json::value* const value = object_ == nullptr ? nullptr : object_->if_contains(member);
  return value == nullptr || value->is_null() ? nullptr : value;
}

const json::value* JsonReader::take(std::string_view member) {
  taken_.emplace(member);
  return peek(member);
}

std::optional<std::string> JsonReader::text(std::string_view member) {
  const json::value* const value = take(member);
  if (value == nullptr) return std::nullopt;
  if (const json::string* const text = value->if_string()) return std::string(*text);
  fault(member, "is a text");
  return std::nullopt;
}

std::optional<std::int64_t> JsonReader::integer(std::string_view member, std::int64_t least,
                                                std::int64_t most) {
  const json::value* const value = take(member);
  if (value == nullptr) return std::nullopt;
  const auto number = whole(*value);
  if (number && *number >= least && *number <= most) return number;
  fault(member, fmt::format("is an integer from {} to {}", least, most));
  return std::nullopt;
}

std::optional<bool> JsonReader::boolean(std::string_view member) {
  const json::value* const value = take(member);
  if (value == nullptr) return std::nullopt;
  if (const bool* const flag = value->if_bool()) return *flag;
  fault(member, "is true or false");
  return std::nullopt;
}

std::optional<double> JsonReader::number(std::string_view member, double least, double most) {
  const json::value* const value = take(member);
  if (value == nullptr) return std::nullopt;
  const double number = value->is_double() ? value->get_double()
                        : whole(*value)    ? static_cast<double>(*whole(*value))
                                           : least - 1;
  if (number >= least && number <= most) return number;
  fault(member, fmt::format("is a number from {} to {}", least, most));
  return std::nullopt;
}

std::optional<Millis> JsonReader::duration(std::string_view member, std::string_view forever) {
  const json::value* const value = take(member);
  if (value == nullptr) return std::nullopt;
  if (const auto ms = whole(*value); ms && *ms >= 0) return Millis(*ms);
  if (const json::string* const text = value->if_string()) {
    if (!forever.empty() && *text == forever) return Millis::max();
    if (const auto parsed = parse_duration(*text)) return parsed;
  }
  fault(member, "is a time: milliseconds, or a text such as \"250ms\", \"1.5s\"" +
                    (forever.empty() ? "" : fmt::format(", or {}", forever)));
  return std::nullopt;
}

std::optional<std::string> JsonReader::word(std::string_view member,
                                            std::span<const std::string_view> words) {
  auto given = text(member);
  if (!given || std::ranges::find(words, *given) != words.end()) return given;
  fault(member, fmt::format("is one of {}, not '{}'", fmt::join(words, ", "), *given));
  return std::nullopt;
}

std::optional<std::vector<std::string>> JsonReader::texts(std::string_view member) {
  const json::value* const value = take(member);
  if (value == nullptr) return std::nullopt;
  std::vector<std::string> all;
  const json::array* const list = value->if_array();
  for (const json::value& each : list == nullptr ? json::array() : *list) {
    if (const json::string* const text = each.if_string()) all.emplace_back(*text);
  }
  if (list != nullptr && all.size() == list->size()) return all;
  fault(member, "is a list of texts");
  return std::nullopt;
}

std::optional<std::vector<std::string>> JsonReader::text_or_texts(std::string_view member) {
  const json::value* const value = peek(member);
  if (value == nullptr || !value->is_string()) return texts(member);
  return std::vector{*text(member)};
}

std::optional<std::vector<int>> JsonReader::integers(std::string_view member, int least, int most) {
  const json::value* const value = take(member);
  if (value == nullptr) return std::nullopt;
  std::vector<int> all;
  const json::array* const list = value->if_array();
  for (const json::value& each : list == nullptr ? json::array() : *list) {
    const auto number = whole(each);
    if (number && *number >= least && *number <= most) all.push_back(static_cast<int>(*number));
  }
  if (list != nullptr && all.size() == list->size()) return all;
  fault(member, fmt::format("is a list of integers from {} to {}", least, most));
  return std::nullopt;
}

std::optional<std::map<std::string, std::string>> JsonReader::text_map(std::string_view member) {
  const json::value* const value = take(member);
  if (value == nullptr) return std::nullopt;
  std::map<std::string, std::string> all;
  const json::object* const map = value->if_object();
  for (const auto& [key, each] : map == nullptr ? json::object() : *map) {
    if (const json::string* const text = each.if_string()) all[std::string(key)] = *text;
  }
  if (map != nullptr && all.size() == map->size()) return all;
  fault(member, "is an object of texts");
  return std::nullopt;
}

const json::object* JsonReader::raw_object(std::string_view member) {
  const json::value* const value = take(member);
  if (value == nullptr) return nullptr;
  if (!value->is_object()) fault(member, "is an object");
  return value->if_object();
}

std::optional<JsonReader> JsonReader::object(std::string_view member, std::string what) {
  const json::value* const value = take(member);
  if (value == nullptr) return std::nullopt;
  return JsonReader(*value, std::move(what), *fault_, pointer_ + '/' + escaped(member));
}

std::vector<JsonReader> JsonReader::objects(std::string_view member, const std::string& what) {
  std::vector<JsonReader> all;
  const json::value* const value = take(member);
  if (value == nullptr) return all;
  const json::array* const list = value->if_array();
  if (list == nullptr) return fault(member, "is a list"), all;
  for (std::size_t i = 0; i < list->size(); ++i)
    all.emplace_back((*list)[i], what, *fault_,
                     fmt::format("{}/{}/{}", pointer_, escaped(member), i));
  return all;
}

void JsonReader::finish() {
  if (object_ == nullptr) return;
  for (const auto& [key, value] : *object_) {
    const std::vector<std::string> known(taken_.begin(), taken_.end());
    if (!taken_.contains(std::string_view(key))) fault(key, "is unknown" + hint(key, known));
  }
}

}  // namespace ktrial
