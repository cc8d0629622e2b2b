// SPDX-License-Identifier: Apache-2.0
// Interop PROPERTIES TOPIC: the Java client's producer and consumer with these properties; prints
// "ok", or the exception that ended it.
import java.io.FileReader;
import java.time.Duration;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

public class Interop {
  public static void main(String[] arguments) throws Exception {
    Properties properties = new Properties();
    try (FileReader reader = new FileReader(arguments[0])) {
      properties.load(reader);
    }
    properties.putIfAbsent("max.block.ms", "8000");
    properties.putIfAbsent("default.api.timeout.ms", "8000");
    properties.putIfAbsent("auto.offset.reset", "earliest");
    try {
      run(properties, new TopicPartition(arguments[1], 0));
      System.out.println("ok");
    } catch (Exception failed) {
      Throwable cause = failed instanceof ExecutionException ? failed.getCause() : failed;
      System.out.println(cause.getClass().getSimpleName() + ": " + cause.getMessage());
    }
    System.exit(0);
  }

  private static void run(Properties properties, TopicPartition at) throws Exception {
    String value = "value-" + System.nanoTime();
    try (KafkaProducer<String, String> producer =
            new KafkaProducer<>(properties, new StringSerializer(), new StringSerializer())) {
      producer.send(new ProducerRecord<>(at.topic(), at.partition(), null, value)).get();
    }
    try (KafkaConsumer<String, String> consumer =
            new KafkaConsumer<>(properties, new StringDeserializer(), new StringDeserializer())) {
      consumer.assign(List.of(at));
      long end = System.nanoTime() + Duration.ofSeconds(10).toNanos();
      while (System.nanoTime() < end) {
        for (var record : consumer.poll(Duration.ofMillis(200))) {
          if (record.value().equals(value)) return;
        }
      }
    }
    throw new IllegalStateException("the record did not come back");
  }
}
