// SPDX-License-Identifier: Apache-2.0
// librdkafka's handles: a producer that waits for acknowledgements, and a group's member.
#pragma once

#include <librdkafka/rdkafka.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace program {

using Config = std::map<std::string, std::string>;
struct Row {
  int partition = 0;
  std::string value = {};
};
struct Destroy {
  void operator()(rd_kafka_t* handle) const { rd_kafka_destroy(handle); }
};
using Handle = std::unique_ptr<rd_kafka_t, Destroy>;

// All of these throw std::runtime_error.
void check(rd_kafka_resp_err_t error);
void check(rd_kafka_error_t* error);
Handle open(rd_kafka_type_t type, const Config& config);
// Returns when all are acknowledged.
void send(rd_kafka_t* producer, const std::string& topic, const std::vector<Row>& rows);

class Member {
 public:
  Member(const std::string& topic, const Config& config);
  std::vector<Row> poll();
  [[nodiscard]] std::vector<int> assignment() const;
  void commit();
  void close();

 private:
  Handle handle_;
};

}  // namespace program
