// SPDX-License-Identifier: Apache-2.0
#include "fakebroker/differential/yaml.h"

#include <yaml-cpp/yaml.h>

namespace ktrial::fakebroker::differential {
namespace {

boost::json::value json_of(const YAML::Node& node) {
  if (node.IsSequence()) {
    boost::json::array array;
    for (const auto& element : node) array.push_back(json_of(element));
    return array;
  }
  if (node.IsMap()) {
    boost::json::object object;
    for (const auto& member : node) object[member.first.Scalar()] = json_of(member.second);
    return object;
  }
  if (node.IsScalar()) return boost::json::value(node.Scalar());
  return nullptr;
}

}  // namespace

Result<boost::json::value> read_yaml(const std::string& file) {
  try {
    return json_of(YAML::LoadFile(file));
  } catch (const YAML::Exception& error) {
    return fail(Errc::kInvalidArgument, error.what(), file);
  }
}

Result<boost::json::value> parse_yaml(const std::string& text) {
  try {
    return json_of(YAML::Load(text));
  } catch (const YAML::Exception& error) {
    return fail(Errc::kInvalidArgument, error.what());
  }
}

}  // namespace ktrial::fakebroker::differential
