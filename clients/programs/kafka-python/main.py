# SPDX-License-Identifier: Apache-2.0
"""kafka-python: a classic consumer group, and a transaction that is aborted and one that commits."""
import sys

import flow
from kafka import KafkaConsumer, KafkaProducer

bootstrap = sys.argv[1]


def produce(topic, codec, records):
    producer = KafkaProducer(bootstrap_servers=bootstrap, compression_type=codec, linger_ms=5)
    acks = [producer.send(topic, value=value, partition=partition) for partition, value in records]
    for ack in acks:
        ack.get(timeout=30)
    producer.close()


class Member:
    def __init__(self, topic, group, **config):
        self.consumer = KafkaConsumer(topic, bootstrap_servers=bootstrap, group_id=group, enable_auto_commit=False,
                                      auto_offset_reset="earliest", **config)

    def poll(self):
        batches = self.consumer.poll(timeout_ms=100)
        return [(record.partition, record.value) for records in batches.values() for record in records]

    def assignment(self):
        return {partition.partition for partition in self.consumer.assignment()}

    def commit(self):
        self.consumer.commit()

    def close(self):
        self.consumer.close()


def transactions(topic):
    producer = KafkaProducer(bootstrap_servers=bootstrap, transactional_id="kafka-python")
    producer.init_transactions()
    witness = flow.Witness()
    producer.begin_transaction()
    for partition in range(flow.PARTITIONS):
        producer.send(topic, value=b"never to be read", partition=partition)
    producer.flush()
    producer.abort_transaction()
    producer.begin_transaction()
    for partition, value in witness.wave(flow.WAVE):
        producer.send(topic, value=value, partition=partition)
    producer.commit_transaction()
    producer.close()
    reader = Member(topic, "committed", isolation_level="read_committed")
    flow.until(witness.has_all, "the committed records", witness, [reader])
    reader.close()
    print(f"transactions: {sum(witness.seen)} records committed, {flow.PARTITIONS} aborted")


flow.group("classic", "classic", "gzip", produce, Member)
flow.group("classic", "consumer", "lz4", produce, Member)
transactions("transactions")
