// SPDX-License-Identifier: Apache-2.0
#include "harness/driver/driver_registry.h"

#include "harness/scenario/client_match.h"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cctype>

namespace ktrial::harness {
namespace {

namespace fs = std::filesystem;

// Thrown inside this file only: what is wrong, and where.
struct Fault {
  YAML::Mark mark;
  std::string text;
};

std::string scalar(const YAML::Node& node, std::string_view what) {
  if (!node.IsScalar()) throw Fault{node.Mark(), fmt::format("{} must be a single value", what)};
  return node.Scalar();
}

std::vector<std::string> list(const YAML::Node& node, std::string_view what) {
  std::vector<std::string> out;
  if (!node) return out;
  if (!node.IsSequence()) throw Fault{node.Mark(), fmt::format("{} must be a list", what)};
  for (const auto& item : node) out.push_back(scalar(item, what));
  return out;
}

void only_keys(const YAML::Node& map, std::string_view what,
               std::initializer_list<std::string_view> known) {
  if (!map.IsMap()) throw Fault{map.Mark(), fmt::format("{} must be a map", what)};
  for (const auto& entry : map) {
    const std::string key = entry.first.Scalar();
    if (std::find(known.begin(), known.end(), key) == known.end()) {
      throw Fault{entry.first.Mark(), fmt::format("unknown key '{}' in {}; known are: {}", key,
                                                  what, fmt::join(known, ", "))};
    }
  }
}

boost::json::value scalar_json(const YAML::Node& node) {
  const std::string& text = node.Scalar();
  if (text == "true" || text == "false") return text == "true";
  boost::system::error_code bad;
  const bool number =
      !text.empty() && (std::isdigit(static_cast<unsigned char>(text[0])) != 0 || text[0] == '-');
  if (number && text.find_first_not_of("-0123456789.") == std::string::npos &&
      std::count(text.begin(), text.end(), '.') <= 1) {
    const auto parsed = boost::json::parse(text, bad);
    if (!bad) return parsed;
  }
  return boost::json::value(text);
}

boost::json::value to_json(const YAML::Node& node) {
  if (node.IsMap()) {
    boost::json::object object;
    for (const auto& entry : node) object[entry.first.Scalar()] = to_json(entry.second);
    return object;
  }
  if (node.IsSequence()) {
    boost::json::array array;
    for (const auto& item : node) array.push_back(to_json(item));
    return array;
  }
  if (node.IsScalar()) return scalar_json(node);
  return nullptr;
}

Config read_config(const YAML::Node& node) {
  Config config;
  for (const auto& entry : node)
    config[entry.first.Scalar()] = scalar(entry.second, "a config value");
  return config;
}

DriverVersion read_version(const YAML::Node& node) {
  only_keys(node, "a version", {"version", "release", "default", "roles", "config"});
  if (!node["version"]) throw Fault{node.Mark(), "a version needs 'version'"};
  DriverVersion version;
  version.version = scalar(node["version"], "version");
  version.release = node["release"] ? scalar(node["release"], "release") : version.version;
  version.is_default = node["default"] && scalar(node["default"], "default") == "true";
  version.roles = list(node["roles"], "roles");
  if (node["config"]) {
    only_keys(node["config"], "config", {"producer", "consumer"});
    for (const auto& entry : node["config"])
      version.config[entry.first.Scalar()] = read_config(entry.second);
  }
  return version;
}

ProfilePart read_profile(const YAML::Node& node) {
  only_keys(node, "a profile", {"when", "values"});
  ProfilePart part;
  if (node["when"]) {
    only_keys(node["when"], "when", {"role", "version"});
    if (node["when"]["role"]) part.role = scalar(node["when"]["role"], "role");
    if (node["when"]["version"]) part.version = scalar(node["when"]["version"], "version");
  }
  if (!node["values"] || !node["values"].IsMap())
    throw Fault{node.Mark(), "a profile needs 'values', a map"};
  part.values = to_json(node["values"]).as_object();
  return part;
}

Driver read_driver(const fs::path& file) {
  const YAML::Node root = YAML::LoadFile(file.string());
  only_keys(root, "driver.yaml",
            {"name", "title", "language", "build", "run", "needs", "start_weight", "versions",
             "profiles"});
  Driver driver;
  driver.folder = file.parent_path();
  for (const auto& [key, into] : {std::pair{"name", &driver.name},
                                  {"title", &driver.title},
                                  {"language", &driver.language}}) {
    if (!root[key]) throw Fault{root.Mark(), fmt::format("'{}' is missing", key)};
    *into = scalar(root[key], key);
  }
  driver.build = list(root["build"], "build");
  driver.run = list(root["run"], "run");
  driver.needs = list(root["needs"], "needs");
  if (driver.run.empty())
    throw Fault{root.Mark(), "'run' is missing: the command that starts the driver"};
  if (root["start_weight"]) driver.start_weight = root["start_weight"].as<int>();
  for (const auto& node : root["versions"]) driver.versions.push_back(read_version(node));
  for (const auto& node : root["profiles"]) driver.profiles.push_back(read_profile(node));
  if (driver.versions.empty()) throw Fault{root.Mark(), "'versions' is missing or empty"};
  return driver;
}

void lay_over(boost::json::object& base, const boost::json::object& top) {
  for (const auto& [key, value] : top) {
    auto* below = base.if_contains(key);
    // A leaf {value, source} replaces; other maps are merged.
    if (below != nullptr && below->is_object() && value.is_object() &&
        !value.get_object().contains("value")) {
      lay_over(below->get_object(), value.get_object());
    } else {
      base[key] = value;
    }
  }
}

bool version_matches(const std::string& wanted, std::string_view version) {
  if (wanted.empty() || wanted == version) return true;
  if (std::isdigit(static_cast<unsigned char>(wanted[0])) != 0) return false;
  const auto match = ClientMatch::parse("any " + wanted);
  return match && match->matches("any", version);
}

}  // namespace

bool DriverVersion::has_role(std::string_view role) const {
  return roles.empty() || std::find(roles.begin(), roles.end(), role) != roles.end();
}

boost::json::object Driver::profile(std::string_view version, std::string_view role) const {
  boost::json::object merged;
  for (const ProfilePart& part : profiles) {
    if ((part.role.empty() || part.role == role) && version_matches(part.version, version))
      lay_over(merged, part.values);
  }
  return merged;
}

Result<DriverRegistry> DriverRegistry::read(const fs::path& folder) {
  DriverRegistry registry;
  std::vector<fs::path> files;
  std::error_code bad;
  for (const auto& entry : fs::directory_iterator(folder, bad)) {
    if (fs::exists(entry.path() / "driver.yaml")) files.push_back(entry.path() / "driver.yaml");
  }
  if (bad) return fail(Errc::kNotFound, "no such folder of drivers", folder.string());
  std::sort(files.begin(), files.end());
  for (const fs::path& file : files) {
    const auto where = [&file](const YAML::Mark& mark) {
      return fmt::format("{}:{}:{}", file.string(), mark.line + 1, mark.column + 1);
    };
    try {
      registry.drivers_.push_back(read_driver(file));
    } catch (const Fault& fault) {
      return fail(Errc::kInvalidArgument, fault.text, where(fault.mark));
    } catch (const YAML::Exception& e) {
      return fail(Errc::kInvalidArgument, e.msg, where(e.mark));
    }
  }
  // The reference first: it is what the others are compared with.
  std::stable_partition(registry.drivers_.begin(), registry.drivers_.end(),
                        [](const Driver& driver) { return driver.name == "reference"; });
  return registry;
}

Result<std::vector<ClientChoice>> DriverRegistry::choose(
    const std::vector<std::string>& wanted) const {
  std::vector<ClientChoice> chosen;
  for (const Driver& driver : drivers_) {
    for (const DriverVersion& version : driver.versions) {
      const auto picks = [&](const std::string& text) {
        return text == driver.name ? version.is_default
                                   : text == driver.name + "@" + version.version;
      };
      if (wanted.empty() ? version.is_default : std::any_of(wanted.begin(), wanted.end(), picks))
        chosen.push_back({&driver, &version});
    }
  }
  for (const std::string& text : wanted) {
    const std::string name = text.substr(0, text.find('@'));
    const bool hit = std::any_of(chosen.begin(), chosen.end(), [&](const ClientChoice& choice) {
      return text == choice.driver->name || text == choice.name();
    });
    if (hit) continue;
    std::vector<std::string> known;
    for (const Driver& driver : drivers_) {
      for (const DriverVersion& version : driver.versions)
        known.push_back(driver.name + "@" + version.version);
    }
    return fail(Errc::kNotFound,
                fmt::format("no client '{}'; there are: {}", text, fmt::join(known, ", ")),
                "--client");
  }
  return chosen;
}

}  // namespace ktrial::harness
