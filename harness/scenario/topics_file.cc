// SPDX-License-Identifier: Apache-2.0
#include "harness/scenario/topics_file.h"

#include "harness/scenario/read_parts.h"

namespace ktrial::harness {
namespace {

Result<std::vector<PlacedTopic>> topics_of(const Node& root, int brokers) {
  Diagnostics diagnostics;
  Reader reader(diagnostics, Scope{});
  reader.brokers = brokers;
  std::vector<PlacedTopic> topics;
  for (TopicPart& topic : read_topics(reader, root))
    topics.push_back({std::move(topic), root.entries[topics.size()].at});
  KTRIAL_TRY(diagnostics.result());
  return topics;
}

}  // namespace

Result<std::vector<PlacedTopic>> parse_topics(std::string_view text, std::string name,
                                              int brokers) {
  const Result<Node> root = parse_yaml(text, std::move(name));
  KTRIAL_TRY(root);
  return topics_of(*root, brokers);
}

Result<std::vector<PlacedTopic>> read_topics_file(const std::string& path, int brokers) {
  const Result<Node> root = read_yaml(path);
  KTRIAL_TRY(root);
  return topics_of(*root, brokers);
}

}  // namespace ktrial::harness
