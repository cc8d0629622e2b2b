# SPDX-License-Identifier: Apache-2.0
"""What every program does, whatever its client: produce, consume in a group that rebalances, commit,
close, and come back to nothing but what is new. A client gives two functions:

  produce(topic, codec, records)   returns when all (partition, value) are acknowledged
  consumer(topic, group)           of a member with poll() -> [(partition, value)], assignment() ->
                                   partition numbers, commit() and close()
"""
import time

PARTITIONS = 6
WAVE = 100  # records per partition
SECONDS = 60


class Witness:
    """Sees each record once, and a partition's records in order."""

    def __init__(self):
        self.produced = [0] * PARTITIONS
        self.seen = [0] * PARTITIONS

    def wave(self, count):
        records = [(p, text(p, self.produced[p] + i)) for i in range(count) for p in range(PARTITIONS)]
        self.produced = [n + count for n in self.produced]
        return records

    def saw(self, partition, value):
        expected = text(partition, self.seen[partition])
        if value != expected:
            raise AssertionError(f"partition {partition}: expected {expected[:20]!r}, got {value[:20]!r}")
        self.seen[partition] += 1

    def has_all(self):
        return self.seen == self.produced


def text(partition, number):
    return f"{partition}:{number}:".ljust(100, "x").encode()


def until(done, what, witness, members):
    counts = [0] * len(members)
    deadline = time.monotonic() + SECONDS
    while not done():
        if time.monotonic() > deadline:
            shares = [sorted(member.assignment()) for member in members]
            raise AssertionError(f"not within {SECONDS} s: {what}; seen {witness.seen}, assigned {shares}")
        for index, member in enumerate(members):
            for partition, value in member.poll():
                witness.saw(partition, value)
                counts[index] += 1
    return counts


def shared(members):
    shares = [set(member.assignment()) for member in members]
    return all(shares) and sorted(p for share in shares for p in share) == list(range(PARTITIONS))


def group(name, topic, codec, produce, consumer):
    witness = Witness()
    started = time.monotonic()
    produce(topic, codec, witness.wave(WAVE))
    first = consumer(topic, f"{topic}-group")
    until(witness.has_all, "the first wave", witness, [first])
    first.commit()
    second = consumer(topic, f"{topic}-group")
    until(lambda: shared([first, second]), "the second member's share", witness, [first, second])
    produce(topic, codec, witness.wave(WAVE))
    counts = until(witness.has_all, "the second wave", witness, [first, second])
    assert all(counts), f"both members read: {counts}"
    for member in (first, second):
        member.commit()
        member.close()
    produce(topic, codec, witness.wave(1))
    third = consumer(topic, f"{topic}-group")
    until(witness.has_all, "the third wave", witness, [third])
    third.close()
    print(f"{name}, {codec}: {sum(witness.seen)} records, rebalanced {counts[0]}+{counts[1]}, "
          f"{time.monotonic() - started:.1f} s", flush=True)
