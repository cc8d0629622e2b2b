# SPDX-License-Identifier: Apache-2.0
"""aiokafka: a classic consumer group, and a transaction that is aborted and one that commits. Its
tasks run whenever one of the members is polled: they share the loop."""
import asyncio
import sys

import flow
from aiokafka import AIOKafkaConsumer, AIOKafkaProducer

bootstrap = sys.argv[1]
loop = asyncio.new_event_loop()
asyncio.set_event_loop(loop)
run = loop.run_until_complete


async def send(producer, topic, records):
    acks = [await producer.send(topic, value, partition=partition) for partition, value in records]
    await asyncio.gather(*acks)


def produce(topic, codec, records):
    async def all_of_them():
        async with AIOKafkaProducer(bootstrap_servers=bootstrap, compression_type=codec, linger_ms=5) as producer:
            await send(producer, topic, records)
    run(all_of_them())


class Member:
    def __init__(self, topic, group, **config):
        async def make():
            return AIOKafkaConsumer(topic, bootstrap_servers=bootstrap, group_id=group, enable_auto_commit=False,
                                    auto_offset_reset="earliest", **config)
        self.consumer = run(make())
        self.start = loop.create_task(self.consumer.start())  # it waits for a rebalance, which needs the others

    def poll(self):
        if not self.start.done():
            run(asyncio.wait([self.start], timeout=0.1))
            return []
        self.start.result()
        batches = run(self.consumer.getmany(timeout_ms=100))
        return [(record.partition, record.value) for records in batches.values() for record in records]

    def assignment(self):
        return {partition.partition for partition in self.consumer.assignment()}

    def commit(self):
        run(self.consumer.commit())

    def close(self):
        run(self.consumer.stop())


def transactions(topic):
    witness = flow.Witness()

    async def produce_both():
        async with AIOKafkaProducer(bootstrap_servers=bootstrap, transactional_id="aiokafka") as producer:
            await producer.begin_transaction()
            await send(producer, topic, [(partition, b"never to be read") for partition in range(flow.PARTITIONS)])
            await producer.abort_transaction()
            async with producer.transaction():
                await send(producer, topic, witness.wave(flow.WAVE))
    run(produce_both())
    reader = Member(topic, "committed", isolation_level="read_committed")
    flow.until(witness.has_all, "the committed records", witness, [reader])
    reader.close()
    print(f"transactions: {sum(witness.seen)} records committed, {flow.PARTITIONS} aborted")


flow.group("classic", "classic", "snappy", produce, Member)
flow.group("classic", "consumer", "zstd", produce, Member)
transactions("transactions")
