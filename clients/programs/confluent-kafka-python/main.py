# SPDX-License-Identifier: Apache-2.0
"""confluent-kafka-python: both group protocols, and a transaction that is aborted and one that commits."""
import sys

import confluent_kafka
import flow

bootstrap = sys.argv[1]


def fail(error, _message):
    if error is not None:
        raise confluent_kafka.KafkaException(error)


def produce(topic, codec, records):
    producer = confluent_kafka.Producer({"bootstrap.servers": bootstrap, "compression.type": codec, "linger.ms": 5})
    for partition, value in records:
        producer.produce(topic, value, partition=partition, on_delivery=fail)
    left = producer.flush(30)
    assert left == 0, f"{left} records are not acknowledged"


class Member:
    def __init__(self, topic, group, **config):
        config = {key.replace("_", "."): value for key, value in config.items()}
        self.consumer = confluent_kafka.Consumer({"bootstrap.servers": bootstrap, "group.id": group,
                                                  "enable.auto.commit": False, "auto.offset.reset": "earliest", **config})
        self.consumer.subscribe([topic])

    def poll(self):
        messages = self.consumer.consume(num_messages=500, timeout=0.1)
        for message in messages:
            fail(message.error(), message)
        return [(message.partition(), message.value()) for message in messages]

    def assignment(self):
        return {partition.partition for partition in self.consumer.assignment()}

    def commit(self):
        self.consumer.commit(asynchronous=False)

    def close(self):
        self.consumer.close()


def modern(topic, group):
    return Member(topic, group, group_protocol="consumer")


def transactions(topic):
    producer = confluent_kafka.Producer({"bootstrap.servers": bootstrap, "transactional.id": "confluent-kafka-python"})
    producer.init_transactions(30)
    witness = flow.Witness()
    producer.begin_transaction()
    for partition in range(flow.PARTITIONS):
        producer.produce(topic, b"never to be read", partition=partition)
    producer.flush(30)
    producer.abort_transaction(30)
    producer.begin_transaction()
    for partition, value in witness.wave(flow.WAVE):
        producer.produce(topic, value, partition=partition, on_delivery=fail)
    producer.commit_transaction(30)
    reader = Member(topic, "committed", isolation_level="read_committed")
    flow.until(witness.has_all, "the committed records", witness, [reader])
    reader.close()
    print(f"transactions: {sum(witness.seen)} records committed, {flow.PARTITIONS} aborted")


flow.group("classic", "classic", "lz4", produce, Member)
flow.group("KIP-848", "consumer", "zstd", produce, modern)
transactions("transactions")
