// SPDX-License-Identifier: Apache-2.0
// Which broker listens where, and which addresses clients bootstrap from: by the harness's layout
// note, or, in captures made elsewhere, by the Metadata responses seen. A layout outranks them.
#pragma once

#include "capture/packet.h"

#include <boost/json.hpp>

#include <optional>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace ktrial::capture {

class BrokerDirectory {
 public:
  // {"brokers":[{"id","host","port"}],"bootstrap":["host:port"]}; members of other types are
  // passed over.
  void layout(const boost::json::object& note);
  // A decoded Metadata response. True if an address was new.
  bool metadata(const boost::json::object& fields);

  [[nodiscard]] bool has_layout() const { return has_layout_; }
  [[nodiscard]] std::optional<int> broker_at(const Endpoint& endpoint) const;
  // Without a layout every address may be a bootstrap address.
  [[nodiscard]] bool is_bootstrap(const Endpoint& endpoint) const;

 private:
  bool learn(const boost::json::object& broker, std::string_view id_member);

  std::unordered_map<Endpoint, int, EndpointHash> brokers_;
  std::unordered_set<Endpoint, EndpointHash> bootstrap_;
  bool has_layout_ = false;
};

}  // namespace ktrial::capture
