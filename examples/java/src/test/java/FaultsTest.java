// SPDX-License-Identifier: Apache-2.0
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class FaultsTest {
  private static final TopicPartition ORDERS = new TopicPartition("orders", 0);
  private FakeCluster cluster;

  @BeforeEach
  void start() throws Exception {
    cluster = new FakeCluster("--topic", "orders");
  }

  @AfterEach
  void stop() {
    cluster.close();
  }

  private Map<String, Object> config() {
    return Map.of("bootstrap.servers", cluster.bootstrap);
  }

  private void send(String value) throws Exception {
    try (var producer = new KafkaProducer<>(config(), new StringSerializer(), new StringSerializer())) {
      producer.send(new ProducerRecord<>("orders", value)).get();
    }
  }

  private long records() throws Exception {
    try (Admin admin = Admin.create(config())) {
      return admin.listOffsets(Map.of(ORDERS, OffsetSpec.latest())).partitionResult(ORDERS).get().offset();
    }
  }

  @Test
  void aMovedLeaderIsFoundAgain() throws Exception {
    cluster.rule(
        """
        {"id": "moved", "when": {"api": "Produce", "times": 2}, "do": {"error": "NOT_LEADER_OR_FOLLOWER"}}""");
    send("hello");
    assertEquals(2, cluster.hits("moved"));
    assertEquals(1, records());
  }

  @Test
  void aLostAnswerMakesNoDuplicate() throws Exception {
    cluster.rule(
        """
        {"id": "lost", "when": {"api": "Produce", "times": 1}, "do": {"close": "rst", "apply": true}}""");
    send("once");
    assertEquals(1, cluster.hits("lost"));
    assertEquals(1, records());
  }
}
