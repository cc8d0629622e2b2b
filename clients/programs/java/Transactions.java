// SPDX-License-Identifier: Apache-2.0
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.common.TopicPartition;

/** A transaction that is aborted, one that commits records and a group's offsets, a fenced producer. */
final class Transactions {
  private static final Map<String, ?> COMMITTED = Map.of("isolation.level", "read_committed");
  private static final Map<String, ?> IDENTITY = Map.of("transactional.id", "java");
  private final Cluster cluster;

  Transactions(Cluster cluster) {
    this.cluster = cluster;
  }

  void run(String topic) throws Exception {
    Witness witness = new Witness();
    KafkaProducer<String, String> producer = cluster.producer(IDENTITY);
    producer.initTransactions();
    producer.beginTransaction();
    List<Witness.Row> undone = new ArrayList<>();
    for (int p = 0; p < Witness.PARTITIONS; ++p) undone.add(new Witness.Row(p, "never to be read"));
    Cluster.send(producer, topic, undone);
    producer.abortTransaction();
    producer.beginTransaction();
    Cluster.send(producer, topic, witness.wave(Witness.WAVE));
    producer.commitTransaction();
    try (KafkaConsumer<String, String> reader = cluster.consumer(topic, "committed", COMMITTED)) {
      witness.until(witness::hasAll, "the committed records", List.of(reader));
      Map<TopicPartition, OffsetAndMetadata> offsets = new HashMap<>();
      reader.assignment().forEach(at -> offsets.put(at, new OffsetAndMetadata(reader.position(at))));
      producer.beginTransaction();
      producer.sendOffsetsToTransaction(offsets, reader.groupMetadata());
      producer.commitTransaction();
    }
    try (KafkaProducer<String, String> next = cluster.producer(IDENTITY)) {
      next.initTransactions();
      next.beginTransaction();
      Cluster.send(next, topic, witness.wave(1));
      next.commitTransaction();
    }
    try (KafkaConsumer<String, String> reader = cluster.consumer(topic, "committed", COMMITTED)) {
      witness.until(witness::hasAll, "what came after the offsets", List.of(reader));
    }
    boolean fenced = false;
    try {
      producer.beginTransaction();
      Cluster.send(producer, topic, undone);
      producer.commitTransaction();
    } catch (Exception expected) {
      fenced = true;
    }
    producer.close();
    if (!fenced) throw new AssertionError("the earlier producer was not fenced");
    System.out.printf("transactions: %d records, offsets, an abort, a fenced producer%n", witness.total());
  }
}
