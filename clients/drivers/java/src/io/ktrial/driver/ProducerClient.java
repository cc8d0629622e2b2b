// SPDX-License-Identifier: Apache-2.0
package io.ktrial.driver;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** A KafkaProducer. */
final class ProducerClient extends Client {
    private KafkaProducer<byte[], byte[]> producer;
    private long sent;

    ProducerClient(String name, Output output) {
        super(name, output);
    }

    @Override
    protected JsonObject execute(Command command) throws Exception {
        switch (command.name()) {
            case "create" -> {
                producer = new KafkaProducer<>(config(command, ProducerConfig.configNames()),
                    new ByteArraySerializer(), new ByteArraySerializer());
                if (command.object("config").has("transactional.id")) {
                    Api.initTransactions(producer);
                }
            }
            case "send" -> {
                return send(command);
            }
            case "flush" -> producer.flush();
            case "begin" -> Api.begin(producer);
            case "commit_txn" -> Api.commit(producer);
            case "abort" -> Api.abort(producer);
            case "metrics" -> {
                return Metrics.of(producer.metrics());
            }
            case "close" -> Api.close(producer, command.millis("timeout_ms", Duration.ofMillis(Long.MAX_VALUE)));
            default -> throw new UnsupportedException("command " + command.name() + " for a producer");
        }
        return new JsonObject();
    }

    /** Synchronous: answers when every record is delivered. Asynchronous: at once, then events. */
    private JsonObject send(Command command) throws Exception {
        boolean async = command.flag("async");
        if (async) {
            output.send(Output.ok(command.id(), new JsonObject()));
        }
        long count = command.number("count", 1);
        long threads = command.number("threads", 1);
        if (threads > 1) {
            return sendFromThreads(command, threads, count);
        }
        List<Future<RecordMetadata>> deliveries = new ArrayList<>();
        for (long i = 0; i < count; i++) {
            long sequence = sent++;
            ProducerRecord<byte[], byte[]> record = record(command);
            if (async) {
                try {
                    producer.send(record, (metadata, thrown) -> output.send(delivered(sequence, metadata, thrown)));
                } catch (RuntimeException e) {
                    output.send(delivered(sequence, null, e));
                }
            } else {
                deliveries.add(producer.send(record));
            }
        }
        if (async) {
            return null;
        }
        RecordMetadata last = null;
        for (Future<RecordMetadata> delivery : deliveries) {
            last = delivery.get();
        }
        return last == null ? new JsonObject() : place(last);
    }

    private JsonObject sendFromThreads(Command command, long threads, long count) throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool((int) threads);
        try {
            Callable<RecordMetadata> sender = () -> {
                List<Future<RecordMetadata>> deliveries = new ArrayList<>();
                for (long i = 0; i < count; i++) {
                    deliveries.add(producer.send(record(command)));
                }
                RecordMetadata last = null;
                for (Future<RecordMetadata> delivery : deliveries) {
                    last = delivery.get();
                }
                return last;
            };
            RecordMetadata last = null;
            for (Future<RecordMetadata> done : pool.invokeAll(Collections.nCopies((int) threads, sender))) {
                last = done.get();
            }
            sent += threads * count;
            return last == null ? new JsonObject() : place(last);
        } finally {
            pool.shutdown();
        }
    }

    private static ProducerRecord<byte[], byte[]> record(Command command) {
        byte[] value = command.has("size")
            ? new byte[(int) command.number("size", 0)]
            : command.has("value") ? command.text("value").getBytes(StandardCharsets.UTF_8) : null;
        byte[] key = command.has("key") ? command.text("key").getBytes(StandardCharsets.UTF_8) : null;
        Integer partition = command.has("partition") ? (int) command.number("partition", 0) : null;
        ProducerRecord<byte[], byte[]> record = new ProducerRecord<>(command.text("topic"), partition, key, value);
        for (Map.Entry<String, JsonElement> header : command.object("headers").entrySet()) {
            Api.addHeader(record, header.getKey(),
                header.getValue().getAsString().getBytes(StandardCharsets.UTF_8));
        }
        return record;
    }

    private JsonObject delivered(long sequence, RecordMetadata metadata, Exception thrown) {
        JsonObject event = thrown == null ? place(metadata) : new JsonObject();
        event.addProperty("event", "delivered");
        event.addProperty("client", name);
        event.addProperty("seq", sequence);
        if (thrown != null) {
            event.add("error", Output.describe(thrown));
        }
        return event;
    }

    private static JsonObject place(RecordMetadata metadata) {
        JsonObject place = new JsonObject();
        place.addProperty("topic", metadata.topic());
        place.addProperty("partition", metadata.partition());
        place.addProperty("offset", Api.offset(metadata));
        return place;
    }
}
