// SPDX-License-Identifier: Apache-2.0
// broker: what happens to a broker or to its connections.
#include "harness/run/steps/verbs.h"

namespace ktrial::harness {
namespace {

using fakebroker::CloseKind;

CloseKind kind_of(const boost::json::object& members, const char* member) {
  const auto* kind = members.if_contains(member);
  return kind != nullptr && kind->is_string() && kind->get_string() == "rst" ? CloseKind::kRst
                                                                             : CloseKind::kFin;
}

Result<void> act_on(LiveCase& live, int broker, const BrokerStep& step) {
  if (step.action == "start") return live.cluster.start_broker(broker);
  if (step.action == "stop") return live.cluster.stop_broker(broker, kind_of(step.members, "kind"));
  if (step.action == "refuse" || step.action == "blackhole") {
    KTRIAL_TRY(step.action == "refuse" ? live.cluster.refuse(broker)
                                       : live.cluster.drop_syn(broker));
    if (!step.members.contains("drop_conns")) return {};
    const auto closed = live.cluster.close_connections(broker, kind_of(step.members, "drop_conns"));
    if (!closed) return tl::unexpected<Error>(closed.error());
    return {};
  }
  if (step.action == "close_connections") {
    const auto closed = live.cluster.close_connections(broker, kind_of(step.members, "kind"));
    if (!closed) return tl::unexpected<Error>(closed.error());
    return {};
  }
  if (step.action == "idle_close") {
    const auto* after = step.members.if_contains("after_ms");
    const auto ms = after != nullptr && after->is_int64() ? after->get_int64() : -1;
    return live.cluster.set_idle_close(broker, ms < 0 ? std::nullopt : std::optional(Millis(ms)));
  }
  if (step.action == "stop_reading" || step.action == "resume_reading")
    return live.cluster.set_reading(broker, step.action == "resume_reading");
  return fail(Errc::kUnsupported, "this version cannot do '" + step.action + "' to a broker");
}

}  // namespace

Result<StepEnd> run_broker(LiveCase& live, const BrokerStep& step) {
  std::vector<int> brokers;
  if (step.broker) {
    brokers.push_back(*step.broker);
  } else {
    for (const auto& status : live.cluster.brokers()) brokers.push_back(status.id);
  }
  boost::json::object note{
      {"e", "broker.act"},
      {"broker", step.broker ? boost::json::value(*step.broker) : boost::json::value("all")},
      {"do", step.action}};
  for (const auto& [key, value] : step.members) note[key] = value;
  live.note(note);
  for (const int broker : brokers) KTRIAL_TRY(act_on(live, broker, step));
  return StepEnd::kGoOn;
}

}  // namespace ktrial::harness
