// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/commands.h"
#include "harness/run/case_runner.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>

namespace ktrial::harness {
namespace {

namespace fs = std::filesystem;

// check id -> verdict, and the case's own as "".
std::map<std::string, std::string> verdicts_of(const boost::json::object& line) {
  std::map<std::string, std::string> verdicts{{"", std::string(line.at("verdict").as_string())}};
  if (const auto* checks = line.if_contains("checks"); checks != nullptr && checks->is_array()) {
    for (const auto& check : checks->get_array())
      verdicts[std::string(check.at("id").as_string())] =
          std::string(check.at("verdict").as_string());
  }
  return verdicts;
}

struct Tally {
  std::size_t same = 0, different = 0, skipped = 0;
};

void compare(const boost::json::object& stored, const fs::path& folder, Tally& tally) {
  const std::string verdict(stored.at("verdict").as_string());
  const std::string label =
      fmt::format("{} {}", folder.parent_path().filename().string(), folder.filename().string());
  // Not judged from packets then, so not now: n/a, unsupported, and errors of harness or driver.
  if (!stored.contains("checks") || verdict == "error") {
    ++tally.skipped;
    return;
  }
  const auto again = judge_again(folder);
  if (!again) {
    ++tally.different;
    std::cout << fmt::format("different  {}: {}\n", label, again.error().to_string());
    return;
  }
  const auto before = verdicts_of(stored);
  const auto now = verdicts_of(*again);
  if (before == now) {
    ++tally.same;
    return;
  }
  ++tally.different;
  for (const auto& [check, old] : before) {
    const auto found = now.find(check);
    const std::string fresh = found == now.end() ? "missing" : found->second;
    if (fresh != old)
      std::cout << fmt::format("different  {} {}: was {}, is {}\n", label,
                               check.empty() ? "(case)" : check, old, fresh);
  }
}

}  // namespace

int verify_command(const std::string& dir) {
  std::ifstream in(fs::path(dir) / "run.jsonl");
  if (!in) {
    std::cerr << "ktrial: " << dir << ": no run.jsonl: expected the folder of a finished run\n";
    return kExitUsage;
  }
  Tally tally;
  std::string text;
  for (int number = 1; std::getline(in, text); ++number) {
    boost::system::error_code bad;
    const auto line = boost::json::parse(text, bad);
    // A run that was killed may end in half a line.
    if ((bad || !line.is_object()) && in.peek() == std::ifstream::traits_type::eof()) break;
    if (bad || !line.is_object()) {
      std::cerr << fmt::format("ktrial: {}/run.jsonl:{}: not a JSON object\n", dir, number);
      return kExitUsage;
    }
    const auto& object = line.get_object();
    const auto* kind = object.if_contains("kind");
    const auto* folder = object.if_contains("dir");
    if (kind != nullptr && *kind == "case" && folder != nullptr && folder->is_string())
      compare(object, fs::path(dir) / folder->get_string().c_str(), tally);
  }
  std::cout << fmt::format(
      "{} cases judged again: {} the same, {} different, {} had not been judged from packets\n",
      tally.same + tally.different, tally.same, tally.different, tally.skipped);
  return tally.different == 0 ? kExitMet : kExitFailed;
}

}  // namespace ktrial::harness
