// SPDX-License-Identifier: Apache-2.0
#include "output.h"

#include <cstdio>
#include <mutex>

namespace driver {

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

boost::json::object failed(const boost::json::value& id, boost::json::object error) {
  return {{"id", id}, {"ok", false}, {"error", std::move(error)}};
}

boost::json::object describe(rd_kafka_resp_err_t code, std::string_view message) {
  const bool retriable = code == RD_KAFKA_RESP_ERR__TRANSPORT || code == RD_KAFKA_RESP_ERR__TIMED_OUT ||
                         code == RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN;
  return {{"code", rd_kafka_err2name(code)},
          {"retriable", retriable},
          {"message", message.empty() ? std::string_view(rd_kafka_err2str(code)) : message}};
}

boost::json::object describe(std::string_view code, std::string_view message) {
  return {{"code", code}, {"retriable", false}, {"message", message}};
}

}  // namespace driver
