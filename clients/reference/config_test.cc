// SPDX-License-Identifier: Apache-2.0
#include "clients/reference/config.h"

#include <gtest/gtest.h>

namespace ktrial::client {
namespace {

TEST(Config, HasJavasDefaults) {
  const auto config = parse_config(Role::kProducer, {{"bootstrap.servers", "a:1,[::1]:2"}});
  ASSERT_TRUE(config);
  EXPECT_EQ(config->bootstrap, (std::vector<HostPort>{{"a", 1}, {"::1", 2}}));
  EXPECT_EQ(config->idle, Millis(540'000));
  EXPECT_TRUE(config->idempotent);
}

TEST(Config, RefusesUnknownKeysAndOtherRoles) {
  const auto unknown = parse_config(Role::kProducer, {{"bootstrap.servers", "a:1"}, {"x.y", "1"}});
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().code, Errc::kUnsupported);
  EXPECT_EQ(unknown.error().message, "config x.y");
  EXPECT_FALSE(parse_config(Role::kProducer, {{"bootstrap.servers", "a:1"}, {"group.id", "g"}}));
}

TEST(Config, RefusesValuesThatCannotBe) {
  for (const char* servers : {"", "a", "a:0", "a:70000", ":1"}) {
    EXPECT_FALSE(parse_config(Role::kProducer, {{"bootstrap.servers", servers}})) << servers;
  }
  EXPECT_FALSE(parse_config(Role::kProducer, {{"bootstrap.servers", "a:1"}, {"linger.ms", "-1"}}));
}

TEST(Config, PlainIsReadAsJavaClientsAreToldIt) {
  const auto with = [](const std::string& mechanism, const std::string& jaas) {
    return parse_config(Role::kProducer, {{"bootstrap.servers", "a:1"},
                                          {"security.protocol", "SASL_PLAINTEXT"},
                                          {"sasl.mechanism", mechanism},
                                          {"sasl.jaas.config", jaas}});
  };
  const std::string plain = "org.apache.kafka.common.security.plain.PlainLoginModule required ";
  const auto config = with("PLAIN", plain + R"(username="alice" password="a\"b\\";)");
  ASSERT_TRUE(config) << config.error().to_string();
  EXPECT_TRUE(config->sasl);
  EXPECT_EQ(config->sasl_user, "alice");
  EXPECT_EQ(config->sasl_password, "a\"b\\");
  EXPECT_FALSE(with("PLAIN", plain + R"(username="alice";)"));
  EXPECT_FALSE(with("PLAIN", "other.Module required username=\"a\" password=\"b\";"));
  EXPECT_FALSE(with("SCRAM-SHA-256", plain + R"(username="a" password="b";)"));
  EXPECT_FALSE(parse_config(
      Role::kProducer, {{"bootstrap.servers", "a:1"}, {"security.protocol", "SASL_PLAINTEXT"}}));
}

TEST(Config, AcksOneTurnsIdempotenceOffUnlessItIsDemanded) {
  const auto quiet = parse_config(Role::kProducer, {{"bootstrap.servers", "a:1"}, {"acks", "1"}});
  ASSERT_TRUE(quiet);
  EXPECT_FALSE(quiet->idempotent);
  EXPECT_FALSE(
      parse_config(Role::kProducer,
                   {{"bootstrap.servers", "a:1"}, {"acks", "1"}, {"enable.idempotence", "true"}}));
}

TEST(Config, TheAssignorsAreJavasAndAListIsKeptInOrder) {
  const auto names = [](const std::map<std::string, std::string>& entries) {
    const auto config = parse_config(Role::kConsumer, entries);
    std::vector<std::string_view> found;
    for (const auto& assignor : config->assignors) found.push_back(assignor->name());
    return found;
  };
  EXPECT_EQ(names({{"bootstrap.servers", "a:1"}}),
            (std::vector<std::string_view>{"range", "cooperative-sticky"}));
  EXPECT_EQ(names({{"bootstrap.servers", "a:1"},
                   {"partition.assignment.strategy", "sticky,RoundRobinAssignor"}}),
            (std::vector<std::string_view>{"sticky", "roundrobin"}));
}

TEST(Config, WhatTheBrokersDecideOnCannotBeSetWithTheNewGroupProtocol) {
  const auto with = [](const std::string& protocol, const std::string& key,
                       const std::string& value) {
    return parse_config(Role::kConsumer, {{"bootstrap.servers", "a:1"},
                                          {"group.id", "g"},
                                          {"group.protocol", protocol},
                                          {key, value}});
  };
  for (const auto& [key, value] :
       std::map<std::string, std::string>{{"session.timeout.ms", "6000"},
                                          {"heartbeat.interval.ms", "1000"},
                                          {"partition.assignment.strategy", "range"}}) {
    EXPECT_TRUE(with("classic", key, value)) << key;
    const auto refused = with("consumer", key, value);
    ASSERT_FALSE(refused) << key;
    EXPECT_EQ(refused.error().code, Errc::kInvalidArgument);
  }
  EXPECT_TRUE(with("consumer", "group.remote.assignor", "range"));
  EXPECT_FALSE(with("classic", "group.remote.assignor", "range"));
}

TEST(Mutants, EveryNameIsKnownAndOthersAreNot) {
  std::string all;
  for (const auto name : kMutantNames) all += std::string(name) + ", ";
  const auto mutants = Mutants::parse(all);
  ASSERT_TRUE(mutants);
  EXPECT_TRUE(mutants->has(Mutant::kLazyConnect));
  EXPECT_TRUE(mutants->has(Mutant::kNoBackoffCap));
  EXPECT_FALSE(Mutants::parse("lazy"));
  EXPECT_EQ(kMutantNames[static_cast<std::size_t>(Mutant::kKeepBootstrap)], "keep-bootstrap");
  EXPECT_EQ(kMutantNames[static_cast<std::size_t>(Mutant::kNoBackoffCap)], "no-backoff-cap");
}

}  // namespace
}  // namespace ktrial::client
