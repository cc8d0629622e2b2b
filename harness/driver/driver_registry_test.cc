// SPDX-License-Identifier: Apache-2.0
#include "harness/driver/driver_registry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

namespace ktrial::harness {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

constexpr const char* kDriver = R"(name: acme
title: Acme client
language: C
build: [./build.sh]
run: ["${build}/driver"]
versions:
  - {version: 1.0.0}
  - {version: 2.0.0, default: true}
  - {version: 2.0.0-new, release: 2.0.0, default: true, roles: [consumer], config: {consumer: {group.protocol: consumer}}}
profiles:
  - values:
      connect: {value: eager, source: docs}
      idle: {closes: {value: client, source: docs}, granularity: {value: 1s, source: docs}}
  - when: {role: consumer}
    values: {connect: {value: on_poll, source: docs}}
  - when: {version: ">=2"}
    values: {idle: {granularity: {value: 2s, source: docs}}}
)";

class Registry : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "ktrial-registry-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
  }
  void TearDown() override { fs::remove_all(folder_); }
  [[nodiscard]] Result<DriverRegistry> read(const std::string& text) const {
    fs::create_directories(folder_ / "acme");
    std::ofstream(folder_ / "acme" / "driver.yaml") << text;
    return DriverRegistry::read(folder_);
  }
  static std::vector<std::string> names(const std::vector<ClientChoice>& choices) {
    std::vector<std::string> out;
    for (const ClientChoice& choice : choices) out.push_back(choice.name());
    return out;
  }

  fs::path folder_;
};

using Names = std::vector<std::string>;

TEST_F(Registry, ChoosesTheDefaultsUnlessAsked) {
  const auto registry = read(kDriver);
  ASSERT_TRUE(registry.has_value()) << registry.error().to_string();
  const auto chosen = registry->choose({});
  ASSERT_TRUE(chosen.has_value());
  EXPECT_EQ(names(*chosen), (Names{"acme@2.0.0", "acme@2.0.0-new"}));
}

TEST_F(Registry, ChoosesAVersionByName) {
  const auto registry = read(kDriver);
  ASSERT_TRUE(registry.has_value());
  const auto chosen = registry->choose({"acme@1.0.0"});
  ASSERT_TRUE(chosen.has_value());
  EXPECT_EQ(names(*chosen), Names{"acme@1.0.0"});
}

TEST_F(Registry, UnknownClientListsTheKnownOnes) {
  const auto registry = read(kDriver);
  ASSERT_TRUE(registry.has_value());
  const auto chosen = registry->choose({"acme@3"});
  ASSERT_FALSE(chosen.has_value());
  EXPECT_THAT(chosen.error().message, HasSubstr("acme@1.0.0"));
}

TEST_F(Registry, ReleaseIsWhatIsBuiltAndVersionTheColumn) {
  const auto registry = read(kDriver);
  ASSERT_TRUE(registry.has_value());
  const auto& versions = registry->drivers().front().versions;
  EXPECT_EQ(versions[1].release, "2.0.0");
  EXPECT_EQ(versions[2].release, "2.0.0");
  EXPECT_FALSE(versions[2].has_role("producer"));
  EXPECT_TRUE(versions[1].has_role("producer"));
  EXPECT_EQ(versions[2].config.at("consumer").at("group.protocol"), "consumer");
}

TEST_F(Registry, LaterProfilesOverrideLeafByLeaf) {
  const auto registry = read(kDriver);
  ASSERT_TRUE(registry.has_value());
  const Driver& driver = registry->drivers().front();
  EXPECT_EQ(driver.profile("1.0.0", "producer").at("connect").at("value"), "eager");
  EXPECT_EQ(driver.profile("1.0.0", "consumer").at("connect").at("value"), "on_poll");
  const auto newer = driver.profile("2.0.0", "producer");
  EXPECT_EQ(newer.at("idle").at("granularity").at("value"), "2s");
  EXPECT_EQ(newer.at("idle").at("closes").at("value"), "client");
  EXPECT_EQ(driver.profile("1.0.0", "producer").at("idle").at("granularity").at("value"), "1s");
}

struct Slip {
  const char* text;
  const char* where;
  const char* told;
};

class RegistrySlips : public Registry, public ::testing::WithParamInterface<Slip> {};

TEST_P(RegistrySlips, NameFileLineAndColumn) {
  const auto registry = read(GetParam().text);
  ASSERT_FALSE(registry.has_value());
  EXPECT_THAT(registry.error().where, HasSubstr(GetParam().where));
  EXPECT_THAT(registry.error().message, HasSubstr(GetParam().told));
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, RegistrySlips,
    ::testing::Values(
        Slip{"name: a\ntitle: A\nlanguage: C\nrun: [x]\nversoins: []\n", "driver.yaml:5:1",
             "versoins"},
        Slip{"title: A\nlanguage: C\nrun: [x]\nversions: [{version: 1}]\n", "driver.yaml:1:1",
             "'name' is missing"},
        Slip{"name: a\ntitle: A\nlanguage: C\nversions: [{version: 1}]\n", "driver.yaml:1:1",
             "'run' is missing"},
        Slip{"name: a\ntitle: A\nlanguage: C\nrun: x\nversions: [{version: 1}]\n",
             "driver.yaml:4:6", "must be a list"},
        Slip{"name: a\ntitle: A\nlanguage: C\nrun: [x]\nversions: [{default: true}]\n",
             "driver.yaml:5:12", "needs 'version'"},
        Slip{"name: a\ntitle: A\nlanguage: C\nrun: [x]\nversions: [{version: 1}]\nprofiles:\n  - "
             "values: 3\n",
             "driver.yaml:7:5", "a profile needs 'values'"},
        Slip{"name: a\ntitle: A\nlanguage: C\nrun: [x]\nstart_weight: many\nversions: [{version: "
             "1}]\n",
             "driver.yaml:5:15", "bad conversion"},
        Slip{"name: [a\n", "driver.yaml:2:1", ""}));

}  // namespace
}  // namespace ktrial::harness
