// SPDX-License-Identifier: Apache-2.0
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.Socket;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

/** The cluster under test and what is needed of its clients. */
record Cluster(String bootstrap) {
  Map<String, Object> with(Map<String, ?> more) {
    Map<String, Object> config = new HashMap<>(Map.of("bootstrap.servers", bootstrap));
    config.putAll(more);
    return config;
  }

  KafkaProducer<String, String> producer(Map<String, ?> config) {
    return new KafkaProducer<>(with(config), new StringSerializer(), new StringSerializer());
  }

  KafkaConsumer<String, String> consumer(String topic, String group, Map<String, ?> more) {
    Map<String, Object> config = with(more);
    config.put("group.id", group);
    config.put("enable.auto.commit", "false");
    config.put("auto.offset.reset", "earliest");
    KafkaConsumer<String, String> consumer =
        new KafkaConsumer<>(config, new StringDeserializer(), new StringDeserializer());
    consumer.subscribe(List.of(topic));
    return consumer;
  }

  /** Returns when all are acknowledged. */
  static void send(KafkaProducer<String, String> producer, String topic, List<Witness.Row> rows)
      throws Exception {
    List<Future<?>> acks = new ArrayList<>();
    for (Witness.Row row : rows) {
      acks.add(producer.send(new ProducerRecord<>(topic, row.partition(), null, row.value())));
    }
    producer.flush();
    for (Future<?> ack : acks) ack.get();
  }

  /** Whether ApiVersions, asked over a socket of ours in its oldest form, names the API. */
  boolean offers(int wanted) throws IOException {
    String[] address = bootstrap.split(",")[0].split(":");
    try (Socket socket = new Socket(address[0], Integer.parseInt(address[1]))) {
      DataOutputStream out = new DataOutputStream(socket.getOutputStream());
      out.writeInt(10);
      out.writeShort(18); // ApiVersions
      out.writeShort(0); // version
      out.writeInt(1); // correlation id
      out.writeShort(-1); // no client id
      out.flush();
      DataInputStream in = new DataInputStream(socket.getInputStream());
      in.skipNBytes(4 + 4 + 2); // size, correlation id, error
      for (int left = in.readInt(); left > 0; --left) {
        int key = in.readShort();
        in.skipNBytes(2 + 2);
        if (key == wanted) return true;
      }
    }
    return false;
  }
}
