// SPDX-License-Identifier: Apache-2.0
// A fake Kafka cluster as a child process; it ends when this object or the test program does.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

class Cluster {
 public:
  explicit Cluster(std::vector<std::string> options);
  ~Cluster();
  Cluster(const Cluster&) = delete;
  Cluster& operator=(const Cluster&) = delete;

  [[nodiscard]] const std::string& bootstrap() const { return bootstrap_; }
  void rule(const std::string& json) const { (void)ask("POST", "/v1/rules", json); }
  [[nodiscard]] long hits(const std::string& rule) const;

 private:
  [[nodiscard]] std::string ask(const std::string& method, const std::string& path,
                                const std::string& body = "") const;

  pid_t child_ = -1;
  std::string bootstrap_, control_;  // control_: "127.0.0.1:12345"
};
