// SPDX-License-Identifier: Apache-2.0
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.consumer.AcknowledgeType;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaShareConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.serialization.StringDeserializer;

/** Two members of a share group (KIP-932): each record is accepted once; what is released comes again. */
final class ShareGroup {
  private static final int SHARE_FETCH = 78;
  private static final String GROUP = "share-group";
  private final Cluster cluster;

  ShareGroup(Cluster cluster) {
    this.cluster = cluster;
  }

  private KafkaShareConsumer<String, String> join(String topic) {
    Map<String, ?> config = Map.of("group.id", GROUP, "share.acknowledgement.mode", "explicit");
    KafkaShareConsumer<String, String> consumer =
        new KafkaShareConsumer<>(cluster.with(config), new StringDeserializer(), new StringDeserializer());
    consumer.subscribe(List.of(topic));
    return consumer;
  }

  private void beginAtTheEarliest() throws ExecutionException, InterruptedException {
    try (Admin admin = Admin.create(cluster.with(Map.of()))) {
      ConfigResource group = new ConfigResource(ConfigResource.Type.GROUP, GROUP);
      AlterConfigOp earliest = new AlterConfigOp(new ConfigEntry("share.auto.offset.reset", "earliest"), AlterConfigOp.OpType.SET);
      admin.incrementalAlterConfigs(Map.of(group, List.of(earliest))).all().get();
    }
  }

  void run(String topic) throws Exception {
    if (!cluster.offers(SHARE_FETCH)) {
      System.out.println("share group: skipped, the cluster does not offer ShareFetch");
      return;
    }
    beginAtTheEarliest();
    Witness witness = new Witness();
    try (KafkaProducer<String, String> producer = cluster.producer(Map.of())) {
      Cluster.send(producer, topic, witness.wave(Witness.WAVE));
    }
    Map<String, Integer> deliveries = new HashMap<>();
    int accepted = 0;
    try (KafkaShareConsumer<String, String> first = join(topic); KafkaShareConsumer<String, String> second = join(topic)) {
      long deadline = System.nanoTime() + Duration.ofSeconds(60).toNanos();
      while (accepted < Witness.WAVE * Witness.PARTITIONS) {
        if (System.nanoTime() > deadline) throw new AssertionError("only " + accepted + " records accepted in time");
        for (KafkaShareConsumer<String, String> member : List.of(first, second)) {
          for (ConsumerRecord<String, String> record : member.poll(Duration.ofMillis(100))) {
            boolean again = deliveries.merge(record.value(), 1, Integer::sum) > 1;
            // The first record of each partition is released once.
            boolean release = record.value().contains(":0:") && !again;
            member.acknowledge(record, release ? AcknowledgeType.RELEASE : AcknowledgeType.ACCEPT);
            if (!release) ++accepted;
          }
          member.commitSync();
        }
      }
    }
    for (Map.Entry<String, Integer> each : deliveries.entrySet()) {
      int expected = each.getKey().contains(":0:") ? 2 : 1;
      if (each.getValue() != expected) {
        throw new AssertionError(each.getKey() + " was delivered " + each.getValue() + " times");
      }
    }
    System.out.printf("share group: %d records accepted by two members, %d of them after a release%n", accepted, Witness.PARTITIONS);
  }
}
