// SPDX-License-Identifier: Apache-2.0
// The parts of the differential tests that need no broker.
#include "fakebroker/differential/bytes_of.h"
#include "fakebroker/differential/comparison.h"
#include "fakebroker/differential/conversation.h"
#include "fakebroker/differential/message_codecs.h"
#include "fakebroker/differential/variables.h"
#include "fakebroker/differential/yaml.h"
#include "protocol/messages/list_offsets_request.h"
#include "source_dir.h"

#include <gtest/gtest.h>

namespace ktrial::fakebroker::differential {
namespace {

boost::json::value yaml(const std::string& text) { return parse_yaml(text).value(); }

Compared compare(const std::string& rules, const std::string& real, const std::string& fake) {
  Names names;
  return Comparison(parse_rules(yaml(rules)).value())
      .compare("Api", boost::json::parse(real), boost::json::parse(fake), names);
}

TEST(Comparison, CountsEveryFieldAndNamesWhereTheyDiffer) {
  const Compared compared =
      compare("[]", R"({"a": 1, "b": [{"c": null}]})", R"({"a": 1, "b": [{"c": "x"}]})");
  EXPECT_EQ(compared.fields, 3U);  // a, the length of b, c
  ASSERT_EQ(compared.differences.size(), 1U);
  EXPECT_EQ(compared.differences[0].path, "Api.b[0].c");
}

TEST(Comparison, ARenamedValueIsTheSameThroughout) {
  const std::string rules = "[{fields: [id], as: renamed, why: chosen}]";
  EXPECT_TRUE(compare(rules, R"([{"id":"x"},{"id":"x"}])", R"([{"id":"y"},{"id":"y"}])")
                  .differences.empty());
  EXPECT_EQ(
      compare(rules, R"([{"id":"x"},{"id":"x"}])", R"([{"id":"y"},{"id":"z"}])").differences.size(),
      1U);
  EXPECT_EQ(compare(rules, R"({"id":""})", R"({"id":"y"})").differences.size(), 1U);
}

TEST(Comparison, ASetIsComparedByItsKey) {
  const std::string rules = "[{fields: [Api], as: set, by: k, why: hash}]";
  EXPECT_TRUE(compare(rules, R"([{"k":1},{"k":2}])", R"([{"k":2},{"k":1}])").differences.empty());
  const Compared compared = compare(rules, R"([{"k":1},{"k":2}])", R"([{"k":2}])");
  ASSERT_EQ(compared.differences.size(), 1U);
  EXPECT_EQ(compared.differences[0].path, "Api[1]");
}

TEST(Comparison, TextsMustBothBeThereOrNot) {
  const std::string rules = "[{fields: [m], as: text, why: words}]";
  const Compared words = compare(rules, R"({"m":"a"})", R"({"m":"b"})");
  EXPECT_TRUE(words.differences.empty());
  EXPECT_EQ(words.texts, 1U);
  EXPECT_EQ(words.equal_texts, 0U);
  EXPECT_EQ(compare(rules, R"({"m":"a"})", R"({"m":null})").differences.size(), 1U);
}

TEST(Comparison, AKnownDifferenceIsStillOne) {
  const Compared compared =
      compare("[{fields: [m], as: open, why: later}]", R"({"m":1})", R"({"m":2})");
  ASSERT_EQ(compared.differences.size(), 1U);
  EXPECT_TRUE(compared.differences[0].open);
}

TEST(Comparison, ARuleNeedsAReason) { EXPECT_FALSE(parse_rules(yaml("[{fields: [m], as: any}]"))); }

TEST(Requests, AreEncodedFromYaml) {
  const auto body = yaml("{topics: [{name: t, partitions: [{partitionIndex: 1, timestamp: -2}]}]}");
  const auto bytes = encode_request(2, 7, body.as_object());
  ASSERT_TRUE(bytes);
  const auto request = protocol::decode<protocol::ListOffsetsRequest>(Slice(*bytes), 7);
  EXPECT_EQ(request->topics.at(0).partitions.at(0).timestamp, -2);
}

TEST(Requests, AMemberThatNoVersionHasIsAFault) {
  const auto bytes = encode_request(2, 7, yaml("{topics: [{nmae: t}]}").as_object());
  ASSERT_FALSE(bytes);
  EXPECT_EQ(bytes.error().message, "no version has topics.nmae");
  EXPECT_TRUE(encode_request(2, 1, yaml("{timeoutMs: 1}").as_object()));  // v10 has it
}

TEST(Requests, AValueThatDoesNotFitIsAFault) {
  EXPECT_FALSE(encode_request(2, 7, yaml("{replicaId: many}").as_object()));
}

TEST(Variables, AreWrittenIntoBodies) {
  Variables variables(17);
  variables.set("epoch", "4");
  const auto put = variables.put_into(yaml("{name: t@, e: $epoch+1, p: [x, ~]}"));
  ASSERT_TRUE(put);
  EXPECT_EQ(*put, boost::json::parse(R"({"name":"t-17","e":"5","p":["x",null]})"));
  EXPECT_FALSE(variables.put_into(yaml("{a: $nothing}")));
}

TEST(Bytes, ABatchIsShownAsWritten) {
  const auto batch =
      bytes_of(yaml("{values: [a, ~], codec: gzip, producerId: 7, producerEpoch: 1}"));
  ASSERT_TRUE(batch);
  const auto shown = show_records(Slice(*batch)).as_array().at(0);
  EXPECT_EQ(shown.at("crc"), "valid");
  EXPECT_EQ(shown.at("producerId"), 7);
  EXPECT_EQ(shown.at("entries").as_array().at(0).at("value"), "hex:61");
  EXPECT_EQ(shown.at("entries").as_array().at(1).at("value"), nullptr);
}

TEST(Bytes, FaultsArePutInOnPurpose) {
  const auto wrong = bytes_of(yaml("{values: [a], crc: bad}"));
  EXPECT_EQ(show_records(Slice(*wrong)).as_array().at(0).at("crc"), "wrong");
}

TEST(Conversations, AllCanBeRead) {
  const auto all =
      load_conversations(std::string(KTRIAL_SOURCE_DIR) + "/fakebroker/differential/conversations");
  ASSERT_TRUE(all) << all.error().to_string();
  EXPECT_GT(all->size(), 30U);
}

TEST(Conversations, AnUnknownApiIsAFault) {
  EXPECT_FALSE(parse_conversation(yaml("{api: Nothing, steps: []}"), "x"));
}

}  // namespace
}  // namespace ktrial::fakebroker::differential
