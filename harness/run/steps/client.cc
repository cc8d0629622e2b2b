// SPDX-License-Identifier: Apache-2.0
// client: a driver call, with a note before it is sent and one after its answer.
#include "harness/run/client_config.h"
#include "harness/run/steps/verbs.h"

#include <fmt/format.h>

#include <array>
#include <csignal>

namespace ktrial::harness {
namespace {

constexpr Millis kPatience{30'000};  // for an answer, beyond what the call itself may take
constexpr Millis kKillPatience{3'000};

const ClientPart* find_client(const Scenario& scenario, const std::string& name) {
  for (const ClientPart& client : scenario.clients) {
    if (client.name == name) return &client;
  }
  return nullptr;
}

// With what only the harness knows.
boost::json::object config_of(const LiveCase& live, const ClientPart& part,
                              const boost::json::object& members) {
  static const Config kNone;
  const auto of_version = live.spec.config.find(part.role);
  // How clients get in at this cluster, unless the scenario gives one something else.
  Config of_scenario = live.scenario.cluster.security.client;
  for (const auto& [key, value] : part.config) of_scenario[key] = value;
  const auto* own = members.if_contains("config");
  boost::json::object config =
      client_config(of_version != live.spec.config.end() ? of_version->second : kNone, of_scenario,
                    own != nullptr ? own->if_object() : nullptr);
  config["bootstrap.servers"] = live.bootstrap;
  // Roles in the event log go by client id: each client has its own.
  if (!config.contains("client.id")) config["client.id"] = part.name;
  if (!live.spec.mutants.empty())
    config["ktrial.mutants"] = fmt::format("{}", fmt::join(live.spec.mutants, ","));
  return config;
}

Result<int> signal_number(const std::string& name) {
  constexpr std::array<std::pair<std::string_view, int>, 3> kSignals{
      {{"KILL", SIGKILL}, {"INT", SIGINT}, {"TERM", SIGTERM}}};
  for (const auto& [known, number] : kSignals) {
    if (name == known) return number;
  }
  return fail(Errc::kInvalidArgument, "unknown signal '" + name + "'; known are KILL, INT, TERM");
}

Result<boost::json::object> kill_driver(LiveCase& live, const boost::json::object& members) {
  const auto* wanted = members.if_contains("signal");
  const auto number = signal_number(
      wanted != nullptr && wanted->is_string() ? std::string(wanted->get_string()) : "KILL");
  if (!number) return tl::unexpected<Error>(number.error());
  live.driver.signal(*number);
  if (!live.driver.wait_for_end(live.scaled(kKillPatience)))
    return fail(Errc::kTimeout, "the driver survived the signal");
  return boost::json::object{{"ok", true}};
}

Millis patience_of(const LiveCase& live, const ClientStep& step) {
  if (step.deadline) return live.scaled(*step.deadline);
  Millis own{0};
  for (const char* member : {"for_ms", "timeout_ms"}) {
    const auto* time = step.members.if_contains(member);
    if (time != nullptr && time->is_int64()) own += Millis(time->get_int64());
  }
  return own + live.scaled(kPatience);
}

}  // namespace

Result<StepEnd> run_client(LiveCase& live, const ClientStep& step) {
  const ClientPart* part = find_client(live.scenario, step.client);
  if (part == nullptr) return fail(Errc::kInvalidArgument, "no client '" + step.client + "'");
  boost::json::object members = step.members;
  if (step.call == "create") {
    members["role"] = part->role;
    members["config"] = config_of(live, *part, step.members);
  }
  const int number = live.next_number(step.call);
  live.note({{"e", "call.begin"},
             {"call", step.call},
             {"n", number},
             {"client", step.client},
             {"args", members}});

  Result<boost::json::object> answer;
  if (step.call == "kill") {
    answer = kill_driver(live, members);
  } else {
    boost::json::object command = members;
    command["cmd"] = step.call;
    command["client"] = step.client;
    answer = live.driver.call(std::move(command), patience_of(live, step));
  }
  boost::json::object end{
      {"e", "call.end"}, {"call", step.call}, {"n", number}, {"client", step.client}};
  if (!answer) {
    end["ok"] = false;
    end["error"] = boost::json::object{{"code", "DRIVER"}, {"message", answer.error().message}};
    live.note(end);
    return tl::unexpected<Error>(answer.error());
  }
  for (const char* member : {"ok", "result", "error", "unsupported"}) {
    if (const auto* value = answer->if_contains(member)) end[member] = *value;
  }
  if (!end.contains("ok")) end["ok"] = false;
  live.note(end);
  if (const auto* what = answer->if_contains("unsupported")) {
    return fail(Errc::kUnsupported,
                what->is_string() ? std::string(what->get_string()) : "unsupported");
  }
  if (step.call == "create" && !end.at("ok").as_bool()) {
    return fail(Errc::kIo,
                "the client could not be created: " + boost::json::serialize(end["error"]));
  }
  return StepEnd::kGoOn;
}

}  // namespace ktrial::harness
