// SPDX-License-Identifier: Apache-2.0
#include "harness/run/catalogue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include <fstream>

namespace ktrial::harness {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class CatalogueFolder : public ::testing::Test {
 protected:
  CatalogueFolder()
      : dir_(fs::path(::testing::TempDir()) / ("catalogue_" + std::to_string(::getpid()))) {
    fs::create_directories(dir_ / "area");
    scenario("one", "C1");
    scenario("two", "C2");
    write("claims.yaml",
          "C1: {claim: first}\nC2: {claim: second, unobservable: no packet shows it}\n");
    write("sets.yaml",
          "quick: {title: the quick one, scenarios: [area/one]}\n"
          "slow: {title: the slow one, scenarios: [area/two], on_request: true, jobs: 32}\n");
  }
  ~CatalogueFolder() override { fs::remove_all(dir_); }

  void write(const std::string& name, const std::string& text) {
    std::ofstream(dir_ / name) << text;
  }
  void scenario(const std::string& name, const std::string& claim) {
    write("area/" + name + ".yaml",
          "ktrial: 1\nid: area/" + name +
              "\ntitle: t\ncluster: {brokers: 1}\nclient: {role: producer}\n"
              "steps: [{client: create}]\nchecks:\n  - id: c\n    level: INFO\n    decides: " +
              claim + "\n    count: {of: {event: req}, min: 1}\n");
  }
  static std::vector<std::string> ids(const std::vector<const ScenarioFile*>& files) {
    std::vector<std::string> out;
    for (const ScenarioFile* file : files) out.push_back(file->id());
    return out;
  }

  fs::path dir_;
};

TEST_F(CatalogueFolder, WithoutNamesRunsAllButWhatRunsOnRequest) {
  auto catalogue = Catalogue::read(dir_);
  ASSERT_TRUE(catalogue) << catalogue.error().to_string();
  EXPECT_THAT(ids(*catalogue->select({})), ElementsAre("area/one"));
  EXPECT_THAT(ids(*catalogue->select({}, "slow")), ElementsAre("area/two"));
  EXPECT_THAT(ids(*catalogue->select({"area/*"})), ElementsAre("area/one", "area/two"));
  EXPECT_THAT(ids(*catalogue->select({"area/*"}, "quick")), ElementsAre("area/one"));
  EXPECT_EQ(catalogue->sets.back().jobs, 32);
}

TEST_F(CatalogueFolder, ASetThatDoesNotExistIsToldWithTheWayToFindOne) {
  auto catalogue = Catalogue::read(dir_);
  ASSERT_TRUE(catalogue);
  const auto selected = catalogue->select({}, "claim");
  ASSERT_FALSE(selected);
  EXPECT_THAT(selected.error().to_string(), HasSubstr("ktrial list sets"));
}

TEST_F(CatalogueFolder, ACheckMayDecideOnlyAClaimThatThereIs) {
  scenario("two", "C3");
  const auto catalogue = Catalogue::read(dir_);
  ASSERT_FALSE(catalogue);
  EXPECT_THAT(catalogue.error().to_string(), HasSubstr("decides 'C3', which is no claim"));
  EXPECT_THAT(catalogue.error().to_string(), HasSubstr("two.yaml:8"));
}

TEST_F(CatalogueFolder, ASlipInAListNamesItsPlace) {
  write("claims.yaml", "C1: {clam: first}\n");
  const auto catalogue = Catalogue::read(dir_);
  ASSERT_FALSE(catalogue);
  EXPECT_THAT(catalogue.error().to_string(), HasSubstr("claims.yaml:1:6"));
  EXPECT_THAT(catalogue.error().to_string(), HasSubstr("did you mean 'claim'"));
}

}  // namespace
}  // namespace ktrial::harness
