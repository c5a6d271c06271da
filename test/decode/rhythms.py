#!/usr/bin/env python3
# rhythms.py - traces with a known rhythm, and without one, as seed text
# SPDX-License-Identifier: BSD-3-Clause
"""rhythms.py NAME [--jitter PERCENT] [--drop N] [--seed N] [--ranks N] [--durations SECONDS] >TRACE

radar, ocean: the cycles of spec analysis.md C5. Others have what their names say. --jitter: every pause is longer or shorter by up to so
many percent; --drop N: one cycle of N is left out, its time is not; --ranks N: so many processes, each with jitter of its own, which
begin a bit later one after the other."""
import argparse
import random

UNIT = 196608
US = 1e-6
OPTIONS = argparse.ArgumentParser()
OPTIONS.add_argument("name")
OPTIONS.add_argument("--jitter", type=float, default=0)
OPTIONS.add_argument("--drop", type=int, default=0)
OPTIONS.add_argument("--seed", type=int, default=1)
OPTIONS.add_argument("--ranks", type=int, default=1)
OPTIONS.add_argument("--n", type=int, default=1000)
OPTIONS.add_argument("--names", action="store_true", help="every cycle writes a file of its own")
O = OPTIONS.parse_args()


class Program:
    """Operations of one process: (seconds of CPU time, is write, file, bytes)."""

    def __init__(self, seed):
        self.now, self.ops, self.random, self.dropping = 0.0, [], random.Random(seed), False

    def wait(self, seconds):
        self.now += seconds * (1 + self.random.uniform(-1, 1) * O.jitter / 100)

    def do(self, write, file, count, within=0.0, size=UNIT):
        for i in range(count):
            if i:
                self.wait(within)
            if not self.dropping:
                self.ops.append((self.now, write, file, size))

    def cycle(self, i):
        self.dropping = O.drop > 0 and i % O.drop == O.drop - 1


def radar(p):
    p.wait(0.65)
    for i in range(30):
        p.cycle(i)
        p.do(0, 5, 3, 277.19 * US)
        p.wait(277.19 * US)
        p.do(0, 6, 6, 277.19 * US)
        p.wait(5.13)
        p.do(0, 4, 55, 5082.01 * US)
        p.wait(0.65)
    for i in range(30):
        p.cycle(i)
        p.wait(16.70)
        p.do(1, 7, 3, 186.20 * US)
        p.wait(4277 * US)
        p.do(0, 5, 2, 279.15 * US)
        p.wait(279.15 * US)
        p.do(0, 6, 6, 279.15 * US)
        p.wait(5.16)
        p.do(0, 4, 55, 5107.55 * US)


def ocean(p):
    for i in range(4):
        p.do(0, 9, 1, size=220)
        p.wait(1748 * US)
        p.do(1, 10, 231, 454 * US)
        p.wait(508779 * US)
        p.do(1, 8, 9, 1597 * US)
        p.wait(2.13)
        p.do(1, 6, 1, size=13)
        p.wait(2.24)
        p.do(1, 6, 1, size=14)
        p.wait(597 * US)


def checkpoints(p):
    for i in range(O.n):
        p.cycle(i)
        p.wait(10)
        p.do(1, 100 + i if O.names else 3, 20, 0.01, 1 << 20)


def poisson(p):
    for _ in range(O.n):
        p.now += p.random.expovariate(2)
        p.do(p.random.random() < 0.5, 3 + p.random.randrange(2), 1, size=4096)


def plain_poisson(p):
    for _ in range(O.n):
        p.now += p.random.expovariate(2)
        p.do(1, 3, 1, size=4096)


def poisson_bursts(p):
    for _ in range(O.n):
        p.now += p.random.expovariate(0.1)
        p.do(1, 3, 20, 0.001, 4096)


def burst(p):
    p.wait(5)
    p.do(1, 3, O.n, 0.001)


def two_bursts(p):
    p.wait(5)
    p.do(1, 3, O.n, 0.001)
    p.wait(20)
    p.do(1, 3, O.n, 0.001)


def stream(p):
    p.do(1, 3, O.n, 0.01)


def one(p):
    p.wait(1)
    p.do(1, 3, 1)


def empty(p):
    pass


def random_bursts(p):
    """of different sizes and files at random times"""
    for _ in range(O.n):
        p.now += p.random.expovariate(0.1)
        for _ in range(p.random.randrange(1, 30)):
            p.now += p.random.expovariate(1000)
            p.do(p.random.random() < 0.3, p.random.randrange(3, 9), 1, size=p.random.choice((4096, 65536, 1 << 20)))


events = []
for rank in range(O.ranks):
    program = Program(O.seed + rank)
    program.now = 1.7 * rank
    globals()[O.name](program)
    last = 0.0
    for now, write, file, size in program.ops:
        events.append((now, rank + 1, write, file, size, now - last))
        last = now
events.sort(key=lambda e: e[0])
print("ff !iotrace 1\nff !base 10\nff !tick_us 1")
if O.names:
    for file in sorted({e[3] for e in events}):
        print("ff !file %d 0 /scratch/run7/step-%05d.chk" % (file, file))
before = 0
cpu = {}
total = {}
for now, process, write, file, size, _ in events:
    at = round(now * 1e6)
    used = total.get(process, 0)
    total[process] = at
    print(192 if write else 128, 32, 0, size, at - before, 0, file, process, at - used)
    before = at
