// SPDX-License-Identifier: Apache-2.0
// Scenario files: what they become, and what a slip in one is answered with.
#include "harness/scenario/scenario_file.h"

#include "harness/check/check.h"
#include "harness/check/judge_support.h"
#include "harness/check/selector_reader.h"
#include "harness/check/wait.h"
#include "source_dir.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

namespace ktrial::harness {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

std::string fault(const std::string& text) {
  const auto file = parse_scenario(text, "a.yaml");
  return file ? "loads" : file.error().to_string();
}
// The fault in a scenario whose line 5 is `line`.
std::string fault_in(const std::string& line) {
  return fault(
      "id: a/b\ncluster: {brokers: 2, topics: {t: }}\nclient: {role: producer}\n"
      "steps: [{client: create}, {mark: quiet}, {mark: end}]\n" +
      line + "\nchecks: [{id: c, level: MUST, count: {of: {event: req}, min: 1}}]\n");
}
std::string fault_of_check(const std::string& check) {
  return fault(
      "id: a/b\ncluster: {brokers: 2}\nclient: {role: producer}\n"
      "steps: [{client: create}, {mark: quiet}, {mark: end}]\nlet: {boot: {conns: {role: "
      "bootstrap}}}\n"
      "checks:\n- {id: c, level: MUST, " +
      check + "}\n");
}
std::string fault_of_steps(const std::string& steps) {
  return fault("id: a/b\ncluster: {brokers: 2}\nclient: {role: producer}\nsteps:\n" + steps +
               "checks: [{id: c, level: MUST, count: {of: {event: req}, min: 1}}]\n");
}

TEST(ScenarioFile, TheWorkedExamplesLoad) {
  int files = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(KTRIAL_SOURCE_DIR "/harness/scenario/testdata")) {
    const auto file = load_scenario(entry.path().string());
    ASSERT_TRUE(file) << file.error().to_string();
    for (const Axes& axes : file->variants()) {
      CaseContext context = a_client();
      context.axes = axes;
      const auto scenario = file->bind(context);
      EXPECT_TRUE(scenario) << scenario.error().to_string();
    }
    ++files;
  }
  EXPECT_EQ(files, 4);
}

