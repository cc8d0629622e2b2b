# SPDX-License-Identifier: Apache-2.0
"""Pairs of measurements, one after the other, and what their ratios are worth."""
import os
import statistics
import time

TICKS = os.sysconf("SC_CLK_TCK")
# A pair is measured again if others took more of the processors than this, in cores ...
FOREIGN_LIMIT = 0.1
# ... or the host more than this.
STEAL_LIMIT = 0.05
TRIES = 3


class Quiet:
    """How much of the machine others took, in cores: those of it that are no descendants of ours."""

    def __enter__(self):
        self.began = time.monotonic()
        self.before, self.steal_before = self.busy()
        self.own_before = self.own()
        return self

    def __exit__(self, *_):
        return False

    @staticmethod
    def busy():
        with open("/proc/stat", encoding="ascii") as stat:
            user, nice, system, _, _, irq, softirq, steal, *_ = map(int, stat.readline().split()[1:])
        return (user + nice + system + irq + softirq) / TICKS, steal / TICKS

    @staticmethod
    def own():
        """Of this process and of all it started that are over."""
        times = os.times()
        return times.user + times.system + times.children_user + times.children_system

    def end(self, server_cpu=0.0):
        """`server_cpu`: of processes of ours that are not over or not our children."""
        took = time.monotonic() - self.began
        busy, steal = self.busy()
        foreign = busy - self.before - (self.own() - self.own_before) - server_cpu
        return foreign / took, (steal - self.steal_before) / took


class Pairs:
    """Ratios of ours to theirs: median, least, most."""

    def __init__(self):
        self.ours, self.theirs, self.noisy = [], [], 0

    def add(self, ours, theirs):
        self.ours.append(ours)
        self.theirs.append(theirs)

    def ratio(self, key):
        ratios = [a[key] / b[key] for a, b in zip(self.ours, self.theirs)]
        return statistics.median(ratios), min(ratios), max(ratios)

    def medians(self, key):
        return (statistics.median(one[key] for one in self.ours),
                statistics.median(one[key] for one in self.theirs))


def measure(ours, theirs, pairs, quiet_only=True):
    """Calls `ours` and `theirs` in turn; each returns a dict of figures with `foreign` and `steal`.
    The first pair warms up and is thrown away."""
    found = Pairs()
    ours(), theirs()
    while len(found.ours) < pairs:
        for _ in range(TRIES if quiet_only else 1):
            pair = ours(), theirs()
            if all(one["foreign"] <= FOREIGN_LIMIT and one["steal"] <= STEAL_LIMIT for one in pair):
                break
        else:
            found.noisy += 1
        found.add(*pair)
    return found
