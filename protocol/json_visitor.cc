// SPDX-License-Identifier: Apache-2.0
#include "protocol/json_visitor.h"

#include "protocol/utf8.h"

namespace ktrial::protocol {

void JsonVisitor::add(std::string_view name, boost::json::value value) { into_.emplace(name, std::move(value)); }

bool JsonVisitor::cut(boost::json::array& array, std::size_t size) {
  if (left_ != 0) return false;
  array.push_back(boost::json::object{{"truncated", size - array.size()}});
  return true;
}

boost::json::value JsonVisitor::show(bool value) {
  spend(1);
  return value;
}

boost::json::value JsonVisitor::show(double value) {
  spend(1);
  return value;
}

boost::json::value JsonVisitor::show_number(std::int64_t value) {
  spend(1);
  return value;
}

boost::json::value JsonVisitor::show(const Uuid& value) {
  spend(1);
  return boost::json::value(value.to_string());
}

boost::json::value JsonVisitor::show(const std::string& value) {
  constexpr std::size_t kBytesPerValue = 64;
  const std::string_view shown = std::string_view(value).substr(0, kTextLimit);
  spend(1 + shown.size() / kBytesPerValue);
  if (shown.size() == value.size() && is_utf8(value)) return boost::json::value(value);
  std::string text = to_utf8(shown);
  if (shown.size() < value.size()) text += "… (" + std::to_string(value.size()) + " bytes)";
  return boost::json::value(std::move(text));
}

boost::json::value JsonVisitor::show(const Slice& value) {
  spend(1);
  return boost::json::value{{"bytes", value.size()}};
}

}  // namespace ktrial::protocol
