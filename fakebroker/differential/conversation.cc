// SPDX-License-Identifier: Apache-2.0
#include "fakebroker/differential/conversation.h"

#include "fakebroker/differential/bytes_of.h"
#include "fakebroker/differential/yaml.h"
#include "protocol/api_info.h"

#include <algorithm>
#include <filesystem>
#include <stdexcept>

namespace ktrial::fakebroker::differential {
namespace {

using boost::json::object;
using boost::json::value;

// Faults of the file; turned into an Error where the file is known.
[[noreturn]] void refuse(const std::string& what) { throw std::runtime_error(what); }

std::string text(const value& from) {
  if (!from.is_string()) refuse("text expected: " + boost::json::serialize(from));
  return std::string(from.get_string());
}

std::int16_t key_of(const std::string& api) {
  const auto* const info = protocol::find_api(std::string_view(api));
  if (info == nullptr) refuse("no API is called " + api);
  return info->key;
}

// "3", "4-", "-5", "4-7".
VersionSpan span_of(const std::string& written) {
  VersionSpan span;
  const std::size_t dash = written.find('-');
  const auto number = [](const std::string& digits) {
    return static_cast<std::int16_t>(std::stoi(digits));
  };
  if (dash == std::string::npos) return {number(written), number(written)};
  if (dash > 0) span.min = number(written.substr(0, dash));
  if (dash + 1 < written.size()) span.max = number(written.substr(dash + 1));
  return span;
}

void read_member(Step& step, const std::string& name, const value& from) {
  if (name == "on") {
    step.connection = text(from) + step.connection.substr(step.connection.find('@'));
  } else if (name == "node") {
    step.connection = step.connection.substr(0, step.connection.find('@') + 1) + text(from);
  } else if (name == "save") {
    for (const auto& [variable, path] : from.as_object()) step.save[variable] = text(path);
  } else if (name == "version") {
    step.version = static_cast<std::int16_t>(std::stoi(text(from)));
  } else if (name == "versions") {
    step.only = span_of(text(from));
  } else if (name == "answered") {
    step.answered = text(from) == "true";
  } else if (name == "later") {
    step.later = text(from) == "true";
  } else if (name == "retry") {
    step.retry = text(from) == "true";
  } else if (name == "eventually") {
    step.eventually = text(from) == "true";
  } else if (name == "await") {
    step.await = text(from).find('@') == std::string::npos ? text(from) + "@1" : text(from);
  } else if (name == "pause") {
    step.pause_ms = std::stoi(text(from));
  } else if (name == "raw" || name == "trailing") {
    auto bytes = bytes_of(from);
    if (!bytes) refuse(bytes.error().to_string());
    if (name == "raw") {
      step.raw = std::move(*bytes);
    } else {
      step.trailing = std::move(*bytes);
    }
  } else {
    step.key = key_of(name);
    step.body = from.is_null() ? value(object{}) : from;
  }
}

Step step_of(const value& from) {
  Step step;
  for (const auto& [name, member] : from.as_object()) read_member(step, name, member);
  if (step.key < 0 && !step.await && step.pause_ms == 0) refuse("a step without a request");
  return step;
}

Conversation conversation_of(const object& from, const std::string& name) {
  Conversation made;
  made.name = name;
  for (const auto& [member, content] : from) {
    if (member == "api") {
      if (content.is_array()) {
        for (const value& api : content.get_array()) made.varied.push_back(key_of(text(api)));
      } else {
        made.varied.push_back(key_of(text(content)));
      }
    } else if (member == "versions") {
      made.versions = span_of(text(content));
    } else if (member == "nodes") {
      made.nodes = std::stoi(text(content));
    } else if (member == "topics") {
      made.topics = content.as_object();
    } else if (member == "steps") {
      for (const value& step : content.as_array()) made.steps.push_back(step_of(step));
    } else {
      refuse("a conversation has no '" + std::string(member) + "'");
    }
  }
  if (made.varied.empty()) refuse("no api");
  return made;
}

}  // namespace

Result<Conversation> parse_conversation(const value& from, const std::string& name) {
  try {
    return conversation_of(from.as_object(), name);
  } catch (const std::exception& error) {
    return fail(Errc::kInvalidArgument, error.what(), name);
  }
}

Result<std::vector<Conversation>> load_conversations(const std::string& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".yaml") files.push_back(entry.path());
  }
  std::ranges::sort(files);
  std::vector<Conversation> all;
  for (const auto& file : files) {
    const auto content = read_yaml(file.string());
    KTRIAL_TRY(content);
    auto parsed = parse_conversation(*content, file.stem().string());
    KTRIAL_TRY(parsed);
    all.push_back(std::move(*parsed));
  }
  return all;
}

}  // namespace ktrial::fakebroker::differential
