// SPDX-License-Identifier: Apache-2.0
package io.ktrial.driver;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.Metric;

/** Releases before 0.11: no headers, no transactions, no Duration. */
final class Api {
    private Api() {}

    static ConsumerRecords<byte[], byte[]> poll(KafkaConsumer<byte[], byte[]> consumer, Duration timeout) {
        return consumer.poll(timeout.toMillis());
    }

    static void close(KafkaConsumer<byte[], byte[]> consumer, Duration timeout) {
        consumer.close(timeout.toMillis(), TimeUnit.MILLISECONDS);
    }

    static void close(KafkaProducer<byte[], byte[]> producer, Duration timeout) {
        producer.close(timeout.toMillis(), TimeUnit.MILLISECONDS);
    }

    static void addHeader(ProducerRecord<byte[], byte[]> record, String key, byte[] value) {
        throw new UnsupportedException("record headers before 0.11");
    }

    static long offset(RecordMetadata metadata) {
        return metadata.offset();
    }

    static Object value(Metric metric) {
        return metric.value();
    }

    static void initTransactions(KafkaProducer<byte[], byte[]> producer) {
        throw new UnsupportedException("transactions before 0.11");
    }

    static void begin(KafkaProducer<byte[], byte[]> producer) {
        initTransactions(producer);
    }

    static void commit(KafkaProducer<byte[], byte[]> producer) {
        initTransactions(producer);
    }

    static void abort(KafkaProducer<byte[], byte[]> producer) {
        initTransactions(producer);
    }
}
