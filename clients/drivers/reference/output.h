// SPDX-License-Identifier: Apache-2.0
// Whole JSON lines to stdout, from any thread.
#pragma once

#include "clients/reference/outcome.h"

#include <boost/json.hpp>

#include <string_view>

namespace ktrial::reference_driver {

void write_line(const boost::json::object& line);

boost::json::object ok(const boost::json::value& id, boost::json::object result = {});
boost::json::object unsupported(const boost::json::value& id, std::string_view what);
boost::json::object failed(const boost::json::value& id, const client::ClientError& error);

boost::json::object describe(const client::ClientError& error);
boost::json::object describe(const client::Place& place);
boost::json::object describe(const client::TopicPartition& at);

}  // namespace ktrial::reference_driver
