// SPDX-License-Identifier: Apache-2.0
// Config rules: which values a broker lets a resource have, and what it says of the others.
#pragma once

#include "fakebroker/state/configs.h"
#include "protocol/errors.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ktrial::fakebroker {

struct ConfigFault {
  protocol::KafkaError error;
  std::string message;
};

// Of all that a resource would have set.
std::optional<ConfigFault> fault_of_topic_configs(const std::string& topic,
                                                  const ConfigValues& values);
std::optional<ConfigFault> fault_of_broker_configs(const std::string& broker,
                                                   const ConfigValues& values);
std::optional<ConfigFault> fault_of_group_configs(const std::string& group,
                                                  const ConfigValues& values);
std::optional<ConfigFault> fault_of_client_metrics_configs(const std::string& name,
                                                           const ConfigValues& values);

// A list that a value may be added to or taken from; the broker says otherwise of the rest.
bool is_list_config(ConfigResource type, const std::string& key);

// Elements between commas, without empty ones.
std::vector<std::string> config_list(std::string_view text);

std::string invalid_topic_name(const std::string& name);

}  // namespace ktrial::fakebroker
