// SPDX-License-Identifier: Apache-2.0
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;

/** Sees each record once, and a partition's records in order. */
final class Witness {
  static final int PARTITIONS = 6;
  static final int WAVE = 100; // records per partition
  static final int SHORT = 20; // of the short flow
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  record Row(int partition, String value) {}

  private final int[] produced = new int[PARTITIONS];
  private final int[] seen = new int[PARTITIONS];

  private static String text(int partition, int number) {
    String head = partition + ":" + number + ":";
    return head + "x".repeat(100 - head.length());
  }

  List<Row> wave(int count) {
    List<Row> rows = new ArrayList<>();
    for (int i = 0; i < count; ++i) {
      for (int p = 0; p < PARTITIONS; ++p) rows.add(new Row(p, text(p, produced[p]++)));
    }
    return rows;
  }

  void saw(ConsumerRecord<String, String> record) {
    String expected = text(record.partition(), seen[record.partition()]++);
    if (!record.value().equals(expected)) {
      throw new AssertionError(record + ": expected " + expected);
    }
  }

  boolean hasAll() {
    return Arrays.equals(seen, produced);
  }

  int total() {
    return Arrays.stream(seen).sum();
  }

  /** Polls the members in turn; returns how many records each of them read. */
  int[] until(BooleanSupplier done, String what, List<KafkaConsumer<String, String>> members) {
    int[] counts = new int[members.size()];
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    while (!done.getAsBoolean()) {
      if (System.nanoTime() > deadline) {
        throw new AssertionError("not in time: " + what + "; seen " + Arrays.toString(seen));
      }
      for (int i = 0; i < counts.length; ++i) {
        for (ConsumerRecord<String, String> record : members.get(i).poll(Duration.ofMillis(100))) {
          saw(record);
          ++counts[i];
        }
      }
    }
    return counts;
  }
}
