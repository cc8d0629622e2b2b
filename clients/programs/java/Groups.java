// SPDX-License-Identifier: Apache-2.0
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;

/** Produces, consumes in a group that rebalances, commits, closes, and comes back. */
final class Groups {
  private final Cluster cluster;
  private final Witness witness = new Witness();

  Groups(Cluster cluster) {
    this.cluster = cluster;
  }

  private void produce(String topic, String codec, int count) throws Exception {
    Map<String, ?> config = Map.of("compression.type", codec, "linger.ms", 5);
    try (KafkaProducer<String, String> producer = cluster.producer(config)) {
      Cluster.send(producer, topic, witness.wave(count));
    }
  }

  private static boolean shared(List<KafkaConsumer<String, String>> members) {
    List<Integer> all = new ArrayList<>();
    for (KafkaConsumer<String, String> member : members) {
      if (member.assignment().isEmpty()) return false;
      member.assignment().forEach(at -> all.add(at.partition()));
    }
    all.sort(null);
    return all.equals(List.of(0, 1, 2, 3, 4, 5));
  }

  /** One member reads it all, commits and closes. */
  void runShort(String topic, Map<String, ?> config) throws Exception {
    produce(topic, "none", Witness.SHORT);
    try (KafkaConsumer<String, String> member = cluster.consumer(topic, topic + "-group", config)) {
      witness.until(witness::hasAll, "the records", List.of(member));
      member.commitSync();
    }
    System.out.printf("%s: %d records%n", topic, witness.total());
  }

  void run(String name, String topic, String codec, Map<String, ?> config) throws Exception {
    long started = System.nanoTime();
    String group = topic + "-group";
    produce(topic, codec, Witness.WAVE);
    KafkaConsumer<String, String> first = cluster.consumer(topic, group, config);
    witness.until(witness::hasAll, "the first wave", List.of(first));
    first.commitSync();
    KafkaConsumer<String, String> second = cluster.consumer(topic, group, config);
    List<KafkaConsumer<String, String>> both = List.of(first, second);
    witness.until(() -> shared(both), "the second member's share", both);
    produce(topic, codec, Witness.WAVE);
    int[] counts = witness.until(witness::hasAll, "the second wave", both);
    if (counts[0] == 0 || counts[1] == 0) throw new AssertionError(Arrays.toString(counts));
    for (KafkaConsumer<String, String> member : both) {
      member.commitSync();
      member.close();
    }
    produce(topic, codec, 1);
    try (KafkaConsumer<String, String> third = cluster.consumer(topic, group, config)) {
      witness.until(witness::hasAll, "the third wave", List.of(third));
    }
    System.out.printf(
        "%s, %s: %d records, rebalanced %d+%d, %.1f s%n",
        name, codec, witness.total(), counts[0], counts[1], (System.nanoTime() - started) / 1e9);
  }
}
