// SPDX-License-Identifier: Apache-2.0
#include "fakebroker/differential/figures.h"

#include <fmt/format.h>

#include <algorithm>

namespace ktrial::fakebroker::differential {
namespace {

std::string versions_of(const std::set<std::int16_t>& versions) {
  if (versions.empty()) return "";
  if (versions.size() == 1) return std::to_string(*versions.begin());
  return fmt::format("{}-{}", *versions.begin(), *versions.rbegin());
}

std::string row(const std::string& name, const ApiFigures& of) {
  return fmt::format("| {} | {} | {} | {} | {} | {:.2f} | {} | {} | {}/{} |\n", name,
                     versions_of(of.versions), of.conversations.size(), of.answers, of.fields,
                     of.equal_percent(), of.different, of.allowed, of.equal_texts, of.texts);
}

}  // namespace

double ApiFigures::equal_percent() const {
  if (fields == 0) return 100;
  return 100.0 *
         (1.0 - static_cast<double>(std::min(different, fields)) / static_cast<double>(fields));
}

void Figures::add(const Answer& answer, const Compared& compared) {
  ApiFigures& api = apis_[answer.api];
  if (answer.served) api.versions.insert(answer.version);
  api.conversations.insert(answer.conversation);
  ++api.answers;
  api.fields += compared.fields;
  api.allowed += compared.allowed;
  api.different += compared.differences.size();
  api.texts += compared.texts;
  api.equal_texts += compared.equal_texts;
  for (const Difference& difference : compared.differences) {
    if (difference.open) {
      ++open_[difference.why];
    } else {
      unexplained_.push_back({answer.where, difference});
    }
  }
}

void ApiFigures::add(const ApiFigures& of) {
  versions.insert(of.versions.begin(), of.versions.end());
  conversations.insert(of.conversations.begin(), of.conversations.end());
  answers += of.answers;
  fields += of.fields;
  allowed += of.allowed;
  different += of.different;
  texts += of.texts;
  equal_texts += of.equal_texts;
}

void Figures::add(const Figures& others) {
  for (const auto& [name, of] : others.apis_) apis_[name].add(of);
  unexplained_.insert(unexplained_.end(), others.unexplained_.begin(), others.unexplained_.end());
  for (const auto& [why, fields] : others.open_) open_[why] += fields;
}

ApiFigures Figures::total() const {
  ApiFigures sum;
  for (const auto& [name, of] : apis_) sum.add(of);
  sum.versions.clear();  // of different APIs
  return sum;
}

std::string Figures::table() const {
  std::string text =
      "| API | versions | conversations | answers | fields | equal % | different | allowed | "
      "equal texts |\n|---|---|--:|--:|--:|--:|--:|--:|--:|\n";
  for (const auto& [name, of] : apis_) text += row(name, of);
  text += row("all", total());
  if (!open_.empty()) text += "\nKnown to differ:\n\n";
  for (const auto& [why, fields] : open_) text += fmt::format("- {} ({} fields)\n", why, fields);
  return text;
}

}  // namespace ktrial::fakebroker::differential
