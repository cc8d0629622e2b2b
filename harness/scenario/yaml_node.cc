// SPDX-License-Identifier: Apache-2.0
#include "harness/scenario/yaml_node.h"

#include <yaml-cpp/yaml.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <set>

namespace ktrial::harness {

namespace {

constexpr std::size_t kLargestFile = std::size_t{1} << 20U;
constexpr std::size_t kMostNodes = 100'000;
constexpr int kDeepest = 40;

class Converter {
 public:
  explicit Converter(std::shared_ptr<const std::string> file) : file_(std::move(file)) {}

  Result<Node> convert(const YAML::Node& from, int depth) {
    if (++nodes_ > kMostNodes) return too_large(from, "more than 100000 values");
    if (depth > kDeepest) return too_large(from, "more than 40 levels of nesting");
    Node out;
    out.at = position(from.Mark());
    switch (from.Type()) {
      case YAML::NodeType::Undefined:
      case YAML::NodeType::Null:
        return out;
      case YAML::NodeType::Scalar:
        out.kind = Node::Kind::kScalar;
        out.text = from.Scalar();
        out.quoted = from.Tag() == "!";
        return out;
      case YAML::NodeType::Sequence:
        return list(from, std::move(out), depth);
      case YAML::NodeType::Map:
        return map(from, std::move(out), depth);
    }
    return out;
  }

  [[nodiscard]] Position position(const YAML::Mark& mark) const {
    return {file_, mark.line + 1, mark.column + 1};
  }

 private:
  Result<Node> list(const YAML::Node& from, Node out, int depth) {
    out.kind = Node::Kind::kList;
    for (const YAML::Node& item : from) {
      auto converted = convert(item, depth + 1);
      KTRIAL_TRY(converted);
      out.items.push_back(std::move(*converted));
    }
    return out;
  }

  Result<Node> map(const YAML::Node& from, Node out, int depth) {
    out.kind = Node::Kind::kMap;
    std::set<std::string> seen;
    for (const auto& entry : from) {
      NodeEntry made;
      made.at = position(entry.first.Mark());
      if (!entry.first.IsScalar())
        return fail(Errc::kMalformed, "a key must be plain text", made.at.to_string());
      made.key = entry.first.Scalar();
      if (!seen.insert(made.key).second)
        return fail(Errc::kMalformed, "'" + made.key + "' is here a second time",
                    made.at.to_string());
      auto converted = convert(entry.second, depth + 1);
      KTRIAL_TRY(converted);
      made.value = std::move(*converted);
      out.entries.push_back(std::move(made));
    }
    return out;
  }

  Result<Node> too_large(const YAML::Node& at, const std::string& what) const {
    return fail(Errc::kTooLarge, what, position(at.Mark()).to_string());
  }

  std::shared_ptr<const std::string> file_;
  std::size_t nodes_ = 0;
};

}  // namespace

const Node* Node::find(std::string_view key) const {
  for (const NodeEntry& entry : entries)
    if (entry.key == key) return &entry.value;
  return nullptr;
}

std::string Node::describe() const {
  switch (kind) {
    case Kind::kNull:
      return "nothing";
    case Kind::kScalar:
      return "'" + text + "'";
    case Kind::kList:
      return "a list";
    case Kind::kMap:
      return "a map";
  }
  return "nothing";
}

Result<Node> parse_yaml(std::string_view text, std::string name) {
  if (text.size() > kLargestFile) return fail(Errc::kTooLarge, "file of more than 1 MiB", name);
  Converter converter(std::make_shared<const std::string>(name));
  try {
    return converter.convert(YAML::Load(std::string(text)), 0);
  } catch (const YAML::Exception& error) {
    return fail(Errc::kMalformed, "not YAML: " + error.msg,
                converter.position(error.mark).to_string());
  }
}

Result<Node> read_yaml(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return fail(Errc::kIo, std::strerror(errno), path);
  std::string text;
  text.resize(kLargestFile + 1);
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (file.bad()) return fail(Errc::kIo, std::strerror(errno), path);
  return parse_yaml(text, path);
}

}  // namespace ktrial::harness
