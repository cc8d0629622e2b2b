// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/commands.h"
#include "harness/cli/plan.h"
#include "harness/cli/progress.h"
#include "harness/cli/results_file.h"
#include "harness/host/calibration.h"
#include "harness/run/case_runner.h"
#include "harness/run/sandbox.h"
#include "reports/write_reports.h"

#include <fmt/chrono.h>

#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <csignal>
#include <iostream>

namespace ktrial::harness {
namespace {

namespace fs = std::filesystem;

constexpr Millis kCalibration{300};

int usage(const Error& error) {
  std::cerr << "ktrial: " << error.to_string() << '\n';
  return kExitUsage;
}

Result<std::pair<int, int>> parse_shard(const std::string& text) {
  int index = 0;
  int count = 0;
  const char* const end = text.data() + text.size();
  const auto first = std::from_chars(text.data(), end, index);
  const bool slash = first.ptr != end && *first.ptr == '/';
  const auto second = slash ? std::from_chars(first.ptr + 1, end, count) : first;
  if (!slash || second.ptr != end || index < 1 || count < index)
    return fail(Errc::kInvalidArgument, fmt::format("'{}' is not i/n with 1 <= i <= n", text),
                "--shard");
  return std::pair{index, count};
}

// A driver from outside: "--client ./my-driver" (anything with a slash).
Result<void> add_outside_drivers(DriverRegistry& drivers, std::vector<std::string>& clients) {
  for (std::string& client : clients) {
    if (client.find('/') == std::string::npos) continue;
    if (!fs::is_regular_file(client))
      return fail(Errc::kNotFound,
                  fmt::format("'{}' is no file: expected a driver's program", client), "--client");
    if (access(client.c_str(), X_OK) != 0)
      return fail(Errc::kInvalidArgument,
                  fmt::format("'{}' is not executable; chmod +x makes it so", client), "--client");
    Driver driver;
    driver.name = fs::path(client).filename().string();
    driver.title = driver.name;
    driver.folder = fs::path(client).parent_path();
    driver.run = {fs::absolute(client).string()};
    DriverVersion version;
    version.version = version.release = "local";
    version.is_default = true;
    driver.versions.push_back(version);
    client = driver.name;
    drivers.add(std::move(driver));
  }
  return {};
}

fs::path output_folder(const std::string& wanted) {
  if (!wanted.empty()) return wanted;
  const auto now =
      std::chrono::time_point_cast<std::chrono::seconds>(std::chrono::system_clock::now());
  fs::path folder = fs::path("ktrial-out") / fmt::format("{:%Y%m%d-%H%M%S}", fmt::localtime(now));
  for (int n = 2; fs::exists(folder); ++n)
    folder = fs::path("ktrial-out") / fmt::format("{:%Y%m%d-%H%M%S}-{}", fmt::localtime(now), n);
  return folder;
}

// Precedence: interrupted, error, failed, inconclusive; everything skipped is a result of its own.
int exit_code(const ResultsFile& results, const RunOptions& options) {
  if (options.report_only) return kExitMet;
  if (results.count("error") > 0) return kExitError;
  if (results.count("fail") > results.known_failures() ||
      (options.strict && results.count("nonstrict") > 0))
    return kExitFailed;
  if (results.count("inconclusive") > 0) return kExitInconclusive;
  if (results.count("n/a") + results.count("unsupported") == results.total()) return kExitSkipped;
  return kExitMet;
}

int cases_at_once(const RunOptions& options, const Catalogue& catalogue,
                  const Calibration& calibration) {
  if (options.parallel > 0) return options.parallel;
  for (const ScenarioSet& set : catalogue.sets) {
    const bool waits = options.accelerate == 1;  // else its cases are busy all the time
    if (waits && set.name == options.set && set.jobs > 0) return set.jobs;
  }
  return calibration.parallel_cases();
}

boost::json::object unbuilt(const Job& job, const ScenarioFile& file, const std::string& why) {
  return {{"kind", "case"},
          {"id", file.id()},
          {"title", file.title()},
          {"file", file.path()},
          {"client", job.spec.client},
          {"version", job.spec.version},
          {"variant", boost::json::value_from(job.spec.axes)},
          {"verdict", "error"},
          {"reason", why},
          {"seconds", 0}};
}

// For the report: the founding article's claims, if a scenario of this run decides any.
boost::json::array claims_decided(const Catalogue& catalogue,
                                  const std::vector<const ScenarioFile*>& files) {
  const bool any = std::any_of(files.begin(), files.end(), [](const ScenarioFile* file) {
    CaseContext open;
    open.axes = file->variants().front();
    const auto scenario = file->bind(open);
    return scenario && std::any_of(scenario->checks.begin(), scenario->checks.end(),
                                   [](const CheckSpec& check) { return !check.decides.empty(); });
  });
  boost::json::array claims;
  if (!any) return claims;
  for (const Claim& claim : catalogue.claims) {
    boost::json::object one{{"id", claim.id}, {"text", claim.text}};
    if (!claim.unobservable.empty()) one["unobservable"] = claim.unobservable;
    claims.push_back(std::move(one));
  }
  return claims;
}

const KnownFailure* excuse(const std::vector<KnownFailure>& all, const boost::json::object& line) {
  const auto found =
      std::ranges::find_if(all, [&line](const KnownFailure& known) { return known.excuses(line); });
  return found == all.end() ? nullptr : &*found;
}

// A known failure that passes: the list is out of date.
void note_mended(const std::vector<KnownFailure>& all, const JobEnd& end,
                 std::vector<std::string>& mended) {
  for (const KnownFailure& known : all) {
    if (end.line.at("verdict") == "pass" && !known.sometimes && known.concerns(end.line))
      mended.push_back(fmt::format("no longer fails: {}; take '{}' out of known.yaml",
                                   end.job.label, known.name));
  }
}

void print_summary(const ResultsFile& results, const fs::path& out) {
  std::string counts;
  for (const auto& [verdict, count] : results.counts())
    counts += fmt::format("{}{} {}", counts.empty() ? "" : ", ", count, verdict);
  const std::string known = results.known_failures() == 0
                                ? ""
                                : fmt::format("; known failures: {}", results.known_failures());
  std::cout << fmt::format("\n{} cases: {}{}\n", results.total(), counts, known);
  const auto written = reports::write_reports(out);
  if (written) {
    std::cout << fmt::format("report: {}\njunit:  {}\n", written->html.string(),
                             written->junit.string());
  } else {
    std::cerr << "ktrial: no report: " << written.error().to_string() << '\n';
  }
}

std::string_view verdict_word(int code) {
  switch (code) {
    case kExitMet:
      return "MET";
    case kExitFailed:
      return "FAILED";
    case kExitInconclusive:
      return "INCONCLUSIVE";
    case kExitSkipped:
      return "SKIPPED: no case applied";
    case kExitInterrupted:
      return "INTERRUPTED";
    default:
      return "ERROR";
  }
}

}  // namespace

int run_command(const RunOptions& given) {
  RunOptions options = given;
  auto assets = Assets::load();
  if (!assets) return usage(assets.error());
  if (const auto added = add_outside_drivers(assets->drivers, options.clients); !added)
    return usage(added.error());
  const auto files = assets->catalogue.select(options.globs, options.set);
  if (!files) return usage(files.error());
  const auto clients = assets->drivers.choose(options.clients);
  if (!clients) return usage(clients.error());
  std::pair<int, int> shard{1, 1};
  if (!options.shard.empty()) {
    const auto parsed = parse_shard(options.shard);
    if (!parsed) return usage(parsed.error());
    shard = *parsed;
  }
  const auto sandbox = can_sandbox();
  if (!sandbox)
    std::cerr << "ktrial: " << sandbox.error().to_string()
              << "\nktrial: cases share the loopback, an address range each\n";

  PlanOptions plan;
  plan.repeat = options.repeat;
  plan.time_scale = options.time_scale;
  plan.accelerate = options.accelerate;
  plan.sandboxed = sandbox.has_value();
  std::vector<std::pair<Job, const ScenarioFile*>> planned;
  int number = 0;
  for (const ScenarioFile* file : *files) {
    for (const ClientChoice& client : *clients) {
      auto jobs = plan_jobs(*assets, *file, client, plan);
      if (!jobs) return usage(jobs.error());
      for (Job& job : *jobs) {
        if (number++ % shard.second != shard.first - 1) continue;
        job.spec.slot = plan.sandboxed ? 1 : 1 + static_cast<int>(planned.size()) % 250;
        planned.emplace_back(std::move(job), file);
      }
    }
  }
  if (planned.empty())
    return usage({Errc::kNotFound, "nothing to run: no scenario applies to these clients", {}});

  const fs::path out = output_folder(options.out);
  std::error_code bad;
  fs::create_directories(out, bad);
  if (bad) return usage({Errc::kIo, bad.message(), out.string()});
  const auto failed = build_drivers(*assets, *clients);
  const Calibration calibration = calibrate(kCalibration);
  ResultsFile results(out);
  results.begin(options.arguments, calibration.to_json(), plan.sandboxed,
                claims_decided(assets->catalogue, *files));

  std::vector<Job> jobs;
  ProgressView view;
  for (auto& [job, file] : planned) {
    const auto why = failed.find(job.spec.client + "@" + job.spec.version);
    if (why == failed.end()) {
      jobs.push_back(std::move(job));
    } else {
      results.add(unbuilt(job, *file, why->second));
      view.ended(job.label, "error", why->second, 0);
    }
  }
  ScheduleOptions schedule;
  schedule.out = out;
  schedule.parallel = cases_at_once(options, assets->catalogue, calibration);
  std::vector<std::string> mended;
  const bool completed = run_jobs(
      jobs, schedule,
      [&](const JobEnd& end) {
        const KnownFailure* const known = excuse(assets->catalogue.known_failures, end.line);
        if (known != nullptr) {
          results.add_known(end.line, known->reason);
        } else {
          results.add(end.line);
        }
        note_mended(assets->catalogue.known_failures, end, mended);
        const auto* reason = end.line.if_contains("reason");
        view.ended(
            end.job.label, end.line.at("verdict").as_string(),
            reason != nullptr && reason->is_string() ? std::string_view(reason->get_string()) : "",
            end.line.at("seconds").to_number<double>());
      },
      [&view](const Progress& progress) { view.show(progress); });
  view.finish();
  int code = completed ? exit_code(results, options) : kExitInterrupted;
  if (code == kExitMet && !mended.empty() && !options.report_only) code = kExitFailed;
  results.end(code);
  print_summary(results, out);
  for (const std::string& what : mended) std::cout << what << '\n';
  std::cout << "verdict: " << verdict_word(code) << std::endl;
  return code;
}

int case_command(const std::string& dir) {
  // Again: exec has cleared it if the program has file capabilities.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  run_case(
      dir, [] { std::cout << "{\"started\":true}" << std::endl; },
      [](const boost::json::object& line) {
        std::cout << line << std::endl;
        close(STDOUT_FILENO);  // the case is over; the rest is nobody's wait
      });
  // Threads of the kernel's and the capture's have nothing left to say.
  _exit(kExitMet);
}

}  // namespace ktrial::harness
