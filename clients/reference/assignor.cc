// SPDX-License-Identifier: Apache-2.0
#include "clients/reference/assignor.h"

#include "clients/reference/range_assignor.h"
#include "clients/reference/round_robin_assignor.h"
#include "clients/reference/sticky_assignor.h"

#include <algorithm>

namespace ktrial::client {
namespace {

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

}  // namespace

std::shared_ptr<const Assignor> find_assignor(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  const std::string_view last = dot == std::string_view::npos ? name : name.substr(dot + 1);
  const auto is = [&](std::string_view own, std::string_view java_class) {
    return name == own || last == java_class;
  };
  if (is("range", "RangeAssignor")) return std::make_shared<RangeAssignor>();
  if (is("roundrobin", "RoundRobinAssignor")) return std::make_shared<RoundRobinAssignor>();
  if (is("sticky", "StickyAssignor")) return std::make_shared<StickyAssignor>();
  if (is("cooperative-sticky", "CooperativeStickyAssignor")) {
    return std::make_shared<CooperativeStickyAssignor>();
  }
  return nullptr;
}

Result<std::vector<std::shared_ptr<const Assignor>>> parse_assignors(std::string_view list) {
  std::vector<std::shared_ptr<const Assignor>> found;
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    const std::string_view name = trimmed(list.substr(begin, end - begin));
    auto assignor = find_assignor(name);
    if (!assignor) return fail(Errc::kUnsupported, "assignor " + std::string(name));
    const bool twice = std::ranges::any_of(
        found, [&](const auto& other) { return other->name() == assignor->name(); });
    if (twice) return fail(Errc::kInvalidArgument, "assignor " + std::string(name) + " twice");
    found.push_back(std::move(assignor));
    begin = end + 1;
  }
  return found;
}

}  // namespace ktrial::client
