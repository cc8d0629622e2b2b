// SPDX-License-Identifier: Apache-2.0
#include "harness/run/case_runner.h"

#include "capture/read_capture.h"
#include "harness/check/load_scenario.h"
#include "harness/run/case_files.h"
#include "harness/run/cluster_of.h"
#include "harness/run/ledger_check.h"
#include "harness/run/live_case.h"
#include "harness/run/sandbox.h"
#include "harness/verdict/judge.h"
#include "harness/verdict/verdict_json.h"

#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <fstream>
#include <future>
#include <mutex>
#include <optional>
#include <set>
#include <thread>

namespace ktrial::harness {
namespace {

namespace fs = std::filesystem;
using SteadyClock = std::chrono::steady_clock;

constexpr Millis kHelloPatience{20'000};
constexpr Millis kDriverEnd{1'000};
constexpr Millis kCrashPatience{500};
constexpr std::size_t kMaxEventNotes = 20'000;

// The claims that the scenario's checks decide, whether or not they come to be judged.
boost::json::array claims_of(const CaseSpec& spec, const ScenarioFile& file) {
  std::set<std::string> claims;
  if (const auto scenario = file.bind(spec.context(false))) {
    for (const CheckSpec& check : scenario->checks)
      claims.insert(check.decides.begin(), check.decides.end());
  }
  boost::json::array out;
  for (const std::string& claim : claims) out.emplace_back(boost::json::string(claim));
  return out;
}

boost::json::object result_line(const CaseSpec& spec, const ScenarioFile& file,
                                std::string_view verdict, std::string reason) {
  return {{"kind", "case"},
          {"decides", claims_of(spec, file)},
          {"id", file.id()},
          {"title", file.title()},
          {"file", spec.scenario_file},
          {"line", 1},
          {"client", spec.client},
          {"version", spec.version},
          {"variant", boost::json::value_from(spec.axes)},
          {"verdict", verdict},
          {"reason", std::move(reason)}};
}

boost::json::object result_line(const CaseSpec& spec, const ScenarioFile& file,
                                const Scenario& scenario, const CaseVerdict& verdict) {
  boost::json::object line = result_line(spec, file, to_string(verdict.verdict), verdict.reason);
  line["why"] = scenario.why;
  line["line"] = scenario.at.line;
  line["refs"] = scenario.refs;
  line["checks"] = checks_json(verdict);
  if (spec.accelerate != 1) line["accelerate"] = spec.accelerate;
  return line;
}

// True if the process has mapped a file of that name.
bool loads(pid_t pid, std::string_view library) {
  std::ifstream maps(fmt::format("/proc/{}/maps", pid));
  for (std::string line; std::getline(maps, line);) {
    if (line.find(library) != std::string::npos) return true;
  }
  return false;
}

// The case's parts, put together and taken apart in the right order.
class CaseRun {
 public:
  CaseRun(fs::path folder, CaseSpec spec, ScenarioFile file)
      : folder_(std::move(folder)), spec_(std::move(spec)), file_(std::move(file)) {}

  boost::json::object run(const std::function<void()>& started) {
    const auto unbound = file_.bind(spec_.context(false));
    if (!unbound) return error(unbound.error());
    if (unbound->not_applicable) return result_line(spec_, file_, "n/a", *unbound->not_applicable);
    if (const auto ready = prepare(*unbound); !ready) return unable(ready.error());
    const auto hello = driver_->hello(kHelloPatience);
    if (!hello) return error(hello.error());
    started();
    if (spec_.accelerate != 1 && !loads(driver_->pid(), "libfaketime"))
      return result_line(
          spec_, file_, "unsupported",
          "the driver's program does not load libfaketime (is it statically linked?): "
          "its clock cannot be accelerated");
    learn(*hello);
    const auto bound = file_.bind(spec_.context(true));
    if (!bound) return error(bound.error());
    if (bound->not_applicable) return result_line(spec_, file_, "n/a", *bound->not_applicable);
    return perform(*bound);
  }

 private:
  boost::json::object error(const Error& why) const {
    return result_line(spec_, file_, "error", why.to_string());
  }
  // Missing rights are nobody's failure, and never green.
  boost::json::object unable(const Error& why) const {
    return result_line(spec_, file_, why.code == Errc::kPermission ? "inconclusive" : "error",
                       why.to_string());
  }

  // Sandbox first, then capture, cluster and driver side by side: each mostly waits.
  Result<void> prepare(const Scenario& scenario) {
    if (spec_.sandboxed) KTRIAL_TRY(enter_sandbox());
    if (!scenario.sysctl.empty()) KTRIAL_TRY(set_sysctls(scenario.sysctl));
    cluster_spec_ = cluster_of(scenario.cluster, spec_.slot, spec_.accelerate);
    // Before the driver, whose events are told as notes from another thread.
    auto notes = capture::NoteSender::open({note_address()});
    if (!notes) return tl::unexpected<Error>(notes.error());
    notes_.emplace(std::move(*notes));
    auto capture = std::async(std::launch::async, [this] { return start_capture(); });
    KTRIAL_TRY(start_driver());
    auto cluster = fakebroker::Cluster::start(cluster_spec_);
    auto captured = capture.get();
    if (!captured) return tl::unexpected<Error>(captured.error());
    capture_ = std::move(*captured);
    if (!cluster) return tl::unexpected<Error>(cluster.error());
    cluster_ = std::move(*cluster);
    for (const RulePart& part : scenario.cluster.rules) KTRIAL_TRY(cluster_->add_rule(part.rule));
    return {};
  }

  [[nodiscard]] std::string note_address() const {
    return spec_.sandboxed ? "127.0.0.1" : fmt::format("127.{}.255.254", spec_.slot);
  }

  Result<std::unique_ptr<capture::LiveCapture>> start_capture() const {
    capture::LiveOptions options;
    options.note_address = note_address();
    if (!spec_.sandboxed) options.filter = fmt::format("net 127.{}.0.0/16", spec_.slot);
    options.section.application = "ktrial";
    return capture::LiveCapture::start("lo", (folder_ / "wire.pcapng").string(), options);
  }

  Result<void> start_driver() {
    DriverProcess::Options options;
    options.command = spec_.command;
    options.stdout_log = (folder_ / "driver.stdout").string();
    options.stderr_log = (folder_ / "driver.stderr").string();
    options.on_event = [this](const boost::json::object& event) { on_driver_event(event); };
    auto driver = DriverProcess::start(std::move(options));
    if (!driver) return tl::unexpected<Error>(driver.error());
    driver_ = std::move(*driver);
    return {};
  }

  void on_driver_event(const boost::json::object& event) {
    if (!notes_ || ++event_notes_ > kMaxEventNotes) return;
    boost::json::object note = event;
    note.erase("event");
    note["e"] = "driver.event";
    note["name"] = event.at("event");
    static_cast<void>(notes_->send(note));
  }

  void learn(const boost::json::object& hello) {
    const auto* capabilities = hello.if_contains("capabilities");
    if (capabilities == nullptr || !capabilities->is_array()) return;
    for (const auto& one : capabilities->get_array()) {
      if (one.is_string()) spec_.capabilities.emplace_back(one.get_string());
    }
    static_cast<void>(write_case_spec(folder_, spec_));
  }

  boost::json::object perform(const Scenario& scenario) {
    CaseContext context = spec_.context(true);
    std::optional<std::string> unsupported;
    {
      Probes probes(
          [this](const boost::json::object& note) { static_cast<void>(notes_->send(note)); });
      std::set<std::string> brokers;
      for (const auto& broker : cluster_spec_.brokers)
        brokers.insert(fmt::format("{}:{}", broker.host, broker.port));
      probes.watch(driver_->pid(), std::move(brokers));
      LiveCase live(spec_, scenario, *cluster_, *capture_, *notes_, *driver_, probes,
                    bootstrap_of(scenario.cluster, cluster_spec_));
      live.note(layout_note(scenario.cluster, cluster_spec_));
      const Watchdog watchdog(live.scaled(scenario.timeout), *driver_, *capture_);
      const auto end = run_steps(live, scenario.steps);
      if (watchdog.expired()) {
        context.harness_error = fmt::format("the case took longer than its timeout of {} ms",
                                            live.scaled(scenario.timeout).count());
      } else if (!end && end.error().code == Errc::kUnsupported) {
        unsupported = end.error().message;
      } else if (!end && scenario.bad_input && driver_->wait_for_end(kCrashPatience)) {
        live.note({{"e", "driver.crash"}, {"how", driver_->fault()}});
      } else if (!end) {
        context.harness_error = end.error().to_string();
      }
      tell_rules(live);
      live.note({{"e", "case.end"}});
      capture_->settle();
    }
    static_cast<void>(driver_->finish(kDriverEnd));  // how it leaves is driver-check's business
    auto summary = capture_->stop();
    if (!summary) return error(summary.error());
    write_ledger(folder_, cluster_->ledger());
    if (unsupported) return result_line(spec_, file_, "unsupported", *unsupported);
    if (!context.harness_error)
      context.harness_error = ledger_mismatch(cluster_->ledger(), summary->log);
    const CaseVerdict verdict = judge(scenario, context, summary->log);
    boost::json::object line = result_line(spec_, file_, scenario, verdict);
    write_case_file(folder_, line, summary->log);
    return line;
  }

  void tell_rules(LiveCase& live) {
    for (const auto& status : cluster_->rules()) {
      if (!status.error.empty())
        live.note({{"e", "rule.failed"}, {"id", status.rule.id}, {"error", status.error}});
      if (status.hits == 0) {
        live.note({{"e", "rule.unfired"}, {"id", status.rule.id}});
      } else {
        live.note({{"e", "rule.hit"}, {"id", status.rule.id}, {"hits", status.hits}});
      }
    }
  }

  // Ends a case that takes too long: kills the driver, so that a call returns, and ends waits.
  class Watchdog {
   public:
    Watchdog(Millis time, DriverProcess& driver, capture::LiveCapture& capture)
        : thread_([this, time, &driver, &capture] {
            std::unique_lock lock(mutex_);
            if (done_.wait_for(lock, time, [this] { return over_; })) return;
            expired_ = true;
            driver.signal(SIGKILL);
            capture.cancel_waits();
          }) {}
    ~Watchdog() {
      {
        const std::lock_guard lock(mutex_);
        over_ = true;
      }
      done_.notify_all();
      thread_.join();
    }
    [[nodiscard]] bool expired() const { return expired_; }

   private:
    std::mutex mutex_;
    std::condition_variable done_;
    bool over_ = false;
    std::atomic<bool> expired_ = false;
    std::thread thread_;
  };

  fs::path folder_;
  CaseSpec spec_;
  ScenarioFile file_;
  fakebroker::ClusterSpec cluster_spec_;
  std::unique_ptr<capture::LiveCapture> capture_;
  std::unique_ptr<fakebroker::Cluster> cluster_;
  std::optional<capture::NoteSender> notes_;
  std::atomic<std::size_t> event_notes_ = 0;
  std::unique_ptr<DriverProcess> driver_;  // last: it ends before what its events are sent to
};

}  // namespace

void run_case(const fs::path& folder, const std::function<void()>& started,
              const std::function<void(const boost::json::object& line)>& judged) {
  const auto begin = SteadyClock::now();
  const auto tell = [&](boost::json::object line) {
    line["seconds"] = std::chrono::duration<double>(SteadyClock::now() - begin).count();
    judged(line);
  };
  auto spec = read_case_spec(folder);
  auto file = load_scenario((folder / "scenario.yaml").string());
  if (!spec || !file) {
    const Error& why = spec ? file.error() : spec.error();
    return tell({{"kind", "case"}, {"verdict", "error"}, {"reason", why.to_string()}});
  }
  CaseRun run(folder, std::move(*spec), std::move(*file));
  tell(run.run(started));
}

Result<boost::json::object> judge_again(const fs::path& folder) {
  const auto spec = read_case_spec(folder);
  if (!spec) return tl::unexpected<Error>(spec.error());
  const auto file = load_scenario((folder / "scenario.yaml").string());
  if (!file) return tl::unexpected<Error>(file.error());
  const auto scenario = file->bind(spec->context(true));
  if (!scenario) return tl::unexpected<Error>(scenario.error());
  capture::ReadOptions options;
  options.accept_damaged_end = true;
  const auto log = capture::analyze_file((folder / "wire.pcapng").string(), options);
  if (!log) return tl::unexpected<Error>(log.error());
  return result_line(*spec, *file, *scenario, judge(*scenario, spec->context(true), *log));
}

}  // namespace ktrial::harness
