// SPDX-License-Identifier: Apache-2.0
package io.ktrial.driver;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Collection;
import java.util.List;
import java.util.Properties;
import java.util.TreeSet;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.ProducerConfig;

/** The first line: who this is and what it understands. */
final class Hello {
    private Hello() {}

    static JsonObject of(String version) {
        JsonObject hello = new JsonObject();
        hello.addProperty("event", "hello");
        hello.addProperty("protocol", 1);
        hello.addProperty("name", "java");
        hello.addProperty("version", version);
        hello.add("roles", array(List.of("producer", "consumer")));
        hello.add("commands", array(List.of("create", "send", "flush", "begin", "commit_txn", "abort",
            "subscribe", "assign", "poll", "stop_poll", "commit", "seek", "metrics", "close", "exit")));
        TreeSet<String> keys = new TreeSet<>(ProducerConfig.configNames());
        keys.addAll(ConsumerConfig.configNames());
        hello.add("config", array(keys));
        hello.add("capabilities", array(List.of("idle_close", "metadata_age", "reconnect_backoff",
            "idempotence", "transactions", "static_membership", "threads")));
        return hello;
    }

    /** From the resource that every kafka-clients jar carries; the class for it moves about. */
    static String clientsVersion() {
        Properties properties = new Properties();
        try (InputStream in = ProducerConfig.class.getResourceAsStream("/kafka/kafka-version.properties")) {
            properties.load(in);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return properties.getProperty("version");
    }

    private static JsonArray array(Collection<String> values) {
        JsonArray array = new JsonArray();
        values.forEach(array::add);
        return array;
    }
}
