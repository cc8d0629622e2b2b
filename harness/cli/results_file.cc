// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/results_file.h"

#include "harness/host/calibration.h"

#include <fmt/chrono.h>

#include <chrono>

namespace ktrial::harness {

ResultsFile::ResultsFile(const std::filesystem::path& folder)
    : out_(folder / "run.jsonl", std::ios::binary) {}

void ResultsFile::begin(const std::vector<std::string>& arguments,
                        const boost::json::object& calibration, bool sandboxed,
                        boost::json::array claims) {
  const auto now =
      std::chrono::time_point_cast<std::chrono::seconds>(std::chrono::system_clock::now());
  boost::json::object host = host_facts();
  host["isolation"] = sandboxed ? "a network namespace per case"
                                : "none: an address range per case on the shared loopback";
  boost::json::object line{{"kind", "run"},
                           {"ktrial", KTRIAL_VERSION},
                           {"format", 1},
                           {"started", fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(now))},
                           {"host", std::move(host)},
                           {"calibration", calibration},
                           {"args", boost::json::value_from(arguments)}};
  if (!claims.empty()) line["claims"] = std::move(claims);
  out_ << line << std::endl;
}

void ResultsFile::add(const boost::json::object& line) {
  ++counts_[std::string(line.at("verdict").as_string())];
  out_ << line << std::endl;  // flushed: a killed run is valid as far as it went
}

void ResultsFile::add_known(boost::json::object line, const std::string& reason) {
  ++known_failures_;
  line["known"] = reason;
  add(line);
}

void ResultsFile::end(int exit_code) {
  const boost::json::object line{
      {"kind", "end"}, {"verdicts", boost::json::value_from(counts_)}, {"exit", exit_code}};
  out_ << line << std::endl;
}

std::size_t ResultsFile::count(const std::string& verdict) const {
  const auto found = counts_.find(verdict);
  return found == counts_.end() ? 0 : found->second;
}

std::size_t ResultsFile::total() const {
  std::size_t sum = 0;
  for (const auto& [verdict, count] : counts_) sum += count;
  return sum;
}

}  // namespace ktrial::harness
