// SPDX-License-Identifier: Apache-2.0
#include "harness/check/selector.h"

namespace ktrial::harness {

namespace {

template <class T>
std::string list(const std::vector<T>& items) {
  std::string out;
  for (const T& item : items) {
    if (!out.empty()) out += "|";
    if constexpr (std::is_same_v<T, int>)
      out += std::to_string(item);
    else
      out += item;
  }
  return out;
}

}  // namespace

std::string Edge::text() const {
  switch (kind) {
    case Kind::kStart:
      return "start_of_case";
    case Kind::kEnd:
      return "end_of_case";
    case Kind::kNow:
      return "now";
    case Kind::kMark:
      return mark;
    case Kind::kFirst:
      return "first(" + event->text() + ")";
    case Kind::kLast:
      return "last(" + event->text() + ")";
  }
  return {};
}

std::string Window::text() const { return "[" + from.text() + ", " + to.text() + "]"; }

std::string FieldTest::text() const { return path + " " + matcher.text(); }

std::string Selector::text() const {
  std::string out = conns ? "connections" : events.empty() ? "any event" : list(events);
  const auto add = [&](std::string_view label, const std::string& value) {
    if (value.empty()) return;
    out += " ";
    out += label;
    out += value;
  };
  add(conns ? "with " : "", list(apis));
  add("broker=", list(brokers));
  add("role=", list(roles));
  add("by=", by);
  add("call=", call);
  add("name=", name);
  add("who=", client);
  for (const auto& set : in) add("on ", set->let.empty() ? "(" + set->text() + ")" : set->let);
  for (const FieldTest& test : where) add("where ", test.text());
  for (const Window& window : windows) add("in ", window.text());
  if (after) add("after ", after->text());
  if (before) add("before ", before->text());
  if (closed_in) add("closed in ", closed_in->text());
  if (opened_in) add("opened in ", opened_in->text());
  if (open_at) add("open at ", open_at->text());
  if (nth == 1) out += ", the first";
  if (nth == -1) out += ", the last";
  if (nth != 0 && nth != 1 && nth != -1) out += ", number " + std::to_string(nth);
  if (or_last_before) out += ", or the last before";
  return out;
}

}  // namespace ktrial::harness
