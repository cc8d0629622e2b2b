// SPDX-License-Identifier: Apache-2.0
// The command line. The only unit that sees CLI11 (it costs five seconds to compile).
#include "harness/cli/cli.h"

#include "harness/cli/commands.h"

#include <CLI/CLI.hpp>

namespace ktrial::harness {
namespace {

void add_security(CLI::App& app, SecurityOptions& security) {
  app.add_option("--listener", security.listeners,
                 "[NAME=]PROTOCOL[:PORT], may be repeated; the first has --port. PLAINTEXT, SSL, "
                 "SASL_PLAINTEXT or SASL_SSL");
  app.add_option(
      "--sasl-mechanism", security.mechanisms,
      "PLAIN, SCRAM-SHA-256, SCRAM-SHA-512, OAUTHBEARER; may be repeated (default: all)");
  app.add_option("--user", security.users, "NAME:PASSWORD of PLAIN and SCRAM, may be repeated");
  app.add_option("--max-reauth", security.max_reauth_ms, "connections.max.reauth.ms")
      ->check(CLI::NonNegativeNumber);
  app.add_option("--auth-failure-delay", security.failure_delay_ms,
                 "connection.failed.authentication.delay.ms")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  app.add_option("--oauth-keys", security.oauth_keys,
                 "JWKS or PEM of the public keys that sign tokens (default: unsecured tokens)");
  app.add_option("--oauth-issuer", security.oauth_issuer, "that signed tokens must have");
  app.add_option("--oauth-audience", security.oauth_audiences,
                 "of which signed tokens must have one, may be repeated");
  app.add_option("--tls-cert", security.certificate,
                 "PEM of the brokers' certificate (default: one made at start)");
  app.add_option("--tls-key", security.key, "PEM of its key");
  app.add_option("--tls-client-ca", security.client_ca, "PEM of the CA of clients' certificates");
  app.add_option("--tls-client-auth", security.client_auth, "none, requested or required")
      ->capture_default_str();
  app.add_option("--tls-dir", security.tls_dir,
                 "where to write the made CA and a client's certificate and key");
  app.add_option("--tls-key-log", security.key_log,
                 "where to log the secrets of TLS sessions, for Wireshark");
  app.add_flag("--authorizer", security.authorizer, "enforce ACLs");
  app.add_option("--super-user", security.super_users, "User:NAME, may be repeated");
  app.add_flag("--allow-if-no-acl", security.allow_if_no_acl, "allow.everyone.if.no.acl.found");
}

}  // namespace

int run_cli(int argc, char** argv) {
  CLI::App app{
      "ktrial puts Kafka clients on trial: scenarios on a fake cluster, judged from the packets."};
  app.name("ktrial");
  app.set_version_flag("--version", KTRIAL_VERSION);
  app.require_subcommand(1);
  int code = kExitMet;

  RunOptions run;
  run.arguments.assign(argv + 1, argv + argc);
  auto* run_app =
      app.add_subcommand("run", "run scenarios against clients and judge what was on the wire");
  run_app->add_option("scenarios", run.globs,
                      "id globs, e.g. 'connection/*', or .yaml files; none: all");
  run_app->add_option("--set", run.set, "a set of scenarios (`ktrial list sets`)");
  run_app
      ->add_option("--client", run.clients,
                   "NAME, NAME@VERSION or a driver's path; none: every default one")
      ->take_all()
      ->expected(1)
      ->allow_extra_args(false);
  run_app->add_option("--out", run.out, "folder for results (default ktrial-out/<time>)");
  run_app
      ->add_option("-j,--jobs", run.parallel, "cases at once (default: by calibration of the host)")
      ->check(CLI::Range(1, 256));
  run_app->add_option("--repeat", run.repeat, "run each case so often")
      ->check(CLI::Range(1, 10'000));
  run_app->add_option("--time-scale", run.time_scale, "stretch waits and deadlines by this factor")
      ->check(CLI::Range(0.1, 100.0));
  run_app
      ->add_option(
          "--accelerate", run.accelerate,
          "run the clients' clocks so much faster (under libfaketime) and judge their times "
          "scaled by it")
      ->check(CLI::Range(1.0, 1000.0));
  run_app->add_option("--shard", run.shard, "i/n: only the i-th of n parts, 1-based");
  run_app->add_flag("--strict", run.strict, "a missed SHOULD fails, too");
  run_app->add_flag("--report-only", run.report_only, "exit 0 whatever the verdicts");
  run_app->callback([&] { code = run_command(run); });

  std::string what;
  auto* list_app =
      app.add_subcommand("list", "what there is: scenarios, sets, clients, checks, claims");
  list_app->add_option("what", what)
      ->required()
      ->check(CLI::IsMember({"scenarios", "sets", "clients", "checks", "claims"}));
  list_app->callback([&] { code = list_command(what); });

  ClusterOptions cluster;
  auto* cluster_app =
      app.add_subcommand("cluster", "serve the fake cluster on its own until SIGINT or SIGTERM");
  cluster_app->add_option("FILE", cluster.file,
                          "YAML: brokers, topics, rules, ..., as a scenario has under cluster:");
  cluster_app->add_option("--brokers", cluster.brokers)
      ->check(CLI::Range(1, 5000))
      ->capture_default_str();
  cluster_app
      ->add_option("--listen", cluster.listen,
                   "address of every broker; 'spread' gives each its own 127.b.x.y")
      ->capture_default_str();
  cluster_app
      ->add_option("--port", cluster.port, "of the first broker, the others follow; 0: free ports")
      ->capture_default_str();
  cluster_app->add_option("--advertise", cluster.advertise,
                          "HOST[:PORT] that clients are told instead of where the brokers listen; "
                          "the port is the first broker's");
  cluster_app->add_option("--topic", cluster.topics, "NAME[:PARTITIONS], may be repeated");
  cluster_app->add_option("--topics", cluster.topics_file,
                          "a YAML file: {orders: {partitions: 3, leaders: [1, 2, 3], configs: "
                          "{retention.ms: 3600000}}, ...}");
  cluster_app->add_option("--release", cluster.release,
                          "of Kafka that the brokers pass for, e.g. 2.8 (default: the newest)");
  cluster_app->add_option("--config", cluster.config,
                          "KEY=VALUE of the brokers' configuration, e.g. max.connections=100; may "
                          "be repeated");
  cluster_app
      ->add_option("--record-memory", cluster.record_memory,
                   "bytes that all logs may keep, e.g. 512MiB; over it the oldest records of the "
                   "largest go (default: 1GiB)")
      ->transform(CLI::AsSizeValue(false));
  cluster_app->add_flag("--discard", cluster.discard,
                        "check and count what is produced, but keep none of it");
  cluster_app->add_flag("--json", cluster.json, "print the ready line as JSON");
  cluster_app->add_flag("--no-auto-create", cluster.no_auto_create, "unknown topics stay unknown");
  cluster_app->add_flag("--exit-with-parent", cluster.exit_with_parent,
                        "end when the process that started this one does");
  cluster_app
      ->add_option(
          "--control", cluster.control,
          "[ADDRESS:]PORT of the REST and WebSocket control and its page; 0: a free port; off")
      ->capture_default_str();
  cluster_app->add_option("--control-token", cluster.control_token,
                          "what requests to the control must bring; needed if others can reach it");
  add_security(*cluster_app, cluster.security);
  cluster_app->callback([&] { code = cluster_command(cluster); });

  std::string dir;
  auto* verify_app = app.add_subcommand(
      "verify", "judge a finished run again, from its captures and scenario files alone");
  verify_app->add_option("dir", dir, "a run's folder")->required();
  verify_app->callback([&] { code = verify_command(dir); });

  std::vector<std::string> dirs;
  auto* report_app =
      app.add_subcommand("report", "write report.html and junit.xml of finished runs");
  report_app->add_option("dirs", dirs, "run folders")->required();
  report_app->callback([&] { code = report_command(dirs); });

  DiagramOptions diagram;
  auto* diagram_app =
      app.add_subcommand("diagram", "draw one case of a finished run as an SVG file of its own");
  diagram_app->add_option("dir", diagram.dir, "a run's folder")->required();
  diagram_app->add_option("case", diagram.id, "the case's id")->required();
  diagram_app->add_option("--client", diagram.client, "NAME or NAME@VERSION, if several ran it");
  diagram_app->add_option("--variant", diagram.variant, "AXIS=VALUE, if the case has variants");
  diagram_app->add_option("--from", diagram.from,
                          "seconds from the first packet, or the name of a mark");
  diagram_app->add_option("--until", diagram.until, "likewise; default: the case's whole length");
  diagram_app->add_option("--lanes", diagram.lanes, "connections drawn; the others are counted")
      ->check(CLI::Range(1, 5000))
      ->capture_default_str();
  diagram_app->add_option("-o,--out", diagram.out, "file to write; none: standard output");
  diagram_app->callback([&] { code = diagram_command(diagram); });

  auto* doctor_app = app.add_subcommand(
      "doctor",
      "rights, kernel features, timing quality, drivers: what works, how to mend what does not");
  doctor_app->callback([&] { code = doctor_command(); });

  std::vector<std::string> self_globs;
  std::string self_set;
  int self_parallel = 0;
  auto* self_app = app.add_subcommand(
      "self-test", "every mutant of the reference client must turn the checks it names red");
  self_app->add_option("scenarios", self_globs, "id globs; none: all");
  self_app->add_option("--set", self_set, "only the scenarios of a set");
  self_app->add_option("-j,--jobs", self_parallel)->check(CLI::Range(1, 256));
  self_app->callback([&] { code = self_test_command(self_globs, self_set, self_parallel); });

  std::vector<std::string> command;
  auto* check_app =
      app.add_subcommand("driver-check", "does a driver speak the protocol? (docs/drivers.md)");
  check_app->add_option("command", command, "the driver, and its arguments")->required();
  check_app->callback([&] { code = driver_check_command(command); });

  std::string case_dir;
  auto* case_app = app.add_subcommand("case", "")->group("");
  case_app->add_option("dir", case_dir)->required();
  case_app->callback([&] { code = case_command(case_dir); });

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? kExitMet : kExitUsage;
  }
  return code;
}

}  // namespace ktrial::harness
