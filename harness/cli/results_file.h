// SPDX-License-Identifier: Apache-2.0
// run.jsonl: a first line about the run, a line per case as it ends, a last line with the counts.
#pragma once

#include <boost/json.hpp>

#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

namespace ktrial::harness {

class ResultsFile {
 public:
  explicit ResultsFile(const std::filesystem::path& folder);
  // `sandboxed`: each case has a network namespace of its own, else an address range.
  void begin(const std::vector<std::string>& arguments, const boost::json::object& calibration,
             bool sandboxed, boost::json::array claims);
  void add(const boost::json::object& line);
  // A failure that the run is not to fail for ("known" says why); it counts as one all the same.
  void add_known(boost::json::object line, const std::string& reason);
  void end(int exit_code);

  [[nodiscard]] const std::map<std::string, std::size_t>& counts() const { return counts_; }
  [[nodiscard]] std::size_t count(const std::string& verdict) const;
  [[nodiscard]] std::size_t known_failures() const { return known_failures_; }
  [[nodiscard]] std::size_t total() const;

 private:
  std::ofstream out_;
  std::map<std::string, std::size_t> counts_;
  std::size_t known_failures_ = 0;
};

}  // namespace ktrial::harness
