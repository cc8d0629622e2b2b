// SPDX-License-Identifier: Apache-2.0
#include "harness/check/matcher.h"

#include "harness/scenario/reader.h"

#include <algorithm>
#include <charconv>
#include <regex>

namespace ktrial::harness {

namespace {

namespace json = boost::json;

const std::vector<std::string> kOperations{"eq",     "ne",      "in",      "min",
                                           "max",    "range",   "re",      "contains",
                                           "size",   "absent",  "present", "contains_or_all",
                                           "equals", "distinct"};
constexpr std::size_t kLongestForPattern = 2000;  // std::regex recurses over its input

std::optional<double> number(const json::value& value) {
  if (value.is_int64()) return static_cast<double>(value.get_int64());
  if (value.is_uint64()) return static_cast<double>(value.get_uint64());
  if (value.is_double()) return value.get_double();
  return std::nullopt;
}

std::string plain(const json::value& value) {
  if (value.is_string()) return std::string(value.get_string());
  return json::serialize(value);
}

bool equal(const json::value& a, const json::value& b) {
  const auto x = number(a), y = number(b);
  if (x && y) return *x == *y;
  if (a.is_string() != b.is_string()) return plain(a) == plain(b);
  return a == b;
}

// A list of objects contains a name if one of them has it.
bool is_or_has(const json::value& element, const json::value& wanted) {
  if (equal(element, wanted)) return true;
  const auto* object = element.if_object();
  if (object == nullptr) return false;
  for (const std::string_view key : {"name", "topic", "topicId", "id"})
    if (const auto* member = object->if_contains(key); member != nullptr && equal(*member, wanted))
      return true;
  return false;
}

bool contains(const json::value& value, const json::value& wanted) {
  if (const auto* list = value.if_array())
    return std::any_of(list->begin(), list->end(),
                       [&](const json::value& each) { return is_or_has(each, wanted); });
  if (value.is_string())
    return std::string_view(value.get_string()).find(plain(wanted)) != std::string_view::npos;
  if (const auto* object = value.if_object()) return object->contains(plain(wanted));
  return false;
}

std::size_t size_of(const json::value& value) {
  if (const auto* list = value.if_array()) return list->size();
  if (const auto* object = value.if_object()) return object->size();
  if (value.is_string()) return value.get_string().size();
  return 0;
}

bool compare(const Test& test, const json::value& value) {
  if (test.operation == "eq") return equal(value, test.operand);
  if (test.operation == "ne") return !equal(value, test.operand);
  if (test.operation == "in") {
    const auto& list = test.operand.as_array();
    return std::any_of(list.begin(), list.end(),
                       [&](const json::value& each) { return equal(each, value); });
  }
  if (test.operation == "re") {
    const std::string text = plain(value);
    if (text.size() > kLongestForPattern) return false;
    return std::regex_search(text, std::regex(std::string(test.operand.as_string())));
  }
  const auto a = number(value), b = number(test.operand);
  if (!a || !b) return false;
  return test.operation == "min" ? *a >= *b : *a <= *b;
}

bool holds(const Test& test, const FieldValue& field) {
  if (test.operation == "absent")
    return (!field.found || field.value.is_null()) == test.operand.as_bool();
  if (test.operation == "contains_or_all")
    return !field.found || field.value.is_null() || contains(field.value, test.operand);
  if (!field.found) return false;
  if (test.operation == "contains") return contains(field.value, test.operand);
  if (test.operation.starts_with("size")) {
    if (field.value.is_null()) return false;
    const auto size = static_cast<double>(size_of(field.value));
    const double wanted = number(test.operand).value_or(0);
    if (test.operation == "size_min") return size >= wanted;
    return test.operation == "size_max" ? size <= wanted : size == wanted;
  }
  if (!field.spread) return compare(test, field.value);
  const auto& list = field.value.as_array();
  return !list.empty() && std::all_of(list.begin(), list.end(),
                                      [&](const json::value& each) { return compare(test, each); });
}

void walk(const json::value& at, std::string_view path, bool& spread, json::array& out);

void walk(const json::object& object, std::string_view path, bool& spread, json::array& out) {
  // The longest member name first: names may have dots.
  for (std::size_t end = path.size(); end > 0; end = path.rfind('.', end - 1)) {
    if (end == std::string_view::npos) return;
    const auto* member = object.if_contains(path.substr(0, end));
    if (member == nullptr) continue;
    walk(*member, path.substr(std::min(path.size(), end + 1)), spread, out);
    return;
  }
}

void walk(const json::value& at, std::string_view path, bool& spread, json::array& out) {
  if (path.empty()) {
    out.push_back(at);
    return;
  }
  if (const auto* list = at.if_array()) {
    const std::string_view head = path.substr(0, path.find('.'));
    std::size_t index = 0;
    const auto [end, error] = std::from_chars(head.data(), head.data() + head.size(), index);
    if (error == std::errc() && end == head.data() + head.size()) {
      if (index < list->size())
        walk((*list)[index], path.substr(std::min(path.size(), head.size() + 1)), spread, out);
      return;
    }
    spread = true;
    for (const json::value& each : *list) walk(each, path, spread, out);
    return;
  }
  if (const auto* object = at.if_object()) walk(*object, path, spread, out);
}

std::string word_for(const std::string& operation) {
  if (operation == "eq") return "=";
  if (operation == "ne") return "!=";
  if (operation == "min") return ">=";
  if (operation == "max") return "<=";
  if (operation == "re") return "matches";
  if (operation == "size_eq") return "size =";
  if (operation == "size_min") return "size >=";
  if (operation == "size_max") return "size <=";
  if (operation == "contains_or_all") return "is all or contains";
  return operation;
}

}  // namespace

FieldValue look_up(const json::object& root, std::string_view path) {
  FieldValue out;
  json::array met;
  walk(root, path, out.spread, met);
  if (out.spread) {
    out.found = true;
    out.value = std::move(met);
  } else if (!met.empty()) {
    out.found = true;
    out.value = std::move(met.front());
  }
  return out;
}

Matcher Matcher::read(Reader& reader, const Node& node) {
  Matcher out;
  if (!node.is_map()) {
    if (node.is_list())
      out.tests_.push_back({"in", reader.json(node)});
    else
      out.tests_.push_back({"eq", reader.json(node)});
    return out;
  }
  const auto add = [&](std::string operation, json::value operand) {
    out.tests_.push_back({std::move(operation), std::move(operand)});
  };
  for (const NodeEntry& entry : node.entries) {
    const std::string& key = entry.key;
    const Node& operand = entry.value;
    if (key == "present" || key == "absent") {
      const bool truth = reader.boolean(operand).value_or(true);
      add("absent", (key == "absent") == truth);
    } else if (key == "in") {
      if (!operand.is_list()) reader.error(operand.at, "in wants a list");
      add("in", operand.is_list() ? reader.json(operand) : json::value(json::array{}));
    } else if (key == "range") {
      if (!operand.is_list() || operand.items.size() != 2) {
        reader.error(operand.at, "range wants [least, most]");
        continue;
      }
      add("min", reader.json(operand.items[0]));
      add("max", reader.json(operand.items[1]));
    } else if (key == "size") {
      if (!operand.is_map()) add("size_eq", reader.json(operand));
      for (const NodeEntry& bound : operand.entries) {
        if (bound.key != "min" && bound.key != "max")
          reader.error(bound.at, "size has no '" + bound.key + "'; known: min, max");
        add("size_" + bound.key, reader.json(bound.value));
      }
    } else if (key == "re") {
      const std::string pattern = reader.text(operand).value_or("");
      try {
        static_cast<void>(std::regex(pattern));
        add("re", json::string(pattern));
      } catch (const std::regex_error&) {
        reader.error(operand.at, "'" + pattern + "' is no regular expression");
      }
    } else if (key == "distinct") {
      out.distinct_ = reader.boolean(operand).value_or(true);
    } else if (key == "equals") {
      const std::string function = reader.text(operand).value_or("");
      if (function.starts_with("leader(") && function.ends_with(")"))
        out.function_ = function;
      else if (function == "coordinator")
        out.function_ = function;
      else
        add("eq", reader.json(operand));
    } else if (std::find(kOperations.begin(), kOperations.end(), key) != kOperations.end()) {
      add(key, reader.json(operand));
    } else {
      reader.error(entry.at, "unknown test '" + key + "'" + hint(key, kOperations));
    }
  }
  return out;
}

bool Matcher::matches(const FieldValue& field) const {
  return std::all_of(tests_.begin(), tests_.end(),
                     [&](const Test& test) { return holds(test, field); });
}

std::string Matcher::text() const {
  std::string out;
  const auto add = [&](const std::string& part) {
    if (!out.empty()) out += " and ";
    out += part;
  };
  for (const Test& test : tests_) {
    if (test.operation == "absent")
      add(test.operand.as_bool() ? "is absent" : "is present");
    else
      add(word_for(test.operation) + " " + plain(test.operand));
  }
  if (distinct_) add("are distinct");
  if (!function_.empty()) add("= " + function_);
  return out;
}

std::string shown(const json::value& value, std::size_t longest) {
  std::string out = plain(value);
  if (out.size() > longest) {
    out.resize(longest);
    out += "...";
  }
  return out;
}

}  // namespace ktrial::harness