TEST(ScenarioFile, BindsClusterClientAndSteps) {
  const auto file =
      load_scenario(KTRIAL_SOURCE_DIR "/harness/scenario/testdata/exponential-backoff.yaml");
  ASSERT_TRUE(file);
  ASSERT_EQ(file->variants().size(), 2U);
  CaseContext context = a_client();
  context.axes = {{"mode", "blackhole"}};
  const auto scenario = file->bind(context);
  ASSERT_TRUE(scenario);
  EXPECT_EQ(scenario->full_id(), "connection/reconnect/exponential-backoff/mode=blackhole");
  EXPECT_THAT(scenario->cluster.bootstrap, ElementsAre(1));
  EXPECT_EQ(scenario->clients.at(0).config.at("socket.connection.setup.timeout.ms"), "1000");
  const auto& down = std::get<BrokerStep>(scenario->steps.at(3).what);
  EXPECT_EQ(down.broker, 2);
  EXPECT_EQ(down.action, "blackhole");
  EXPECT_EQ(down.members.at("drop_conns"), "rst");
  const auto& send = std::get<ClientStep>(scenario->steps.at(5).what);
  EXPECT_EQ(send.members.at("async"), true);
  const auto& wait = std::get<WaitStep>(scenario->steps.at(6).what);
  EXPECT_EQ(wait.deadline, Millis(40'000));
  EXPECT_EQ(wait.condition->text(), "9 of conn.attempt broker=2");
  EXPECT_THAT(scenario->killed_by("no-cap"), ElementsAre("grows-then-caps"));
}

TEST(ScenarioFile, AVariantChoosesValuesAndLeavesDefaultsOut) {
  const std::string text =
      "id: a/b\nmatrix: {first: [client, broker], n: [1, 2]}\n"
      "vars: {idle: \"${first == client ? 3s : 2s}\"}\n"
      "cluster: {brokers: 1, idle_close: \"${first == broker ? idle : never}\"}\n"
      "client: {role: producer, config: {client.id: \"${case}\", a: \"${first == client ? 3000 : "
      "default}\"}}\n"
      "steps: [{sleep: \"${idle * n}\"}]\n"
      "checks: [{id: c, level: MUST, count: {of: {event: req}, min: 1}}]\n"
      "mutants: {m: {first=client: [c]}}\n";
  const auto file = parse_scenario(text, "a.yaml");
  ASSERT_TRUE(file) << file.error().to_string();
  EXPECT_EQ(file->variants().size(), 4U);
  CaseContext context;
  context.axes = {{"first", "broker"}, {"n", "2"}};
  context.case_name = "x";
  const auto broker = file->bind(context);
  EXPECT_EQ(broker->cluster.idle_close, Millis(2000));
  EXPECT_THAT(broker->clients.at(0).config, ElementsAre(Pair("client.id", "x")));
  EXPECT_EQ(std::get<SleepStep>(broker->steps.at(0).what).time, Millis(4000));
  EXPECT_TRUE(broker->killed_by("m").empty());
  context.axes["first"] = "client";
  const auto client = file->bind(context);
  EXPECT_FALSE(client->cluster.idle_close);
  EXPECT_EQ(client->clients.at(0).config.at("a"), "3000");
  EXPECT_THAT(client->killed_by("m"), ElementsAre("c"));
}

TEST(ScenarioFile, SlipsHaveAPlaceAndARemedy) {
  EXPECT_EQ(fault_in("exclusiv: true"),
            "a.yaml:5:1: a scenario has no 'exclusiv'; did you mean 'exclusive'?");
  EXPECT_EQ(fault_in("timeout: soon"),
            "a.yaml:5:10: a duration (3s, 250ms, 5min) was expected, not 'soon'");
  EXPECT_EQ(fault_in("matrix: {mode: refuse}"), "a.yaml:5:16: axis 'mode' needs a list of values");
  EXPECT_EQ(fault_in("mutants: {x: [d]}"), "a.yaml:5:15: unknown check 'd'; did you mean 'c'?");
  EXPECT_EQ(fault_in("when: {profile: {connect: eager}, clint: java}"),
            "a.yaml:5:35: when has no 'clint'; did you mean 'client'?");
  EXPECT_EQ(fault_in("id: x"), "a.yaml:5:1: 'id' is here a second time");
  EXPECT_THAT(fault_in("tags: [a"), HasSubstr("a.yaml:6:7: not YAML"));
  EXPECT_EQ(fault("id: A b\nsteps: []\nchecks: []\n"),
            "a.yaml:1:5: an id is made of a-z, 0-9, '-' and '.', with '/' between its parts");
  EXPECT_EQ(fault("id: a\nsteps: []\n"), "a.yaml:1:1: a scenario needs 'checks'");
  EXPECT_EQ(fault("- a\n"), "a.yaml:1:1: a scenario is a map with id, steps and checks");
}

TEST(ScenarioFile, SlipsInStepsAreToldWithTheVocabulary) {
  EXPECT_EQ(
      fault_of_steps("- {load: 100}\n"),
      "a.yaml:5:4: unknown verb 'load'; verbs are client, broker, cluster, mark, wait, sleep, "
      "parallel");
  EXPECT_EQ(fault_of_steps("- {slep: 1s}\n"),
            "a.yaml:5:4: unknown verb 'slep'; did you mean 'sleep'?; verbs are client, broker, "
            "cluster, mark, wait, sleep, parallel");
  EXPECT_EQ(fault_of_steps("- {client: sned, topic: t}\n"),
            "a.yaml:5:12: unknown client call 'sned'; did you mean 'send'?");
  EXPECT_EQ(fault_of_steps("- {client: send, topc: t}\n"),
            "a.yaml:5:3: step 'client' needs 'topic'\n"
            "a.yaml:5:18: step 'client' has no 'topc'; did you mean 'topic'?");
  EXPECT_EQ(fault_of_steps("- {broker: 3, do: stop}\n"),
            "a.yaml:5:12: an integer from 1 to 2 was expected, not 3");
  EXPECT_EQ(fault_of_steps("- {broker: 1, do: explode}\n").substr(0, 40),
            "a.yaml:5:19: unknown broker action 'expl");
  EXPECT_EQ(fault_of_steps("- {mark: a}\n- {mark: a}\n"),
            "a.yaml:6:10: mark 'a' is set a second time");
  EXPECT_EQ(fault_of_steps("- {wait: {event: resp, api: Metadate, deadline: 1s}}\n"),
            "a.yaml:5:29: unknown API 'Metadate'; did you mean 'Metadata'?");
}

TEST(ScenarioFile, SlipsInChecksAreToldAtTheirPlace) {
  EXPECT_EQ(fault_of_check("cuont: {of: {event: req}, min: 1}").substr(0, 66),
            "a.yaml:7:24: check 'c' has no 'cuont'; did you mean 'count'?");
  EXPECT_EQ(fault_of_check("count: {of: {event: req, window: [quite, end]}, min: 1}"),
            "a.yaml:7:58: no step sets a mark 'quite'; did you mean 'quiet'?");
  EXPECT_EQ(fault_of_check("count: {of: {event: req, window: [create.begin, send.begin]}, min: 1}"),
            "a.yaml:7:72: no step sets a mark 'send.begin'; known: create.begin, create.1.begin, "
            "create.end, create.1.end, quiet, end, start_of_case, end_of_case");
  EXPECT_EQ(fault_of_check("count: {of: bot, min: 1}"),
            "a.yaml:7:36: no selector is called 'bot'; did you mean 'boot'?");
  EXPECT_EQ(fault_of_check("count: {of: {event: requ}, min: 1}"),
            "a.yaml:7:44: unknown event 'requ'; did you mean 'req'?");
  EXPECT_EQ(fault_of_check("count: {of: {event: req}}"),
            "a.yaml:7:31: count needs eq, min, max or, at level INFO, report: n");
  EXPECT_EQ(
      fault_of_check("count: {of: {event: req}, max: \"${idel}\"}"),
      "a.yaml:7:57: unknown name 'idel'; known: case, client.name, client.version, time_scale");
  EXPECT_EQ(fault_of_check("gap: {from: last_payload, to: first_fin_or_rst, max: 1s}"),
            "a.yaml:7:36: 'last_payload' has a meaning only inside each over connections\n"
            "a.yaml:7:54: 'first_fin_or_rst' has a meaning only inside each over connections");
  EXPECT_EQ(fault_of_check("value: {of: {event: req}, each: {broker: {eqq: 1}}}"),
            "a.yaml:7:66: unknown test 'eqq'; did you mean 'eq'?");
  EXPECT_EQ(fault_of_check("count: {of: {event: req}, min: 1}, order: [quiet, end]").substr(0, 65),
            "a.yaml:7:59: a check is one of its kind: 'count' and 'order' stan");
  EXPECT_EQ(fault_of_check("expect: {java: 1}, count: {of: {event: req}, min: 1}"),
            "a.yaml:7:32: expect belongs to INFO checks: a finding never fails a run");
  EXPECT_EQ(fault_of_check("value: {of: {event: req}, each: {api: {re: \"(\"}}}"),
            "a.yaml:7:67: '(' is no regular expression");
}

TEST(ScenarioFile, AWordThatIsNoValueOfItsAxisIsASlip) {
  EXPECT_EQ(
      fault("id: a\nmatrix: {mode: [refuse, blackhole]}\nsteps: []\nchecks:\n"
            "- {id: c, level: MUST, when: mode == refus, count: {of: {event: req}, min: 1}}\n"),
      "a.yaml:5:38: axis 'mode' has no value 'refus'; did you mean 'refuse'?");
}

TEST(ScenarioFile, AHostileFileIsRefusedQuickly) {
  EXPECT_THAT(fault(std::string(200'000, '[')), HasSubstr("a.yaml:1:"));
  EXPECT_THAT(fault(std::string(std::size_t{2} << 20U, 'x')), HasSubstr("more than 1 MiB"));
  std::string bomb = "a: &a [x, x, x, x, x, x, x, x, x, x]\n";
  for (char c = 'b'; c < 'k'; ++c) {
    bomb += std::string(1, c) + ": &" + c + " [";
    for (int i = 0; i < 10; ++i)
      bomb += std::string(i > 0 ? ", " : "") + "*" + static_cast<char>(c - 1);
    bomb += "]\n";
  }
  EXPECT_THAT(fault(bomb), HasSubstr("more than 100000 values"));
}

// What editors complete and readers read is what the loader knows.
TEST(ScenarioFile, SchemaAndDocumentationKnowEveryCheckAndEvent) {
  const auto read = [](const char* path) {
    std::ifstream file(path);
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  const auto schema =
      boost::json::parse(read(KTRIAL_SOURCE_DIR "/docs/schema/scenario.schema.json"));
  const std::string documentation = read(KTRIAL_SOURCE_DIR "/docs/scenario-language.md");
  const auto& body = schema.at("$defs").at("body").at("properties").as_object();
  for (const std::string& key : check_keys()) {
    EXPECT_TRUE(body.contains(key)) << key;
    EXPECT_THAT(documentation, HasSubstr(key));
  }
  const std::string text = boost::json::serialize(schema);
  for (const std::string& type : event_types()) EXPECT_THAT(text, HasSubstr('"' + type + '"'));
}

TEST(ClientMatch, ComparesVersionsByTheirNumbers) {
  const auto matches = [](const char* text, const char* version) {
    return ClientMatch::parse(text)->matches("java", version);
  };
  EXPECT_TRUE(matches("java >=2.3 <3.0", "2.10.1"));
  EXPECT_FALSE(matches("java >=2.3 <3.0", "3.0.0"));
  EXPECT_TRUE(matches("java@4.4.0-consumer", "4.4.0-consumer"));
  EXPECT_FALSE(matches("java@4.4.0-consumer", "4.4.0"));
  EXPECT_TRUE(matches("java >=4.4", "4.4.0-consumer"));
  EXPECT_FALSE(matches("!java", "1"));
  EXPECT_TRUE(matches("*", "1"));
  EXPECT_FALSE(ClientMatch::parse("java newer"));
  EXPECT_FALSE(ClientMatch::parse(""));
}

// ---- waits on a growing log

WaitCondition wait_for(const std::string& wait) {
  const auto file = parse_scenario(
      "id: a\ncluster: {brokers: 3}\nclient: {role: producer}\nsteps: [{mark: up}, {wait: " + wait +
          "}]\nchecks: [{id: c, level: MUST, count: {of: {event: req}, min: 1}}]\n",
      "a.yaml");
  EXPECT_TRUE(file) << (file ? "" : file.error().to_string());
  const auto scenario = file->bind({});
  return *std::get<WaitStep>(scenario->steps.at(1).what).condition;
}

TEST(Wait, IsSatisfiedOnceTheLogHasIt) {
  LogBuilder log;
  const int first = log.open(1, 1), second = log.open(2, 2);
  log.request(3, first, "Fetch");
  EXPECT_TRUE(satisfied(wait_for("{event: req, api: Fetch}"), log.build()));
  EXPECT_FALSE(satisfied(wait_for("{event: req, api: Fetch, count: 2}"), log.build()));
  EXPECT_TRUE(satisfied(wait_for("{event: req, api: Fetch, broker: [1, 2]}"), log.build()));
  EXPECT_FALSE(satisfied(wait_for("{event: req, api: Fetch, brokers: [1, 2]}"), log.build()));
  EXPECT_FALSE(satisfied(wait_for("{event: req, api: Fetch, window: [up, now]}"), log.build()));
  log.request(4, second, "Fetch");
  EXPECT_TRUE(satisfied(wait_for("{event: req, api: Fetch, broker: [1, 2], each_broker: true}"),
                        log.build()));
  log.mark(5, "up").request(6, second, "Fetch");
  EXPECT_TRUE(satisfied(wait_for("{event: req, api: Fetch, window: [up, now]}"), log.build()));
  EXPECT_TRUE(satisfied(wait_for("{conns: {apis: [Fetch]}, count: 2}"), log.build()));
}

}  // namespace
}  // namespace ktrial::harness
