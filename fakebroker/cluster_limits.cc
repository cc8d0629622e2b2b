// SPDX-License-Identifier: Apache-2.0
// The cluster's part in the limits of its brokers' connections: who is let in, and who has to go.
#include "fakebroker/cluster_impl.h"

#include <fmt/core.h>

#include <algorithm>

namespace ktrial::fakebroker {

void Cluster::Impl::apply_limits() {
  for (Broker& broker : brokers_) {
    broker.quotas->set_limits(ConnectionLimits::of(state_.configs(), broker.id));
    // Not at once: whoever lowered the limit may be the first to go, and is to be answered.
    boost::asio::post(context_, [this, id = broker.id] {
      if (const Broker* const there = find_broker(id)) close_excess(*there);
      let_in(id);
    });
  }
}

// Those that were idle the longest.
void Cluster::Impl::close_excess(const Broker& broker) {
  if (broker.quotas->excess() <= 0) return;
  std::vector<std::shared_ptr<Connection>> all;
  for (const auto& [id, connection] : connections_) {
    if (connection->broker() == broker.id) all.push_back(connection);
  }
  std::ranges::sort(all, {}, &Connection::last_activity);
  const auto most = static_cast<std::int64_t>(all.size());
  all.resize(static_cast<std::size_t>(std::min(broker.quotas->excess(), most)));
  for (const auto& connection : all) connection->close(CloseKind::kFin, "too many connections");
}

void Cluster::Impl::connection_gone(std::uint64_t id) {
  state_.connection_closed(id);
  const std::shared_ptr<Connection> gone = find_connection(id);
  if (gone == nullptr) return;
  connections_.erase(id);
  Broker* const broker = find_broker(gone->broker());
  if (broker == nullptr) return;
  const bool was_full = !broker->quotas->has_room();
  broker->quotas->leave(gone->host());
  // Whoever waits for its place comes when this one is through with its close.
  if (was_full) boost::asio::post(context_, [this, at = broker->id] { let_in(at); });
}

void Cluster::Impl::let_in(int id) {
  Broker* const broker = find_broker(id);
  if (broker == nullptr) return;
  broker->listener->take_waiting();
  for (const auto& listener : broker->further) listener->take_waiting();
}

// One too many of its address is closed at once, without a word, as by Kafka.
bool Cluster::Impl::take(Broker& broker, const ConnectionIdentity& identity) {
  if (broker.quotas->take(identity.host)) return true;
  broker.quotas->leave(identity.host);
  if (!ledger_.wanted()) return false;
  LedgerEntry entry;
  entry.at = clock_.now();
  entry.broker = identity.broker;
  entry.connection = identity.id;
  entry.peer = identity.peer;
  ledger_.add(entry);
  entry.kind = LedgerEntry::Kind::kClose;
  entry.detail = fmt::format("too many connections from {}", identity.host);
  ledger_.add(std::move(entry));
  return false;
}

}  // namespace ktrial::fakebroker
