// SPDX-License-Identifier: Apache-2.0
#include "harness/scenario/value.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>

namespace ktrial::harness {

namespace {

struct Unit {
  std::string_view name;
  std::int64_t ns;
};
// Longest names first where one ends another.
constexpr std::array<Unit, 6> kUnits{{{"min", 60'000'000'000},
                                      {"ms", 1'000'000},
                                      {"us", 1'000},
                                      {"ns", 1},
                                      {"h", 3'600'000'000'000},
                                      {"s", 1'000'000'000}}};
constexpr double kLongestNs = 4e18;

std::optional<double> parse_number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value))
    return std::nullopt;
  return value;
}

std::string print_number(double value) {
  std::array<char, 64> buffer{};
  const int size = std::snprintf(buffer.data(), buffer.size(), "%.6f", value);
  std::string out(buffer.data(), static_cast<std::size_t>(size));
  while (out.back() == '0') out.pop_back();
  if (out.back() == '.') out.pop_back();
  return out;
}

}  // namespace

std::optional<Nanos> parse_duration(std::string_view text) {
  for (const Unit& unit : kUnits) {
    if (!text.ends_with(unit.name)) continue;
    const std::string_view digits = text.substr(0, text.size() - unit.name.size());
    if (digits.empty() || !(digits.back() >= '0' && digits.back() <= '9')) return std::nullopt;
    const auto number = parse_number(digits);
    if (!number) return std::nullopt;
    const double ns = *number * static_cast<double>(unit.ns);
    if (std::abs(ns) > kLongestNs) return std::nullopt;
    return Nanos(std::llround(ns));
  }
  return std::nullopt;
}

std::string print_duration(Nanos duration) {
  const std::int64_t ns = duration.count();
  if (ns == 0) return "0s";
  if (ns % 1'000'000'000 == 0) return std::to_string(ns / 1'000'000'000) + "s";
  if (ns % 1'000'000 == 0) return std::to_string(ns / 1'000'000) + "ms";
  return print_number(static_cast<double>(ns) / 1e6) + "ms";
}

std::string print_ms(Nanos duration) {
  const double us = std::round(static_cast<double>(duration.count()) / 1e3);
  return print_number(us / 1e3);
}

Value value_of_text(std::string_view text) {
  if (text == "true") return true;
  if (text == "false") return false;
  std::int64_t integer = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), integer);
  if (error == std::errc() && end == text.data() + text.size()) return integer;
  if (!text.empty() && text.find_first_not_of("0123456789.+-eE") == std::string_view::npos)
    if (const auto number = parse_number(text)) return *number;
  if (const auto duration = parse_duration(text)) return *duration;
  return std::string(text);
}

Value value_of_json(const boost::json::value& json) {
  if (const auto* object = json.if_object()) {
    if (const auto* inner = object->if_contains("value")) return value_of_json(*inner);
    return boost::json::serialize(json);
  }
  if (json.is_bool()) return json.get_bool();
  if (json.is_int64()) return json.get_int64();
  if (json.is_uint64()) return static_cast<double>(json.get_uint64());
  if (json.is_double()) return json.get_double();
  if (json.is_string()) return value_of_text(std::string_view(json.get_string()));
  return boost::json::serialize(json);
}

boost::json::value to_json(const Value& value) {
  if (const auto* truth = std::get_if<bool>(&value)) return *truth;
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return *integer;
  if (const auto* number = std::get_if<double>(&value)) return *number;
  if (const auto* duration = std::get_if<Nanos>(&value)) {
    const std::int64_t ns = duration->count();
    if (ns % 1'000'000 == 0) return ns / 1'000'000;
    return static_cast<double>(ns) / 1e6;
  }
  if (const auto* text = std::get_if<std::string>(&value)) return boost::json::string(*text);
  return nullptr;
}

std::string to_text(const Value& value) {
  if (const auto* truth = std::get_if<bool>(&value)) return *truth ? "true" : "false";
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return std::to_string(*integer);
  if (const auto* number = std::get_if<double>(&value)) return print_number(*number);
  if (const auto* duration = std::get_if<Nanos>(&value)) return print_duration(*duration);
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  if (const auto* missing = std::get_if<Missing>(&value)) return "(no " + missing->name + ")";
  return "(not known yet)";
}

std::string_view kind_of(const Value& value) {
  constexpr std::array<std::string_view, 7> kNames{
      "true or false", "an integer", "a number", "a duration", "text", "not known yet", "missing"};
  return kNames[value.index()];
}

bool is_known(const Value& value) {
  return !std::holds_alternative<Unknown>(value) && !std::holds_alternative<Missing>(value);
}

}  // namespace ktrial::harness
