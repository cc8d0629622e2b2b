// SPDX-License-Identifier: Apache-2.0
package io.ktrial.driver;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** A KafkaConsumer, classic or group.protocol=consumer as its configuration says. */
final class ConsumerClient extends Client implements ConsumerRebalanceListener {
    private static final Duration POLL_SLICE = Duration.ofMillis(100);
    private static final Duration DEFAULT_CLOSE = Duration.ofSeconds(30);

    private KafkaConsumer<byte[], byte[]> consumer;
    private long pollUntilNanos;
    private boolean polling;

    ConsumerClient(String name, Output output) {
        super(name, output);
    }

    @Override
    protected JsonObject execute(Command command) {
        switch (command.name()) {
            case "create" -> consumer = new KafkaConsumer<>(config(command, ConsumerConfig.configNames()),
                new ByteArrayDeserializer(), new ByteArrayDeserializer());
            case "subscribe" -> {
                List<String> topics = new ArrayList<>();
                command.array("topics").forEach(topic -> topics.add(topic.getAsString()));
                consumer.subscribe(topics, this);
            }
            case "assign" -> assign(command.array("partitions"));
            case "poll" -> {
                return poll(command);
            }
            case "stop_poll" -> polling = false;
            case "commit" -> consumer.commitSync();
            case "seek" -> consumer.seek(partition(command.json()), command.number("offset", 0));
            case "metrics" -> {
                return Metrics.of(consumer.metrics());
            }
            case "close" -> {
                polling = false;
                Api.close(consumer, command.millis("timeout_ms", DEFAULT_CLOSE));
            }
            default -> throw new UnsupportedException("command " + command.name() + " for a consumer");
        }
        return new JsonObject();
    }

    private void assign(JsonArray partitions) {
        List<TopicPartition> assigned = new ArrayList<>();
        for (JsonElement element : partitions) {
            assigned.add(partition(element.getAsJsonObject()));
        }
        consumer.assign(assigned);
        for (JsonElement element : partitions) {
            JsonObject json = element.getAsJsonObject();
            if (json.has("offset")) {
                consumer.seek(partition(json), json.get("offset").getAsLong());
            }
        }
    }

    private JsonObject poll(Command command) {
        long now = System.nanoTime();
        long until = now + Duration.ofMillis(command.number("for_ms", 0)).toNanos();
        if (command.flag("background")) {
            polling = true;
            pollUntilNanos = command.has("for_ms") ? until : now + Duration.ofDays(1).toNanos();
            return new JsonObject();
        }
        long wanted = command.number("until_records", Long.MAX_VALUE);
        long records = 0;
        do {
            records += pollOnce(Math.max(0, until - System.nanoTime()));
        } while (records < wanted && System.nanoTime() < until);
        JsonObject result = new JsonObject();
        result.addProperty("records", records);
        return result;
    }

    @Override
    protected boolean waiting() {
        return polling;
    }

    @Override
    protected void idle() {
        try {
            pollOnce(POLL_SLICE.toNanos());
        } catch (RuntimeException e) {
            JsonObject event = new JsonObject();
            event.addProperty("event", "log");
            event.addProperty("client", name);
            event.addProperty("level", "error");
            event.addProperty("message", "poll: " + e);
            output.send(event);
        }
        if (System.nanoTime() >= pollUntilNanos) {
            polling = false;
        }
    }

    private long pollOnce(long leftNanos) {
        ConsumerRecords<byte[], byte[]> records =
            Api.poll(consumer, Duration.ofNanos(Math.min(leftNanos, POLL_SLICE.toNanos())));
        for (ConsumerRecord<byte[], byte[]> record : records) {
            JsonObject event = new JsonObject();
            event.addProperty("event", "record");
            event.addProperty("client", name);
            event.addProperty("topic", record.topic());
            event.addProperty("partition", record.partition());
            event.addProperty("offset", record.offset());
            event.addProperty("size", Math.max(0, record.serializedValueSize()));
            output.send(event);
        }
        return records.count();
    }

    private static TopicPartition partition(JsonObject json) {
        return new TopicPartition(json.get("topic").getAsString(), json.get("partition").getAsInt());
    }

    @Override
    public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
        rebalance("assigned", partitions);
    }

    @Override
    public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
        rebalance("revoked", partitions);
    }

    // Not an override before 2.4, which has no such callback.
    public void onPartitionsLost(Collection<TopicPartition> partitions) {
        rebalance("lost", partitions);
    }

    private void rebalance(String kind, Collection<TopicPartition> partitions) {
        JsonObject event = new JsonObject();
        event.addProperty("event", "rebalance");
        event.addProperty("client", name);
        event.addProperty("kind", kind);
        JsonArray list = new JsonArray();
        for (TopicPartition partition : partitions) {
            JsonObject json = new JsonObject();
            json.addProperty("topic", partition.topic());
            json.addProperty("partition", partition.partition());
            list.add(json);
        }
        event.add("partitions", list);
        output.send(event);
    }
}
