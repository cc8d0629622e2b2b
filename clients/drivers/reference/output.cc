// SPDX-License-Identifier: Apache-2.0
#include "clients/drivers/reference/output.h"

#include <cstdio>
#include <mutex>
#include <string>

namespace ktrial::reference_driver {

void write_line(const boost::json::object& line) {
  static std::mutex mutex;
  std::string text = boost::json::serialize(line);
  text += '\n';
  const std::lock_guard lock(mutex);
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

boost::json::object ok(const boost::json::value& id, boost::json::object result) {
  return {{"id", id}, {"ok", true}, {"result", std::move(result)}};
}

boost::json::object unsupported(const boost::json::value& id, std::string_view what) {
  return {{"id", id}, {"unsupported", what}};
}

boost::json::object failed(const boost::json::value& id, const client::ClientError& error) {
  return {{"id", id}, {"ok", false}, {"error", describe(error)}};
}

boost::json::object describe(const client::ClientError& error) {
  return {{"code", error.code}, {"retriable", error.retriable}, {"message", error.message}};
}

boost::json::object describe(const client::TopicPartition& at) {
  return {{"topic", at.topic}, {"partition", at.partition}};
}

boost::json::object describe(const client::Place& place) {
  boost::json::object json = describe(place.at);
  json["offset"] = place.offset;
  return json;
}

}  // namespace ktrial::reference_driver
