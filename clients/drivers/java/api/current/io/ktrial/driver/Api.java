// SPDX-License-Identifier: Apache-2.0
package io.ktrial.driver;

import java.lang.reflect.InvocationTargetException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.Metric;

/** What releases since 2.0 call otherwise than those before 0.11, which api/0.10 serves. */
final class Api {
    private Api() {}

    static ConsumerRecords<byte[], byte[]> poll(KafkaConsumer<byte[], byte[]> consumer, Duration timeout) {
        return consumer.poll(timeout);
    }

    @SuppressWarnings("deprecation") // close(CloseOptions) came with 4.1; older releases have only this
    static void close(KafkaConsumer<byte[], byte[]> consumer, Duration timeout) {
        consumer.close(timeout);
    }

    /** close(Duration) came with 2.2 (KIP-367), close(long, TimeUnit) went with 3.0. */
    static void close(KafkaProducer<byte[], byte[]> producer, Duration timeout) throws Exception {
        try {
            try {
                KafkaProducer.class.getMethod("close", Duration.class).invoke(producer, timeout);
            } catch (NoSuchMethodException e) {
                KafkaProducer.class.getMethod("close", long.class, TimeUnit.class)
                    .invoke(producer, timeout.toMillis(), TimeUnit.MILLISECONDS);
            }
        } catch (InvocationTargetException e) {
            throw e.getCause() instanceof Exception cause ? cause : e;
        }
    }

    static void addHeader(ProducerRecord<byte[], byte[]> record, String key, byte[] value) {
        record.headers().add(key, value);
    }

    static long offset(RecordMetadata metadata) {
        return metadata.hasOffset() ? metadata.offset() : -1;
    }

    static Object value(Metric metric) {
        return metric.metricValue();
    }

    static void initTransactions(KafkaProducer<byte[], byte[]> producer) {
        producer.initTransactions();
    }

    static void begin(KafkaProducer<byte[], byte[]> producer) {
        producer.beginTransaction();
    }

    static void commit(KafkaProducer<byte[], byte[]> producer) {
        producer.commitTransaction();
    }

    static void abort(KafkaProducer<byte[], byte[]> producer) {
        producer.abortTransaction();
    }
}
