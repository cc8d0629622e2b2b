// SPDX-License-Identifier: Apache-2.0
#include "cluster.h"

#include <gtest/gtest.h>
#include <librdkafka/rdkafka.h>

#include <cstdint>
#include <memory>

namespace {

struct Faults : testing::Test {
  Cluster cluster{{"--topic", "orders"}};

  struct Destroy {
    void operator()(rd_kafka_t* handle) const { rd_kafka_destroy(handle); }
  };
  std::unique_ptr<rd_kafka_t, Destroy> producer = make_producer();

  std::unique_ptr<rd_kafka_t, Destroy> make_producer() const {
    rd_kafka_conf_t* const conf = rd_kafka_conf_new();
    rd_kafka_conf_set(conf, "bootstrap.servers", cluster.bootstrap().c_str(), nullptr, 0);
    rd_kafka_conf_set(conf, "enable.idempotence", "true", nullptr, 0);
    return std::unique_ptr<rd_kafka_t, Destroy>(rd_kafka_new(RD_KAFKA_PRODUCER, conf, nullptr, 0));
  }
  void send(const char* value) const {
    ASSERT_EQ(rd_kafka_producev(producer.get(), RD_KAFKA_V_TOPIC("orders"), RD_KAFKA_V_PARTITION(0),
                                RD_KAFKA_V_VALUE(const_cast<char*>(value), 5), RD_KAFKA_V_END),
              RD_KAFKA_RESP_ERR_NO_ERROR);
    ASSERT_EQ(rd_kafka_flush(producer.get(), 30'000), RD_KAFKA_RESP_ERR_NO_ERROR);
  }
  std::int64_t records() const {
    std::int64_t low = -1, high = -1;
    rd_kafka_query_watermark_offsets(producer.get(), "orders", 0, &low, &high, 10'000);
    return high - low;
  }
};

TEST_F(Faults, AMovedLeaderIsFoundAgain) {
  cluster.rule(
      R"({"id": "moved", "when": {"api": "Produce", "times": 2}, "do": {"error": "NOT_LEADER_OR_FOLLOWER"}})");
  send("hello");
  EXPECT_EQ(cluster.hits("moved"), 2);
  EXPECT_EQ(records(), 1);
}

TEST_F(Faults, ALostAnswerMakesNoDuplicate) {
  cluster.rule(
      R"({"id": "lost", "when": {"api": "Produce", "times": 1}, "do": {"close": "rst", "apply": true}})");
  send("once!");
  EXPECT_EQ(cluster.hits("lost"), 1);
  EXPECT_EQ(records(), 1);
}

}  // namespace
