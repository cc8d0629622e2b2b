# SPDX-License-Identifier: Apache-2.0
"""A fake cluster as a child process, for the scripts beside this file."""
import subprocess


class FakeCluster:
    def __init__(self, ktrial, *options):
        self.process = subprocess.Popen(
            [ktrial, "cluster", "--brokers", "1", "--port", "0", "--control", "off",
             "--exit-with-parent", *options],
            stdout=subprocess.PIPE, text=True)
        self.listeners = {}
        for line in self.process.stdout:
            words = line.split()
            if words[0] == "listener":
                self.listeners[words[1]] = words[3]
            if words[0] == "ready":
                self.listeners.setdefault("PLAINTEXT", words[1])
                break
        else:
            raise SystemExit(f"ktrial cluster ended with {self.process.wait()}")

    def __getitem__(self, listener):
        return self.listeners[listener]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()
