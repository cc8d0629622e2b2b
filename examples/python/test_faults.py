# SPDX-License-Identifier: Apache-2.0
from kafka import KafkaConsumer, KafkaProducer


def send(cluster, value):
    producer = KafkaProducer(bootstrap_servers=cluster.bootstrap)
    producer.send("orders", value).get(timeout=30)
    producer.close()


def records(cluster):
    consumer = KafkaConsumer("orders", bootstrap_servers=cluster.bootstrap, auto_offset_reset="earliest",
                             consumer_timeout_ms=500)
    values = [record.value for record in consumer]
    consumer.close()
    return values


def test_a_moved_leader_is_found_again(cluster):
    cluster.rule("moved", {"api": "Produce", "times": 2}, {"error": "NOT_LEADER_OR_FOLLOWER"})
    send(cluster, b"hello")
    assert cluster.hits("moved") == 2
    assert records(cluster) == [b"hello"]


def test_a_lost_answer_makes_no_duplicate(cluster):
    cluster.rule("lost", {"api": "Produce", "times": 1}, {"close": "rst", "apply": True})
    send(cluster, b"once")
    assert cluster.hits("lost") == 1
    assert records(cluster) == [b"once"]
