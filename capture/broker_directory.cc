// SPDX-License-Identifier: Apache-2.0
#include "capture/broker_directory.h"

namespace ktrial::capture {

namespace {

const boost::json::array* array_member(const boost::json::object& object, std::string_view name) {
  const auto* value = object.if_contains(name);
  return value == nullptr ? nullptr : value->if_array();
}

std::optional<std::int64_t> integer_member(const boost::json::object& object,
                                           std::string_view name) {
  const auto* value = object.if_contains(name);
  if (value == nullptr || value->if_int64() == nullptr) return std::nullopt;
  return value->get_int64();
}

}  // namespace

bool BrokerDirectory::learn(const boost::json::object& broker, std::string_view id_member) {
  const auto id = integer_member(broker, id_member);
  const auto port = integer_member(broker, "port");
  const auto* host = broker.if_contains("host");
  if (!id || *id < INT32_MIN || *id > INT32_MAX || !port || *port < 0 || *port > UINT16_MAX ||
      host == nullptr || !host->is_string())
    return false;
  const auto endpoint =
      Endpoint::parse(std::string_view(host->get_string()), static_cast<std::uint16_t>(*port));
  if (!endpoint) return false;
  return brokers_.insert_or_assign(*endpoint, static_cast<int>(*id)).second;
}

void BrokerDirectory::layout(const boost::json::object& note) {
  has_layout_ = true;
  if (const auto* brokers = array_member(note, "brokers")) {
    for (const auto& broker : *brokers)
      if (broker.is_object()) learn(broker.get_object(), "id");
  }
  if (const auto* addresses = array_member(note, "bootstrap")) {
    for (const auto& address : *addresses) {
      if (!address.is_string()) continue;
      if (const auto endpoint = Endpoint::parse(std::string_view(address.get_string())))
        bootstrap_.insert(*endpoint);
    }
  }
}

bool BrokerDirectory::metadata(const boost::json::object& fields) {
  if (has_layout_) return false;
  bool news = false;
  if (const auto* brokers = array_member(fields, "brokers")) {
    for (const auto& broker : *brokers)
      if (broker.is_object()) news |= learn(broker.get_object(), "nodeId");
  }
  return news;
}

std::optional<int> BrokerDirectory::broker_at(const Endpoint& endpoint) const {
  const auto found = brokers_.find(endpoint);
  if (found == brokers_.end()) return std::nullopt;
  return found->second;
}

bool BrokerDirectory::is_bootstrap(const Endpoint& endpoint) const {
  return !has_layout_ || bootstrap_.contains(endpoint);
}

}  // namespace ktrial::capture
