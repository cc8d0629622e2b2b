// SPDX-License-Identifier: Apache-2.0
// Java's configuration names, mapped to librdkafka's. A key that librdkafka cannot honour is
// unsupported, never ignored.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <librdkafka/rdkafka.h>

#include <boost/json.hpp>

namespace driver {

// A conf made from the "config" member of a create command.
struct Conf {
  rd_kafka_conf_t* conf = nullptr;  // the caller owns it; nullptr if unsupported is set
  std::string unsupported;          // "config KEY"
};

Conf make_conf(const boost::json::object& config, bool producer);

std::vector<std::string_view> known_keys();

}  // namespace driver
