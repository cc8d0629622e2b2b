// SPDX-License-Identifier: Apache-2.0
#include "fakebroker/cluster_impl.h"

#include "fakebroker/releases/releases.h"
#include "fakebroker/state/config_rules.h"
#include "protocol/errors.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>

namespace ktrial::fakebroker {

using boost::asio::ip::tcp;
using boost::system::error_code;

namespace {

bool names_broker(const ClusterMove& move) {
  using Kind = ClusterMove::Kind;
  return move.kind != Kind::kInSync && move.kind != Kind::kHoldWatermark &&
         move.kind != Kind::kReleaseWatermark;
}

}  // namespace

Cluster::Impl::Impl(ClusterSpec spec)
    : work_(boost::asio::make_work_guard(context_)),
      timers_(context_),
      state_(std::move(spec), clock_, timers_),
      rules_(state_.spec().seed),
      ledger_(state_.spec().ledger_limit),
      requests_(state_.spec().request_bytes),
      services_{state_,
                rules_,
                ledger_,
                arena_,
                requests_,
                nullptr,
                [this](std::uint64_t id) { connection_gone(id); },
                [this](const ClusterMove& move) { return perform(move); }} {
  state_.on_broker_configs([this] { apply_limits(); });
}

Cluster::Impl::~Impl() {
  if (!thread_.joinable()) return;
  call([](Impl& self) {
    for (Broker& broker : self.brokers_) self.close_listeners(broker);
    self.close_connections(std::nullopt, CloseKind::kFin, "cluster stopped");
    self.work_.reset();
    self.context_.stop();
  });
  thread_.join();
}

Result<void> Cluster::Impl::check_spec() const {
  const ClusterSpec& spec = state_.spec();
  if (spec.brokers.empty())
    return fail(Errc::kInvalidArgument, "a cluster needs at least one broker");
  std::set<int> ids;
  for (const BrokerSpec& broker : spec.brokers) {
    if (broker.id < 0)
      return fail(Errc::kInvalidArgument, fmt::format("broker id {} is negative", broker.id));
    if (!ids.insert(broker.id).second)
      return fail(Errc::kInvalidArgument, fmt::format("two brokers have the id {}", broker.id));
  }
  for (const BrokerSpec& broker : spec.brokers) {
    if (const auto& release = broker.release ? broker.release : spec.release)
      KTRIAL_TRY(Release::described(*release));
  }
  for (const auto& [what, id] :
       {std::pair("coordinator", spec.coordinator), std::pair("controller", spec.controller)}) {
    if (id && !ids.contains(*id))
      return fail(Errc::kInvalidArgument, fmt::format("the {} {} is no broker", what, *id));
  }
  return {};
}

Result<void> Cluster::Impl::create(const TopicSpec& topic) {
  const std::string where = "topic " + topic.name;
  if (const auto fault = fault_of_topic_configs(topic.name, topic.configs))
    return fail(Errc::kInvalidArgument, fault->message, where);
  const protocol::KafkaError error = state_.topics().create(topic);
  if (error == protocol::KafkaError::kNone) return {};
  return fail(Errc::kInvalidArgument, std::string(protocol::name(error)), where);
}

Result<void> Cluster::Impl::start() {
  KTRIAL_TRY(check_spec());
  KTRIAL_TRY(secure());
  for (const TopicSpec& topic : state_.spec().topics) KTRIAL_TRY(create(topic));
  for (const BrokerSpec& spec : state_.spec().brokers) KTRIAL_TRY(serve(spec));
  thread_ = std::thread([this] { context_.run(); });
  return {};
}

Result<void> Cluster::Impl::secure() {
  const SecuritySpec& spec = state_.spec().security;
  std::set<std::string> hosts;  // for certificates
  if (std::ranges::any_of(spec.listeners, has_tls, &ListenerSpec::protocol)) {
    for (const BrokerSpec& broker : state_.spec().brokers) {
      hosts.insert(broker.host);
      if (broker.advertised_host) hosts.insert(*broker.advertised_host);
    }
    for (const ListenerSpec& listener : spec.listeners) {
      if (listener.advertised_host) hosts.insert(*listener.advertised_host);
    }
  }
  auto made =
      ClusterSecurity::make(spec, {hosts.begin(), hosts.end()}, state_.scram_credentials(), clock_);
  if (!made) return tl::unexpected<Error>(made.error());
  security_ = std::move(*made);
  services_.security = security_.get();
  return {};
}

Result<void> Cluster::Impl::open_further_listeners(Broker& broker, Node& node) {
  const auto& listeners = security_->listeners();
  if (listeners.size() == 1) return {};
  const auto before = std::ranges::count(brokers_, broker.host, &Broker::host) - 1;
  const auto stepped = [before](std::uint16_t port) {
    return static_cast<std::uint16_t>(port == 0 ? 0 : port + before);
  };
  for (std::size_t i = 1; i < listeners.size(); ++i) {
    Listener& opened =
        *broker.further.emplace_back(new_listener(broker, i, stepped(listeners[i].port)));
    KTRIAL_TRY(opened.open());
    node.further.push_back(
        {listeners[i].advertised_host.value_or(broker.host),
         listeners[i].advertised_port ? stepped(*listeners[i].advertised_port) : opened.port()});
  }
  return {};
}

std::unique_ptr<Listener> Cluster::Impl::new_listener(const Broker& broker, std::size_t listener,
                                                      std::uint16_t port) {
  return std::make_unique<Listener>(
      context_, clock_, timers_, Listener::Settings{broker.host, port, state_.spec().keepalive},
      *broker.quotas, [this, id = broker.id, listener](tcp::socket socket) {
        accept(id, listener, std::move(socket));
      });
}

Result<void> Cluster::Impl::serve(const BrokerSpec& spec) {
  Broker& broker = brokers_.emplace_back();
  broker.id = spec.id;
  broker.host = spec.host;
  broker.idle = state_.spec().idle_close;
  broker.quotas =
      std::make_unique<ConnectionQuotas>(ConnectionLimits::of(state_.configs(), spec.id));
  broker.listener = new_listener(broker, 0, spec.port);
  KTRIAL_TRY(open(broker));
  Node& node = *state_.find_node(spec.id);
  if (const auto& release = spec.release ? spec.release : state_.spec().release)
    node.release = &releases_.emplace_back(*Release::described(*release));
  if (!spec.advertised_port) node.port = broker.listener->port();
  return open_further_listeners(broker, node);
}

Result<void> Cluster::Impl::add_broker(const BrokerSpec& spec) {
  if (spec.id < 0 || !state_.add_node(spec))
    return fail(Errc::kInvalidArgument, fmt::format("{} is no id for a new broker", spec.id));
  auto served = serve(spec);
  if (!served) static_cast<void>(remove_broker(spec.id));
  return served;
}

Result<void> Cluster::Impl::remove_broker(int id) {
  Broker* const broker = find_broker(id);
  if (broker == nullptr || brokers_.size() == 1)
    return fail(Errc::kNotFound, fmt::format("there is no broker {}, or it is the last one", id));
  refuse(*broker);
  close_connections(id, CloseKind::kFin, "broker removed");
  state_.unregister(id);
  brokers_.erase(brokers_.begin() + (broker - brokers_.data()));
  return {};
}

Cluster::Impl::Broker* Cluster::Impl::find_broker(int id) {
  const auto found = std::find_if(brokers_.begin(), brokers_.end(),
                                  [id](const Broker& broker) { return broker.id == id; });
  return found == brokers_.end() ? nullptr : &*found;
}

Result<void> Cluster::Impl::open(Broker& broker) {
  KTRIAL_TRY(broker.listener->open());
  for (const auto& listener : broker.further) KTRIAL_TRY(listener->open());
  state_.came_up(broker.id);
  return {};
}

void Cluster::Impl::close_listeners(Broker& broker) {
  broker.listener->close();
  for (const auto& listener : broker.further) listener->close();
}

void Cluster::Impl::refuse(Broker& broker) {
  close_listeners(broker);
  state_.went_down(broker.id);
}

Result<void> Cluster::Impl::add_rule(Rule rule) {
  for (const ClusterMove& move : rule.action.moves) {
    if (find_broker(move.broker) == nullptr && move.broker != -1)
      return fail(Errc::kNotFound, fmt::format("there is no broker {}", move.broker),
                  "rule " + rule.id);
  }
  // A script may want to look back, too.
  if (rule.action.view || !rule.action.lua.empty()) state_.views().watch();
  return rules_.add(std::move(rule), clock_.now());
}

Result<void> Cluster::Impl::perform_on_partition(const ClusterMove& move) {
  using Kind = ClusterMove::Kind;
  Partition* const partition = state_.topics().find_partition(move.topic, move.partition);
  if (partition == nullptr) {
    return fail(Errc::kNotFound,
                fmt::format("there is no partition {}-{}", move.topic, move.partition));
  }
  Replication& replication = state_.replication();
  switch (move.kind) {
    case Kind::kInSync:
      return replication.set_in_sync(*partition, move.brokers);
    case Kind::kFailReplica:
    case Kind::kMendReplica:
      return replication.set_online(*partition, move.broker, move.kind == Kind::kMendReplica);
    case Kind::kHoldWatermark:
      replication.hold_high_watermark(*partition);
      break;
    case Kind::kReleaseWatermark:
      replication.release_high_watermark(*partition);
      break;
    default:
      replication.elect(*partition, move.broker);
      break;
  }
  return {};
}

Result<void> Cluster::Impl::perform(const ClusterMove& move) {
  using Kind = ClusterMove::Kind;
  Broker* const broker = find_broker(move.broker);
  const bool leaderless = move.kind == Kind::kLeader && move.broker == -1;
  if (broker == nullptr && names_broker(move) && !leaderless)
    return fail(Errc::kNotFound, fmt::format("there is no broker {}", move.broker));
  switch (move.kind) {
    case Kind::kLeader:
    case Kind::kInSync:
    case Kind::kHoldWatermark:
    case Kind::kReleaseWatermark:
    case Kind::kFailReplica:
    case Kind::kMendReplica:
      return perform_on_partition(move);
    case Kind::kCoordinator:
      state_.set_coordinator(move.broker);
      break;
    case Kind::kController:
      state_.set_controller(move.broker);
      break;
    case Kind::kStop:
      refuse(*broker);
      close_connections(move.broker, CloseKind::kRst, "broker stopped");
      break;
    case Kind::kStart:
      broker->listener->set_deaf(false);
      return open(*broker);
    case Kind::kRefuse:
      refuse(*broker);
      break;
    case Kind::kDropSyn:
      broker->listener->set_deaf(true);
      break;
  }
  return {};
}

void Cluster::Impl::accept(int broker, std::size_t listener, tcp::socket socket) {
  error_code error;
  const tcp::endpoint peer = socket.remote_endpoint(error);
  if (error) return;  // gone already
  ConnectionIdentity identity{++last_connection_, broker, {}, peer.address().to_string()};
  identity.peer = fmt::format("{}:{}", identity.host, peer.port());
  identity.listener = listener;
  if (!take(*find_broker(broker), identity)) return;
  const auto connection =
      std::make_shared<Connection>(std::move(socket), std::move(identity), services_);
  connections_.emplace(last_connection_, connection);
  connection->start(find_broker(broker)->idle);
  if (!find_broker(broker)->reads) connection->set_reading(false);
}

void Cluster::Impl::set_reading(int broker, bool reading) {
  find_broker(broker)->reads = reading;
  for (const auto& [id, connection] : connections_) {
    if (connection->broker() == broker) connection->set_reading(reading);
  }
}

std::size_t Cluster::Impl::close_connections(std::optional<int> broker, CloseKind kind,
                                             const std::string& why) {
  std::vector<std::shared_ptr<Connection>> closing;
  for (const auto& [id, connection] : connections_) {
    if (!broker || connection->broker() == *broker) closing.push_back(connection);
  }
  for (const auto& connection : closing) connection->close(kind, why);
  return closing.size();
}

std::size_t Cluster::Impl::count_connections(int broker) const {
  return static_cast<std::size_t>(
      std::count_if(connections_.begin(), connections_.end(),
                    [broker](const auto& entry) { return entry.second->broker() == broker; }));
}

std::shared_ptr<Connection> Cluster::Impl::find_connection(std::uint64_t id) const {
  const auto found = connections_.find(id);
  return found == connections_.end() ? nullptr : found->second;
}

std::vector<ConnectionStatus> Cluster::Impl::connection_statuses() const {
  std::vector<ConnectionStatus> statuses;
  for (const auto& [id, connection] : connections_)
    statuses.push_back(connection->status(clock_.now()));
  std::ranges::sort(statuses, {}, &ConnectionStatus::id);
  return statuses;
}

void Cluster::Impl::set_idle(std::optional<int> broker, std::optional<Millis> idle) {
  for (Broker& each : brokers_) {
    if (!broker || each.id == *broker) each.idle = idle;
  }
  for (const auto& [id, connection] : connections_) {
    if (!broker || connection->broker() == *broker) connection->set_idle(idle);
  }
}

}  // namespace ktrial::fakebroker
