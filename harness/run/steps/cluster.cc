// SPDX-License-Identifier: Apache-2.0
// cluster: topics, leaders, coordinators, rules.
#include "harness/run/cluster_of.h"
#include "harness/run/steps/verbs.h"

namespace ktrial::harness {
namespace {

std::string text(const boost::json::object& members, const char* member) {
  const auto* value = members.if_contains(member);
  return value != nullptr && value->is_string() ? std::string(value->get_string()) : "";
}

int integer(const boost::json::object& members, const char* member, int otherwise = 0) {
  const auto* value = members.if_contains(member);
  return value != nullptr && value->is_int64() ? static_cast<int>(value->get_int64()) : otherwise;
}

fakebroker::TopicSpec topic_of(const boost::json::object& members) {
  fakebroker::TopicSpec topic;
  topic.name = text(members, "topic");
  topic.partitions = integer(members, "partitions", 1);
  if (const auto* leaders = members.if_contains("leaders");
      leaders != nullptr && leaders->is_array()) {
    topic.leaders = boost::json::value_to<std::vector<int>>(*leaders);
  }
  if (const auto* configs = members.if_contains("configs"))
    topic.configs = boost::json::value_to<std::map<std::string, std::string>>(*configs);
  if (const auto* discard = members.if_contains("discard"))
    topic.discard = discard->is_bool() && discard->get_bool();
  return topic;
}

Result<void> append(LiveCase& live, const boost::json::object& members) {
  const std::string value =
      members.contains("size")
          ? std::string(static_cast<std::size_t>(integer(members, "size")), 'x')
          : text(members, "value");
  return live.cluster.append(text(members, "topic"), integer(members, "partition"),
                             integer(members, "count", 1), value);
}

bool is_replica_action(std::string_view action) {
  return action == "set_isr" || action == "hold_high_watermark" ||
         action == "release_high_watermark" || action == "fail_replica" || action == "mend_replica";
}

Result<void> act_on_replicas(fakebroker::Cluster& cluster, const ClusterStep& step) {
  const std::string topic = text(step.members, "topic");
  const int partition = integer(step.members, "partition");
  if (step.action == "set_isr") {
    return cluster.set_isr(topic, partition,
                           boost::json::value_to<std::vector<int>>(step.members.at("replicas")));
  }
  if (step.action.ends_with("replica")) {
    return cluster.set_replica_online(topic, partition, integer(step.members, "broker"),
                                      step.action == "mend_replica");
  }
  return cluster.hold_high_watermark(topic, partition, step.action == "hold_high_watermark");
}

}  // namespace

Result<StepEnd> run_cluster(LiveCase& live, const ClusterStep& step) {
  boost::json::object note{{"e", "broker.act"}, {"do", step.action}};
  for (const auto& [key, value] : step.members) note[key] = value;
  live.note(note);
  Result<void> done = fail(Errc::kUnsupported, "unknown cluster action " + step.action);
  if (step.action == "append") done = append(live, step.members);
  if (step.action == "create_topic") done = live.cluster.create_topic(topic_of(step.members));
  if (step.action == "delete_topic") done = live.cluster.delete_topic(text(step.members, "topic"));
  if (step.action == "move_leader")
    done = live.cluster.move_leader(text(step.members, "topic"), integer(step.members, "partition"),
                                    integer(step.members, "to"));
  if (is_replica_action(step.action)) done = act_on_replicas(live.cluster, step);
  if (step.action == "move_coordinator")
    done = live.cluster.move_coordinator(integer(step.members, "to"));
  if (step.action == "move_controller")
    done = live.cluster.move_controller(integer(step.members, "to"));
  if (step.action == "add_broker")
    done = live.cluster.add_broker(broker_of(integer(step.members, "broker"), live.spec.slot));
  if (step.action == "remove_broker")
    done = live.cluster.remove_broker(integer(step.members, "broker"));
  if (step.action == "advertise")
    done = live.cluster.set_advertised(integer(step.members, "broker"), text(step.members, "host"),
                                       static_cast<std::uint16_t>(integer(step.members, "port")));
  if (step.action == "add_rule" && step.rule) done = live.cluster.add_rule(step.rule->rule);
  if (step.action == "remove_rule") done = live.cluster.remove_rule(text(step.members, "id"));
  KTRIAL_TRY(done);
  return StepEnd::kGoOn;
}

}  // namespace ktrial::harness
