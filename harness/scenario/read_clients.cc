// SPDX-License-Identifier: Apache-2.0
// The client part: roles and configuration, in the Java clients' key names.
#include "harness/scenario/read_parts.h"

namespace ktrial::harness {

std::map<std::string, std::string> read_config(Reader& reader, const Node& node) {
  std::map<std::string, std::string> out;
  if (!node.is_map()) {
    reader.error(node.at, "configuration is a map of keys to values");
    return out;
  }
  for (const NodeEntry& entry : node.entries) {
    if (entry.value.is_null()) {
      out[entry.key] = "";
      continue;
    }
    const auto value = reader.value(entry.value);
    if (!value) continue;
    // Kafka's times are milliseconds; "default" leaves the key to the client.
    if (const auto* text = std::get_if<std::string>(&*value); text != nullptr && *text == "default")
      continue;
    if (const auto* time = std::get_if<Nanos>(&*value))
      out[entry.key] = std::to_string(std::chrono::duration_cast<Millis>(*time).count());
    else
      out[entry.key] = to_text(*value);
  }
  return out;
}

namespace {

ClientPart read_client(Reader& reader, const Node& node, std::string name) {
  ClientPart client;
  client.name = std::move(name);
  MapReader map(reader, node, "client");
  if (const Node* role = map.require("role"))
    client.role = reader.word(*role, {"producer", "consumer"}, "role").value_or("producer");
  if (const Node* config = map.take("config")) client.config = read_config(reader, *config);
  map.finish();
  return client;
}

}  // namespace

std::vector<ClientPart> read_clients(Reader& reader, const Node& root) {
  std::vector<ClientPart> clients;
  const Node* one = root.find("client");
  const Node* many = root.find("clients");
  if (one != nullptr && many != nullptr)
    reader.error(many->at, "either 'client' (one) or 'clients' (several by name), not both");
  if (one != nullptr) clients.push_back(read_client(reader, *one, "c1"));
  if (many != nullptr) {
    if (!many->is_map()) reader.error(many->at, "clients is a map by name: {c1: {role: producer}}");
    for (const NodeEntry& entry : many->entries)
      clients.push_back(read_client(reader, entry.value, entry.key));
  }
  return clients;
}

}  // namespace ktrial::harness
