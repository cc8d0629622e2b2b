// SPDX-License-Identifier: Apache-2.0
#include "harness/run/case_spec.h"

#include "common/json_print.h"

#include <fstream>
#include <sstream>

namespace ktrial::harness {

namespace {

// Of upper bounds on an accelerated clock: 400 ms at least.
constexpr double kAcceleratedSlack = 20;

}  // namespace

boost::json::object CaseSpec::to_json() const {
  return {{"scenario_file", scenario_file},
          {"axes", boost::json::value_from(axes)},
          {"client", client},
          {"version", version},
          {"command", boost::json::value_from(command)},
          {"config", boost::json::value_from(config)},
          {"profile", profile},
          {"mutants", boost::json::value_from(mutants)},
          {"capabilities", boost::json::value_from(capabilities)},
          {"time_scale", time_scale},
          {"accelerate", accelerate},
          {"slot", slot},
          {"sandboxed", sandboxed}};
}

Result<CaseSpec> CaseSpec::from_json(const boost::json::object& json) {
  try {
    CaseSpec spec;
    const auto take = [&json](const char* key, auto& into) {
      into = boost::json::value_to<std::decay_t<decltype(into)>>(json.at(key));
    };
    take("scenario_file", spec.scenario_file);
    take("axes", spec.axes);
    take("client", spec.client);
    take("version", spec.version);
    take("command", spec.command);
    take("config", spec.config);
    spec.profile = json.at("profile").as_object();
    take("mutants", spec.mutants);
    take("capabilities", spec.capabilities);
    take("time_scale", spec.time_scale);
    if (json.contains("accelerate")) take("accelerate", spec.accelerate);  // since 0.2
    take("slot", spec.slot);
    take("sandboxed", spec.sandboxed);
    return spec;
  } catch (const std::exception& e) {
    return fail(Errc::kMalformed, std::string("not a case written by ktrial: ") + e.what());
  }
}

CaseContext CaseSpec::context(bool with_capabilities) const {
  CaseContext context;
  context.client = client;
  context.version = version;
  context.profile = profile;
  if (with_capabilities) context.capabilities = capabilities;
  context.axes = axes;
  context.case_name = "ktrial-" + client;
  // What the client spends of its processor's time is not accelerated.
  context.time_scale = accelerate == 1 ? time_scale : time_scale * kAcceleratedSlack;
  context.accelerate = accelerate;
  return context;
}

Result<CaseSpec> read_case_spec(const std::filesystem::path& folder) {
  const std::filesystem::path file = folder / "case.json";
  std::ifstream in(file);
  std::stringstream text;
  text << in.rdbuf();
  boost::system::error_code bad;
  const auto json = boost::json::parse(text.str(), bad);
  if (!in || bad || !json.is_object())
    return fail(Errc::kMalformed, "missing, or not a JSON object", file.string());
  auto spec = CaseSpec::from_json(json.get_object());
  if (!spec) spec.error().where = file.string();
  return spec;
}

Result<void> write_case_spec(const std::filesystem::path& folder, const CaseSpec& spec) {
  std::ofstream out(folder / "case.json");
  out << pretty_json(spec.to_json());
  out.close();
  if (!out) return fail(Errc::kIo, "cannot be written", (folder / "case.json").string());
  return {};
}

}  // namespace ktrial::harness
