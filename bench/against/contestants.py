# SPDX-License-Identifier: Apache-2.0
"""What is measured: each a process with a cluster in it, started anew for each measurement."""
import os
import re
import shutil
import socket
import subprocess
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
BUILT = os.path.join(ROOT, "build", "against")
TICKS = os.sysconf("SC_CLK_TCK")
TOPIC = "bench"
# What librdkafka's mock cluster keeps of a partition; ktrial is told to keep as much.
MOCK_KEEPS = 5 << 20


def status_of(pid, key):
    with open(f"/proc/{pid}/status", encoding="ascii") as lines:
        return next(int(line.split()[1]) for line in lines if line.startswith(key))


class Cluster:
    """A running contestant; `pid` is the process whose processor time and memory count."""

    def __init__(self, command, read_address, **settings):
        self.began = time.monotonic()
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, text=True, **settings)
        self.pid = self.process.pid
        self.addresses = read_address(self.process.stdout).split(",")
        self.ready_after = time.monotonic() - self.began

    @property
    def bootstrap(self):
        return self.addresses[0]

    def cpu(self):
        """Processor seconds so far."""
        with open(f"/proc/{self.pid}/stat", encoding="ascii") as stat:
            fields = stat.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / TICKS

    def resident(self):
        """Bytes now."""
        return status_of(self.pid, "VmRSS:") * 1024

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.communicate()


def second_word(stdout):
    return stdout.readline().split()[1]


class Ktrial:
    name = "ktrial"

    def __init__(self, program):
        self.program = program
        self.version = subprocess.run([program, "--version"], capture_output=True, text=True,
                                      check=True).stdout.strip()

    def start(self, brokers=1, partitions=1, keeps=MOCK_KEEPS, configs=True):
        with tempfile.NamedTemporaryFile("w", suffix=".yaml", delete=False) as topics:
            kept = f", configs: {{retention.bytes: {keeps}}}" if configs else ""
            topics.write(f"{TOPIC}: {{partitions: {partitions}{kept}}}\n")
        try:
            return Cluster([self.program, "cluster", "--brokers", str(brokers), "--port", "0",
                            "--control", "off", "--topics", topics.name], self.read_address)
        finally:
            os.unlink(topics.name)

    @staticmethod
    def read_address(stdout):
        for line in stdout:
            if found := re.search(r"^ready ([0-9.:,]+)", line):
                return found[1]
        raise RuntimeError("ktrial said no bootstrap addresses")


class Other:
    """One of the programs that bench/against/setup builds."""

    def __init__(self, name, title):
        self.program = os.path.join(BUILT, name)
        self.name = title
        self.there = os.path.exists(self.program)
        self.version = self.read_version() if self.there else None

    def read_version(self):
        with subprocess.Popen([self.program, "1", TOPIC, "1"], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as one:
            version = one.stdout.readline().split()[0]
            one.kill()
        return version

    def start(self, brokers=1, partitions=1, keeps=None):
        del keeps  # it keeps what it keeps
        return Cluster([self.program, str(brokers), TOPIC, str(partitions)], second_word)


class Kafka:
    """A real broker: one KRaft node, as the tests have it."""
    name = "Kafka"

    def __init__(self):
        self.script = os.path.join(ROOT, "ci", "kafka", "broker")
        self.there = shutil.which("java") is not None and subprocess.run(
            [self.script, "resolve"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            check=False).returncode == 0
        library = os.path.join(ROOT, "build", "kafka", "lib")
        jars = os.listdir(library) if self.there else []
        self.version = next((jar[len("kafka-clients-"):-len(".jar")] for jar in jars
                             if jar.startswith("kafka-clients-")), None)

    def start(self, brokers=1, partitions=1, keeps=None):
        del brokers, keeps
        return KafkaBroker(self.script, partitions)


class KafkaBroker(Cluster):
    def __init__(self, script, partitions):
        self.script = script
        self.folder = tempfile.mkdtemp(prefix="ktrial-bench-kafka-")
        ports = [free_port(), free_port()]
        with open(os.path.join(self.folder, "extra.properties"), "w", encoding="ascii") as extra:
            extra.write(f"num.partitions={partitions}\n")
        self.began = time.monotonic()
        subprocess.run([script, "start", self.folder, *map(str, ports)], check=True)
        self.ready_after = time.monotonic() - self.began
        with open(os.path.join(self.folder, "pid"), encoding="ascii") as pid:
            self.pid = int(pid.read())
        self.addresses = [f"127.0.0.1:{ports[0]}"]

    def __exit__(self, *_):
        subprocess.run([self.script, "stop", self.folder, "KILL"], check=False)
        shutil.rmtree(self.folder, ignore_errors=True)


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]
