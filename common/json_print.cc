// SPDX-License-Identifier: Apache-2.0
#include "common/json_print.h"

#include <string>

namespace ktrial {
namespace {

void print(std::string& out, const boost::json::value& value, int depth) {
  const auto indent = [&out](int levels) { out.append(static_cast<std::size_t>(levels) * 2, ' '); };
  if (const auto* object = value.if_object(); object && !object->empty()) {
    out += "{\n";
    bool first = true;
    for (const auto& member : *object) {
      if (!first) out += ",\n";
      first = false;
      indent(depth + 1);
      out += boost::json::serialize(boost::json::string(member.key()));
      out += ": ";
      print(out, member.value(), depth + 1);
    }
    out += '\n';
    indent(depth);
    out += '}';
  } else if (const auto* array = value.if_array(); array && !array->empty()) {
    out += "[\n";
    bool first = true;
    for (const auto& element : *array) {
      if (!first) out += ",\n";
      first = false;
      indent(depth + 1);
      print(out, element, depth + 1);
    }
    out += '\n';
    indent(depth);
    out += ']';
  } else {
    out += boost::json::serialize(value);
  }
}

}  // namespace

std::string pretty_json(const boost::json::value& value) {
  std::string out;
  print(out, value, 0);
  out += '\n';
  return out;
}

}  // namespace ktrial
