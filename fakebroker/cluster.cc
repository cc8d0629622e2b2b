// SPDX-License-Identifier: Apache-2.0
#include "fakebroker/cluster.h"

#include "fakebroker/cluster_impl.h"
#include "fakebroker/state/groups.h"
#include "protocol/errors.h"
#include "protocol/record_batch.h"
#include "protocol/record_batch_builder.h"

#include <fmt/core.h>

#include <algorithm>

namespace ktrial::fakebroker {
namespace {

tl::unexpected<Error> no_broker(int id) {
  return fail(Errc::kNotFound, fmt::format("there is no broker {}", id));
}

Result<void> as_result(protocol::KafkaError error, const std::string& topic) {
  if (error == protocol::KafkaError::kNone) return {};
  const Errc kind = error == protocol::KafkaError::kUnknownTopicOrPartition
                        ? Errc::kNotFound
                        : Errc::kInvalidArgument;
  return fail(kind, std::string(protocol::name(error)), "topic " + topic);
}

}  // namespace

Cluster::Cluster(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Cluster::~Cluster() = default;

Result<std::unique_ptr<Cluster>> Cluster::start(ClusterSpec spec) {
  auto impl = std::make_unique<Impl>(std::move(spec));
  KTRIAL_TRY(impl->start());
  return std::unique_ptr<Cluster>(new Cluster(std::move(impl)));
}

std::vector<BrokerStatus> Cluster::brokers() {
  return impl_->call([](Impl& impl) {
    std::vector<BrokerStatus> statuses;
    for (const Impl::Broker& broker : impl.brokers()) {
      BrokerStatus& status = statuses.emplace_back();
      status = {broker.id, broker.host, broker.listener->port(), broker.listener->is_open(),
                impl.count_connections(broker.id)};
      const auto& nodes = impl.state().nodes();
      const std::size_t at = statuses.size() - 1;  // where it is unless one was unregistered
      const Node* const node = at < nodes.size() && nodes[at].id == broker.id
                                   ? &nodes[at]
                                   : impl.state().find_node(broker.id);
      const auto& listeners = impl.security().listeners();
      for (std::size_t i = 0; node != nullptr && i < listeners.size(); ++i) {
        Endpoint endpoint = node->at(i);
        status.listeners.push_back({listeners[i].name, std::string(name(listeners[i].protocol)),
                                    std::move(endpoint.host), endpoint.port});
      }
    }
    return statuses;
  });
}

std::string Cluster::bootstrap_servers(std::string_view listener) {
  return impl_->call([listener](Impl& impl) {
    const auto& listeners = impl.security().listeners();
    const auto named = std::ranges::find(listeners, listener, &ListenerSpec::name);
    const auto index = static_cast<std::size_t>(named - listeners.begin());
    std::string servers;
    for (const Node& node : impl.state().nodes()) {
      const Endpoint endpoint = node.at(named == listeners.end() ? 0 : index);
      if (!servers.empty()) servers += ',';
      servers += fmt::format("{}:{}", endpoint.host, endpoint.port);
    }
    return servers;
  });
}

TlsMaterial Cluster::tls_material() {
  return impl_->call([](Impl& impl) -> TlsMaterial {
    const TlsContexts* const tls = impl.security().tls();
    if (tls == nullptr) return {};
    return {tls->ca_pem(), tls->client_certificate_pem(), tls->client_key_pem()};
  });
}

MemoryStatus Cluster::memory() {
  return impl_->call([](Impl& impl) {
    const RecordMemory& records = impl.state().topics().memory();
    const RequestMemory& requests = impl.requests();
    return MemoryStatus{records.used(),  records.limit(),  records.dropped(),
                        requests.used(), requests.limit(), requests.waiting()};
  });
}

std::string Cluster::cluster_id() {
  return impl_->call([](Impl& impl) { return impl.state().spec().cluster_id; });
}

int Cluster::controller() {
  return impl_->call([](Impl& impl) { return impl.state().controller(); });
}

std::vector<ConnectionStatus> Cluster::connections() {
  return impl_->call([](Impl& impl) { return impl.connection_statuses(); });
}

std::vector<TopicStatus> Cluster::topics() {
  return impl_->call([](Impl& impl) {
    std::vector<TopicStatus> statuses;
    for (const auto& [name, topic] : impl.state().topics().all()) {
      TopicStatus& status = statuses.emplace_back();
      status.name = name;
      status.id = topic->id.to_string();
      status.configs = topic->configs;
      status.discard = topic->discards;
      for (const auto& partition : topic->partitions) {
        status.partitions.push_back({partition->index, partition->leader, partition->leader_epoch,
                                     partition->log.start_offset(), partition->log.end_offset(),
                                     partition->last_stable_offset(), partition->log.bytes(),
                                     partition->log.high_watermark(), partition->replicas,
                                     partition->in_sync.of(partition->replicas)});
      }
    }
    return statuses;
  });
}

std::vector<GroupStatus> Cluster::groups() {
  return impl_->call([](Impl& impl) {
    std::vector<GroupStatus> statuses;
    for (const auto& [id, group] : impl.state().groups().all()) {
      statuses.push_back({id, std::string(group.state_name()), std::string(group.type_name()),
                          impl.state().coordinator_of(id)});
    }
    return statuses;
  });
}

Result<void> Cluster::refuse(int broker) {
  return impl_->call([&](Impl& impl) {
    return impl.perform({.kind = ClusterMove::Kind::kRefuse, .broker = broker});
  });
}

Result<void> Cluster::stop_broker(int broker, CloseKind kind) {
  return impl_->call([&](Impl& impl) -> Result<void> {
    KTRIAL_TRY(impl.perform({.kind = ClusterMove::Kind::kRefuse, .broker = broker}));
    impl.close_connections(broker, kind, "broker stopped");
    return {};
  });
}

Result<void> Cluster::start_broker(int broker) {
  return impl_->call([&](Impl& impl) {
    return impl.perform({.kind = ClusterMove::Kind::kStart, .broker = broker});
  });
}

Result<std::size_t> Cluster::close_connections(std::optional<int> broker, CloseKind kind) {
  return impl_->call([&](Impl& impl) -> Result<std::size_t> {
    if (broker && impl.find_broker(*broker) == nullptr) return no_broker(*broker);
    return impl.close_connections(broker, kind, "closed by command");
  });
}

Result<void> Cluster::set_reading(int broker, bool reading) {
  return impl_->call([&](Impl& impl) -> Result<void> {
    if (impl.find_broker(broker) == nullptr) return no_broker(broker);
    impl.set_reading(broker, reading);
    return {};
  });
}

Result<void> Cluster::close_connection(std::uint64_t id, CloseKind kind) {
  return impl_->call([&](Impl& impl) -> Result<void> {
    const std::shared_ptr<Connection> found = impl.find_connection(id);
    if (found == nullptr)
      return fail(Errc::kNotFound, fmt::format("there is no connection {}", id));
    found->close(kind, "closed by command");
    return {};
  });
}

Result<void> Cluster::set_idle_close(std::optional<int> broker, std::optional<Millis> idle) {
  return impl_->call([&](Impl& impl) -> Result<void> {
    if (broker && impl.find_broker(*broker) == nullptr) return no_broker(*broker);
    impl.set_idle(broker, idle);
    return {};
  });
}

Result<void> Cluster::drop_syn(int broker) {
  return impl_->call([&](Impl& impl) {
    return impl.perform({.kind = ClusterMove::Kind::kDropSyn, .broker = broker});
  });
}

Result<void> Cluster::move_leader(const std::string& topic, int partition, int to_broker) {
  return impl_->call([&](Impl& impl) {
    return impl.perform({.kind = ClusterMove::Kind::kLeader,
                         .broker = to_broker,
                         .topic = topic,
                         .partition = partition});
  });
}

Result<void> Cluster::set_isr(const std::string& topic, int partition, std::vector<int> brokers) {
  return impl_->call([&](Impl& impl) {
    return impl.perform({.kind = ClusterMove::Kind::kInSync,
                         .topic = topic,
                         .partition = partition,
                         .brokers = std::move(brokers)});
  });
}

Result<void> Cluster::hold_high_watermark(const std::string& topic, int partition, bool held) {
  using Kind = ClusterMove::Kind;
  return impl_->call([&](Impl& impl) {
    return impl.perform({.kind = held ? Kind::kHoldWatermark : Kind::kReleaseWatermark,
                         .topic = topic,
                         .partition = partition});
  });
}

Result<void> Cluster::set_replica_online(const std::string& topic, int partition, int broker,
                                         bool online) {
  using Kind = ClusterMove::Kind;
  return impl_->call([&](Impl& impl) {
    return impl.perform({.kind = online ? Kind::kMendReplica : Kind::kFailReplica,
                         .broker = broker,
                         .topic = topic,
                         .partition = partition});
  });
}

Result<void> Cluster::move_coordinator(int to_broker) {
  return impl_->call([&](Impl& impl) {
    return impl.perform({.kind = ClusterMove::Kind::kCoordinator, .broker = to_broker});
  });
}

Result<void> Cluster::move_controller(int to_broker) {
  return impl_->call([&](Impl& impl) {
    return impl.perform({.kind = ClusterMove::Kind::kController, .broker = to_broker});
  });
}

Result<void> Cluster::add_broker(const BrokerSpec& broker) {
  return impl_->call([&](Impl& impl) { return impl.add_broker(broker); });
}

Result<void> Cluster::remove_broker(int broker) {
  return impl_->call([&](Impl& impl) { return impl.remove_broker(broker); });
}

Result<void> Cluster::set_advertised(int broker, const std::string& host, std::uint16_t port) {
  return impl_->call([&](Impl& impl) -> Result<void> {
    Node* const node = impl.state().find_node(broker);
    if (node == nullptr) return no_broker(broker);
    impl.state().set_address(*node, host, port);
    return {};
  });
}

Result<void> Cluster::create_topic(const TopicSpec& topic) {
  return impl_->call([&](Impl& impl) { return impl.create(topic); });
}

Result<void> Cluster::delete_topic(const std::string& name) {
  return impl_->call(
      [&](Impl& impl) { return as_result(impl.state().topics().erase(name), name); });
}

Result<void> Cluster::append(const std::string& topic, int partition, int count,
                             std::string_view value) {
  return impl_->call([&](Impl& impl) -> Result<void> {
    Partition* const into = impl.state().topics().find_partition(topic, partition);
    if (into == nullptr)
      return fail(Errc::kNotFound, fmt::format("there is no partition {}-{}", topic, partition));
    protocol::RecordBatchBuilder builder;
    const std::span bytes(reinterpret_cast<const std::uint8_t*>(value.data()), value.size());
    for (int i = 0; i < count; ++i)
      builder.append(impl.state().clock().wall_ms(), std::nullopt, bytes);
    auto batch = builder.finish();
    if (!batch) return tl::unexpected<Error>(batch.error());
    const auto header = protocol::read_batch_header(*batch);
    if (!header) return tl::unexpected<Error>(header.error());
    into->log.append(Slice(std::move(*batch)), *header, into->leader_epoch);
    impl.state().fetch_waiters().touch(into->serial);
    return {};
  });
}

Result<void> Cluster::add_rule(Rule rule) {
  return impl_->call([&](Impl& impl) { return impl.add_rule(std::move(rule)); });
}

Result<void> Cluster::remove_rule(const std::string& id) {
  return impl_->call([&](Impl& impl) { return impl.rules().remove(id); });
}

void Cluster::mark(const std::string& name) {
  impl_->call([&](Impl& impl) { impl.rules().mark(name); });
}

std::vector<RuleStatus> Cluster::rules_in_force() {
  return impl_->call([](Impl& impl) { return impl.rules().in_force(); });
}

std::vector<RuleStatus> Cluster::rules() {
  return impl_->call([](Impl& impl) { return impl.rules().statuses(); });
}

std::vector<LedgerEntry> Cluster::ledger(std::uint64_t number, std::size_t limit) {
  return impl_->call([&](Impl& impl) { return impl.ledger().entries_after(number, limit); });
}

void Cluster::on_ledger(std::function<void(const LedgerEntry&)> observer) {
  impl_->call([&](Impl& impl) { impl.ledger().observe(std::move(observer)); });
}

}  // namespace ktrial::fakebroker
