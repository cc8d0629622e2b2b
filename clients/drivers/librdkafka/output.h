// SPDX-License-Identifier: Apache-2.0
// Whole JSON lines to stdout, from any thread.
#pragma once

#include <string>
#include <string_view>

#include <librdkafka/rdkafka.h>

#include <boost/json.hpp>

namespace driver {

void write_line(const boost::json::object& line);

boost::json::object ok(const boost::json::value& id, boost::json::object result = {});
boost::json::object unsupported(const boost::json::value& id, std::string_view what);
boost::json::object failed(const boost::json::value& id, boost::json::object error);

// {"code", "retriable", "message"}
boost::json::object describe(rd_kafka_resp_err_t code, std::string_view message = {});
boost::json::object describe(std::string_view code, std::string_view message);

}  // namespace driver
