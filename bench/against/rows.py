# SPDX-License-Identifier: Apache-2.0
"""What is measured, a function each: it yields Lines of the table."""
import dataclasses
import json
import os
import re
import statistics
import subprocess
import time

from contestants import BUILT, MOCK_KEEPS, TOPIC
from measuring import Quiet, measure

SECONDS = 2


@dataclasses.dataclass
class Line:
    """One line of the table. `target`: the least ratio, or the most with `at_most`."""
    what: str
    rival: str
    ours: str
    theirs: str
    ratio: float
    low: float
    high: float
    target: float
    at_most: bool = False
    noisy: int = 0

    @property
    def met(self):
        return self.ratio <= self.target if self.at_most else self.ratio >= self.target


class Bench:
    def __init__(self, ktrial, rivals, kblast, pairs):
        self.ktrial, self.kblast, self.pairs = ktrial, kblast, pairs
        self.rivals = {rival.name: rival for rival in rivals}

    def rival(self, name):
        """None if it could not be built here."""
        found = self.rivals.get(name)
        return found if found is not None and found.there else None

    def blast(self, cluster, *arguments):
        """kblast's figures, with the processor time of the cluster."""
        quiet = Quiet()
        with quiet:
            before = cluster.cpu()
            done = subprocess.run([self.kblast, "--bootstrap", cluster.bootstrap, *arguments],
                                  capture_output=True, text=True, check=False)
            if done.returncode != 0:
                raise RuntimeError(done.stderr.strip())
            cpu = cluster.cpu() - before
            foreign, steal = quiet.end(cpu)
        figures = json.loads(done.stdout)
        return {"foreign": foreign, "steal": steal, "rate": figures["requests"] / figures["seconds"],
                "per_cpu": figures["requests"] / cpu, "bytes_per_cpu": figures["bytes_sent"] / cpu}

    def fill(self, cluster, *arguments):
        subprocess.run([self.kblast, "--bootstrap", cluster.bootstrap, "produce", *arguments],
                       check=True, stdout=subprocess.DEVNULL)

    def crowd(self, cluster, connections, *arguments):
        """A process that holds so many connections, and how long opening them took."""
        holder = subprocess.Popen([self.kblast, "--bootstrap", cluster.bootstrap, "crowd",
                                   "--connections", str(connections), *arguments],
                                  stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        line = holder.stdout.readline()
        if not line:
            raise RuntimeError("the crowd did not gather")
        return holder, json.loads(line)["seconds"]

    def compare(self, rival, once, what, key, show, target, pairs=None):
        """A line of the ratio of figure `key`; `once(contestant)` measures one of the two."""
        found = measure(lambda: once(self.ktrial), lambda: once(rival), pairs or self.pairs)
        median, low, high = found.ratio(key)
        ours, theirs = found.medians(key)
        return Line(what, rival.name, show(ours), show(theirs), median, low, high, target,
                    noisy=found.noisy)


def thousands(figure):
    return f"{figure / 1000:,.1f} k"


def gigabytes(figure):
    return f"{figure / 1e9:.2f} GB"


def milliseconds(figure):
    return f"{figure * 1000:.1f} ms"


def rdkafka_performance(cluster, *arguments):
    """Messages a second, as it says itself."""
    quiet = Quiet()
    with quiet:
        before = cluster.cpu()
        done = subprocess.run([os.path.join(BUILT, "rdkafka_performance"), "-t", TOPIC,
                               "-b", ",".join(cluster.addresses), *arguments],
                              capture_output=True, text=True, check=False)
        cpu = cluster.cpu() - before
        foreign, steal = quiet.end(cpu)
    found = re.findall(r"(\d+) msgs/s", done.stdout + done.stderr)
    if not found:
        raise RuntimeError(done.stderr.strip()[-300:])
    return {"foreign": foreign, "steal": steal, "rate": int(found[-1])}


def b1_producer(bench):
    """librdkafka's producer as the client: it is the bottleneck, not the cluster."""
    rival = bench.rival("librdkafka mock")
    for size, count in ((100, 4_000_000), (1000, 1_500_000)):
        def once(contestant, size=size, count=count):
            with contestant.start(brokers=3, partitions=4) as cluster:
                return rdkafka_performance(cluster, "-P", "-s", str(size), "-c", str(count), "-a", "1",
                                           "-X", "linger.ms=5", "-X", "queue.buffering.max.messages=500000",
                                           "-q")
        yield bench.compare(rival, once, f"B1 rdkafka_performance -P, {size} B: messages/s", "rate",
                            thousands, 0.95)


REPLAYS = (  # row, what, kblast's arguments, figure, how to show it, target against the mock
    ("B2", "1 record of 100 B: requests per CPU-s", ("--records", "1", "--window", "64"), "per_cpu", thousands, 1.5),
    ("B3", "16 KB: requests per CPU-s", ("--records", "150", "--window", "64"), "per_cpu", thousands, 1.5),
    ("B4", "110 KB: bytes per CPU-s", ("--records", "1000", "--window", "5"), "bytes_per_cpu", gigabytes, 1.0),
    ("B4", "505 KB: bytes per CPU-s", ("--records", "500", "--record-bytes", "1000", "--window", "5"),
     "bytes_per_cpu", gigabytes, 0.8),
)


def replay_once(bench, arguments):
    def once(contestant):
        with contestant.start() as cluster:
            return bench.blast(cluster, "produce", "--seconds", str(SECONDS), *arguments)
    return once


def b2_replay(bench):
    for row, what, arguments, key, show, target in REPLAYS:
        yield bench.compare(bench.rival("librdkafka mock"), replay_once(bench, arguments),
                            f"{row} kblast, {what}", key, show, target)


def b5_one_record_batches(bench):
    """A log of one-record batches, read by librdkafka's consumer."""
    rival = bench.rival("librdkafka mock")

    def once(contestant):
        # The mock needs seconds for what we hand over at once.
        count = 10_000 if contestant is rival else 400_000
        with contestant.start(keeps=256 << 20) as cluster:
            bench.fill(cluster, "--records", "1", "--requests", str(count), "--seconds", "60")
            return rdkafka_performance(cluster, "-C", "-p", "0", "-o", "beginning", "-c", str(count),
                                       "-X", "queued.min.messages=1000000", "-q")
    yield bench.compare(rival, once, "B5 rdkafka_performance -C, one-record batches: messages/s", "rate",
                        thousands, 50)


def b6_large_batches(bench):
    """Batches of a megabyte, as many as the mock keeps and ten times as many."""
    rival = bench.rival("librdkafka mock")
    partitions = 8

    def once(contestant):
        held = MOCK_KEEPS * partitions * (1 if contestant is rival else 10)
        count = held // (9000 * 110)
        with contestant.start(partitions=partitions, keeps=MOCK_KEEPS * 12) as cluster:
            bench.fill(cluster, "--records", "9000", "--window", "5", "--partitions", str(partitions),
                       "--requests", str(count), "--seconds", "60")
            which = [word for i in range(partitions) for word in ("-p", str(i))]
            return rdkafka_performance(cluster, "-C", *which, "-o", "beginning", "-c",
                                       str(count * 9000 * 9 // 10), "-q")
    yield bench.compare(rival, once, "B6 rdkafka_performance -C, 1 MB batches, ten times the mock's: messages/s",
                        "rate", thousands, 1.0)


def b7_start(bench):
    rival = bench.rival("librdkafka mock")

    def once(brokers, configs):
        def start(contestant):
            quiet = Quiet()
            with quiet:
                more = configs if contestant is bench.ktrial else {}
                with contestant.start(brokers=brokers, **more) as cluster:
                    resident, ready = cluster.resident(), cluster.ready_after
                    foreign, steal = quiet.end(cluster.cpu())
            return {"foreign": foreign, "steal": steal, "time": ready, "memory": resident}
        return start

    ours = once(1000, {"partitions": 1, "configs": False})
    yield bench.compare(rival, lambda c: {**(one := (ours if c is bench.ktrial else once(1000, {}))(c)),
                                          "speed": 1 / one["time"]},
                        "B7 1,000 brokers: from exec to all listening, starts/s", "speed",
                        lambda speed: milliseconds(1 / speed), 2)
    for partitions, most in ((1, 15), (10_000, 50)):
        found = measure(lambda p=partitions: once(1000, {"partitions": p, "configs": False})(bench.ktrial),
                        lambda: once(1, {"configs": False})(bench.ktrial), bench.pairs)
        beyond = sorted((a["time"] - b["time"]) * 1000 for a, b in zip(found.ours, found.theirs))
        (time_of_many, time_of_one), memory = found.medians("time"), found.medians("memory")
        yield Line(f"B7 1,000 brokers with {partitions:,} partitions: ms beyond a cluster of one broker "
                   f"(and {(memory[0] - memory[1]) / 1e6:.1f} MB)", "one broker", milliseconds(time_of_many),
                   milliseconds(time_of_one), statistics.median(beyond), beyond[0], beyond[-1], most, at_most=True,
                   noisy=found.noisy)


def b8_idle_beside(bench):
    """Requests a second beside idle connections, as a part of those without."""
    for contestant, idle in ((bench.ktrial, 1000), (bench.rival("librdkafka mock"), 200)):
        def once(count, contestant=contestant):
            with contestant.start() as cluster:
                crowd = bench.crowd(cluster, count)[0] if count else None
                try:
                    return bench.blast(cluster, "produce", "--records", "1", "--window", "64",
                                       "--seconds", str(SECONDS))
                finally:
                    if crowd:
                        crowd.communicate()
        found = measure(lambda n=idle: once(n), lambda: once(0), bench.pairs)
        median, low, high = found.ratio("rate")
        with_idle, without = found.medians("rate")
        yield Line(f"B8 {contestant.name}: requests/s with {idle:,} idle connections and with none", "itself",
                   thousands(with_idle), thousands(without), median, low, high,
                   0.9 if contestant is bench.ktrial else 0, noisy=found.noisy)


def b9_open(bench):
    rival = bench.rival("librdkafka mock")
    patience = 30  # after which the mock is given up

    def once(contestant):
        quiet = Quiet()
        with quiet, contestant.start() as cluster:
            try:
                holder, seconds = bench.crowd(cluster, 1000, "--greeting", "--patience", str(patience))
                holder.communicate()
            except RuntimeError:
                if contestant is bench.ktrial:
                    raise
                seconds = patience
            foreign, steal = quiet.end(cluster.cpu())
        return {"foreign": foreign, "steal": steal, "speed": 1 / seconds}
    yield bench.compare(rival, once, f"B9 1,000 connections, each answered (given up after {patience} s)", "speed",
                        lambda speed: milliseconds(1 / speed), 100, pairs=2)


def b10_idle(bench):
    rival = bench.rival("plain Asio")
    count = 10_000
    memory = {}

    def once(contestant):
        quiet = Quiet()
        with quiet, contestant.start() as cluster:
            before = cluster.resident()
            holder, seconds = bench.crowd(cluster, count, "--greeting")
            memory[contestant.name] = (cluster.resident() - before) / count
            holder.communicate()
            foreign, steal = quiet.end(cluster.cpu())
        return {"foreign": foreign, "steal": steal, "rate": count / seconds}
    line = bench.compare(rival, once, f"B10 {count:,} connections opened, each answered, a second", "rate",
                         thousands, 0.7)
    yield line
    ours, theirs = memory[bench.ktrial.name], memory[rival.name]
    yield Line("B10 memory of an idle connection, in bytes", rival.name, f"{ours:,.0f} B", f"{theirs:,.0f} B",
               ours, ours, ours, 4096, at_most=True)


def b11_fifty_thousand(bench):
    """Several clusters with a process of clients each: a process may open only so many files."""
    processes, each = 5, 10_000
    clusters = [bench.ktrial.start() for _ in range(processes)]
    try:
        before = sum(cluster.resident() for cluster in clusters)
        began = time.monotonic()
        holders = [subprocess.Popen([bench.kblast, "--bootstrap", cluster.bootstrap, "crowd", "--greeting",
                                     "--connections", str(each)], stdin=subprocess.PIPE,
                                    stdout=subprocess.PIPE, text=True) for cluster in clusters]
        for holder in holders:
            if not holder.stdout.readline():
                raise RuntimeError("the crowd did not gather")
        took = time.monotonic() - began
        memory = sum(cluster.resident() for cluster in clusters) - before
        for holder in holders:
            holder.communicate()
    finally:
        for cluster in clusters:
            cluster.__exit__()
    yield Line(f"B11 {processes * each:,} connections in {processes} clusters, each answered: seconds "
               f"(and {memory / 1e6:.0f} MB)", "-", f"{took:.2f} s", "-", took, took, took, 1.5, at_most=True)


def b12_kfake(bench):
    rival = bench.rival("kfake")
    if rival is None:
        return
    for row, what, arguments, key, show, _ in REPLAYS[:3]:
        yield bench.compare(rival, replay_once(bench, arguments), f"B12 {row} kblast, {what}", key, show, 2)


def b12_kafka(bench):
    rival = bench.rival("Kafka")
    if rival is None:
        return
    warmed = {}
    with rival.start() as broker:
        def once(contestant, arguments):
            if contestant is bench.ktrial:
                return replay_once(bench, arguments)(contestant)
            return bench.blast(broker, "produce", "--seconds", str(SECONDS), *arguments)
        bench.blast(broker, "produce", "--seconds", "10", "--records", "1", "--window", "64")
        for row, what, arguments, key, show, _ in REPLAYS[:3]:
            yield bench.compare(rival, lambda c, a=arguments: once(c, a), f"B12 {row} kblast, {what}", key,
                                show, 1)
        warmed["memory"], warmed["start"] = broker.resident(), broker.ready_after
    with bench.ktrial.start() as ours:
        started, resident = ours.ready_after, ours.resident()
    ratio = warmed["start"] / started
    yield Line("B12 start to ready", rival.name, milliseconds(started), milliseconds(warmed["start"]), ratio,
               ratio, ratio, 100)
    ratio = resident / warmed["memory"]
    yield Line("B12 memory, ours empty, Kafka's after the rows above", rival.name, f"{resident / 1e6:.0f} MB",
               f"{warmed['memory'] / 1e6:.0f} MB", ratio, ratio, ratio, 0.1, at_most=True)


def metadata(bench):
    with bench.ktrial.start(brokers=1000) as cluster:
        figures = [bench.blast(cluster, "metadata", "--window", "16", "--seconds", str(SECONDS))
                   for _ in range(bench.pairs)]
    rates = sorted(one["rate"] for one in figures)
    yield Line("metadata of 1,000 brokers: requests/s", "-", thousands(rates[len(rates) // 2]), "-",
               rates[len(rates) // 2], rates[0], rates[-1], 2000)


ROWS = {"B1": b1_producer, "B2": b2_replay, "B5": b5_one_record_batches, "B6": b6_large_batches,
        "B7": b7_start, "B8": b8_idle_beside, "B9": b9_open, "B10": b10_idle, "B11": b11_fifty_thousand,
        "B12": b12_kfake, "B12k": b12_kafka, "metadata": metadata}
