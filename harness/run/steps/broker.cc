// SPDX-License-Identifier: Apache-2.0
// broker: what happens to a broker or to its connections.
#include "harness/run/steps/verbs.h"

#include <fmt/format.h>

#include <cstdlib>

namespace ktrial::harness {
namespace {

using fakebroker::CloseKind;

CloseKind kind_of(const boost::json::object& members, const char* member) {
  const auto* kind = members.if_contains(member);
  return kind != nullptr && kind->is_string() && kind->get_string() == "rst" ? CloseKind::kRst
                                                                             : CloseKind::kFin;
}

Result<void> nft(const std::string& command) {
  if (std::system(("nft '" + command + "' 2>/dev/null").c_str()) != 0) {
    return fail(Errc::kPermission,
                "nft could not run: " + command +
                    "; is nftables installed, and is the case in a namespace of its own?");
  }
  return {};
}

// SYNs to the broker vanish: neither answer nor refusal.
Result<void> blackhole(LiveCase& live, int broker, bool on) {
  if (!live.spec.sandboxed) return fail(Errc::kPermission, "blackhole needs a network namespace");
  static_cast<void>(nft("delete table ip ktrial_" + std::to_string(broker)));
  if (!on) return {};
  for (const auto& status : live.cluster.brokers()) {
    if (status.id != broker) continue;
    const std::string table = "ip ktrial_" + std::to_string(broker);
    KTRIAL_TRY(nft("add table " + table));
    KTRIAL_TRY(nft("add chain " + table + " in { type filter hook input priority 0; }"));
    return nft(
        fmt::format("add rule {} in ip daddr {} tcp dport {} tcp flags & (syn | ack) == syn drop",
                    table, status.host, status.port));
  }
  return fail(Errc::kNotFound, "no broker " + std::to_string(broker));
}

Result<void> act_on(LiveCase& live, int broker, const BrokerStep& step) {
  if (step.action == "start") {
    if (live.spec.sandboxed) static_cast<void>(blackhole(live, broker, false));
    return live.cluster.start_broker(broker);
  }
  if (step.action == "stop") return live.cluster.stop_broker(broker, kind_of(step.members, "kind"));
  if (step.action == "refuse" || step.action == "blackhole") {
    KTRIAL_TRY(step.action == "refuse" ? live.cluster.refuse(broker)
                                       : blackhole(live, broker, true));
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
