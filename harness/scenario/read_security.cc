// SPDX-License-Identifier: Apache-2.0
// The cluster's security: what `ktrial cluster` takes as options, as a map.
#include "harness/scenario/read_parts.h"

#include <fmt/core.h>

#include <algorithm>

namespace ktrial::harness {
namespace {

using fakebroker::ListenerSpec;
using fakebroker::SecuritySpec;

constexpr std::int64_t kMostPort = 65'535;

std::optional<fakebroker::SecurityProtocol> read_protocol(Reader& reader, const Node& node) {
  const auto word =
      reader.word(node, {"PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL"}, "security protocol");
  return word ? fakebroker::security_protocol(*word) : std::nullopt;
}

// "SASL_PLAINTEXT", or {protocol: SASL_PLAINTEXT, name: outside, port: 9192}.
ListenerSpec read_listener(Reader& reader, const Node& node) {
  ListenerSpec listener;
  if (node.is_scalar()) {
    listener.protocol = read_protocol(reader, node).value_or(listener.protocol);
    return listener;
  }
  MapReader map(reader, node, "a listener");
  if (const Node* protocol = map.require("protocol"))
    listener.protocol = read_protocol(reader, *protocol).value_or(listener.protocol);
  if (const Node* name = map.take("name")) listener.name = reader.text(*name).value_or("");
  if (const Node* port = map.take("port"))
    listener.port = static_cast<std::uint16_t>(reader.integer(*port, 0, kMostPort).value_or(0));
  map.finish();
  return listener;
}

std::vector<ListenerSpec> read_listeners(Reader& reader, const Node& node) {
  std::vector<ListenerSpec> listeners;
  if (!node.is_list() || node.items.empty())
    reader.error(node.at, "listeners are a list: [SASL_PLAINTEXT]");
  for (const Node& each : node.items) listeners.push_back(read_listener(reader, each));
  return listeners;
}

void read_time(Reader& reader, MapReader& map, std::string_view key, Millis& out) {
  const Node* const node = map.take(key);
  if (node == nullptr) return;
  const auto time = reader.real_duration(*node);
  if (time && time->count() < 0) reader.error(node->at, "a time of at least 0 was expected");
  if (time) out = std::chrono::duration_cast<Millis>(*time);
}

void read_sasl(Reader& reader, MapReader& map, fakebroker::SaslSpec& sasl) {
  if (const Node* mechanisms = map.take("mechanisms")) {
    static const std::vector<std::string> kKnown = fakebroker::SaslSpec().mechanisms;
    sasl.mechanisms = reader.texts(*mechanisms);
    for (const std::string& one : sasl.mechanisms) {
      if (std::ranges::find(kKnown, one) == kKnown.end())
        reader.error(mechanisms->at, fmt::format("there is no mechanism {}", one));
    }
  }
  if (const Node* users = map.take("users")) {
    for (const auto& [name, password] : read_config(reader, *users))
      sasl.users.push_back({name, password});
  }
  read_time(reader, map, "max_reauth", sasl.max_reauth);
  read_time(reader, map, "failure_delay", sasl.failure_delay);
}

// A quote or backslash in it is escaped, as JAAS has it.
std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}

// By Kafka's Java names: as whom a client gets in that has not been told otherwise.
std::map<std::string, std::string> client_settings(const SecuritySpec& spec) {
  if (spec.listeners.empty()) return {};
  const fakebroker::SecurityProtocol protocol = spec.listeners.front().protocol;
  std::map<std::string, std::string> settings{
      {"security.protocol", std::string(fakebroker::name(protocol))}};
  if (!fakebroker::has_sasl(protocol) || spec.sasl.users.empty() || spec.sasl.mechanisms.empty())
    return settings;
  const std::string& mechanism = spec.sasl.mechanisms.front();
  if (mechanism == "OAUTHBEARER") return settings;  // the scenario says where tokens come from
  settings["sasl.mechanism"] = mechanism;
  const bool plain = mechanism == "PLAIN";
  settings["sasl.jaas.config"] =
      fmt::format("org.apache.kafka.common.security.{} required username={} password={};",
                  plain ? "plain.PlainLoginModule" : "scram.ScramLoginModule",
                  quoted(spec.sasl.users.front().name), quoted(spec.sasl.users.front().password));
  return settings;
}

}  // namespace

SecurityPart read_security(Reader& reader, const Node& node) {
  SecurityPart part;
  MapReader map(reader, node, "security");
  if (const Node* listeners = map.require("listeners"))
    part.spec.listeners = read_listeners(reader, *listeners);
  read_sasl(reader, map, part.spec.sasl);
  if (const Node* auth = map.take("client_auth")) {
    const auto word = reader.word(*auth, {"none", "requested", "required"}, "client_auth");
    part.spec.tls.client_auth =
        fakebroker::client_auth(word.value_or("none")).value_or(fakebroker::ClientAuth::kNone);
  }
  const auto flag = [&](std::string_view key, bool& out) {
    if (const Node* truth = map.take(key)) out = reader.boolean(*truth).value_or(out);
  };
  flag("authorizer", part.spec.authorizer.enabled);
  flag("allow_if_no_acl", part.spec.authorizer.allow_if_no_acl);
  if (const Node* users = map.take("super_users"))
    part.spec.authorizer.super_users = reader.texts(*users);
  map.finish();
  part.client = client_settings(part.spec);
  return part;
}

}  // namespace ktrial::harness
