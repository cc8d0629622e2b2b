# SPDX-License-Identifier: Apache-2.0
"""A fake Kafka cluster for each test that asks for one."""
import json
import os
import subprocess
import urllib.request

import pytest


class Cluster:
    def __init__(self, *options):
        command = [os.environ.get("KTRIAL", "ktrial"), "cluster", "--port", "0", "--json", "--exit-with-parent", *options]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        ready = json.loads(self.process.stdout.readline())
        self.bootstrap, self.control = ready["bootstrap"], ready["control"]

    def ask(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.control + path, data, method=method)
        with urllib.request.urlopen(request, timeout=10) as answer:
            return json.loads(answer.read() or "null")

    def rule(self, name, when, do):
        self.ask("POST", "v1/rules", {"id": name, "when": when, "do": do})

    def hits(self, name):
        return self.ask("GET", f"v1/rules/{name}")["hits"]


@pytest.fixture
def cluster():
    started = Cluster("--brokers", "3", "--topic", "orders")
    yield started
    started.process.terminate()
    assert started.process.wait(10) == 0
