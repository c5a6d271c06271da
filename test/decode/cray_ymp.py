#!/usr/bin/env python3
# cray_ymp.py - a simple, slow model of the 1992 study's machine, and random traces, to be compared with
# darshan-simulate
# SPDX-License-Identifier: BSD-3-Clause
"""
  cray_ymp.py agree COMMAND SEED N       N random traces with random options: prints every one on which they differ
  cray_ymp.py run FILE [JSON]            the model on events of a file, lines 'process cpu_ticks type offset length file';
                                             JSON: its options
"""
import heapq
import json
import os
import random
import subprocess
import sys
import tempfile
from collections import deque

WRITE, ASYNC = 0x40, 0x08


class Clean:
    """Clean blocks; the one that was accessed longest ago goes first. An access counts whatever state the block is in."""

    def __init__(self):
        self.heap, self.member, self.stamp, self.clock = [], {}, {}, 0

    def access(self, k):
        self.clock += 1
        self.stamp[k] = self.clock
        if k in self.member:
            self.add(k)

    def add(self, k):
        self.member[k] = self.stamp[k]
        heapq.heappush(self.heap, (self.stamp[k], k))

    def evict(self):
        while True:
            s, k = heapq.heappop(self.heap)
            if self.member.get(k) == s:
                del self.member[k]
                return


def simulate(processes, cache, write_behind=False, read_ahead=True, ssd=False, warm=(), block=16384, quantum=.1, far=.015, near=.002, rate=1e8,
             switch=20e-6, fscost=30e-6, interrupt=10e-6):
    """processes: lists of (type, offset, length, file, cpu ticks). See section 10.2 for every rule."""
    capacity = int(cache * 1048576 // block)
    procs = []
    for i, evs in enumerate(processes):
        size = {}
        for _, offset, length, f, _ in evs:
            size[f] = max(size.get(f, 0), offset + length)
        procs.append({"events": evs, "at": 0, "left": evs[0][4] * 1e-5, "size": size, "last": {}, "done": None, "reached": False, "waits": 0})
    clean, dirty, flying = Clean(), {}, {}
    n = {"disk_reads": 0, "disk_writes": 0, "hits": 0, "misses": 0, "read_ahead": 0}
    used = pending = seq = 0
    now = idle = system = user = 0.0
    completions, ready, room, head, last_run = [], deque(range(len(procs))), [], [None, 0], None
    for i in warm:
        for f, s in sorted(procs[i]["size"].items()):
            for b in range((s + block - 1) // block):
                if used < capacity:
                    clean.access((i, f, b)); clean.add((i, f, b)); used += 1

    def spend(seconds):
        nonlocal now, system
        now += seconds
        system += seconds

    def disk(f, start, size, kind, keys, waiter):
        nonlocal seq
        position = far if head[0] != f else near if head[1] != start else 0.0
        head[0], head[1] = f, start + size
        seq += 1
        n["disk_reads" if kind == "r" else "disk_writes"] += 1
        heapq.heappush(completions, (now + position + size / rate, seq, kind, keys, waiter))

    def wake(i):
        procs[i]["waits"] -= 1
        if procs[i]["waits"] == 0:
            ready.append(i)

    def complete():
        nonlocal pending
        while completions and completions[0][0] <= now + 1e-12:
            _, _, kind, keys, waiter = heapq.heappop(completions)
            pending += 1
            for k in keys:
                if kind == "r":
                    waiters = flying.pop(k)
                    if k not in dirty:
                        clean.add(k)
                    for i in waiters:
                        wake(i)
                else:
                    dirty[k] -= 1
                    if dirty[k] == 0:
                        del dirty[k]
                        if k not in flying:
                            clean.add(k)
            if waiter is not None:
                wake(waiter)
            ready.extend(room)
            room.clear()

    def allocate(count, keep=()):
        nonlocal used
        if count > capacity - used:
            kept = [k for k in keep if k in clean.member]
            if len(clean.member) - len(kept) < count - (capacity - used):
                return False
            for k in kept:
                del clean.member[k]
            for _ in range(count - (capacity - used)):
                clean.evict()
            for k in kept:
                clean.add(k)
            used = capacity
        else:
            used += count
        return True

    def absent(keys):
        return [k for k in keys if k not in clean.member and k not in dirty and k not in flying]

    def fetch(keys):
        run = []
        for k in keys + [None]:
            if run and (k is None or k[2] != run[-1][2] + 1):
                for r in run:
                    flying[r] = []
                disk(run[0][:2], run[0][2] * block, len(run) * block, "r", run, None)
                run = []
            run.append(k)

    def blocks(i, f, start, end):
        return [(i, f, b) for b in range(start // block, (end - 1) // block + 1)]

    while any(p["done"] is None for p in procs):
        complete()
        if not ready:
            idle += completions[0][0] - now
            now = completions[0][0]
            continue
        i = ready.popleft()
        p = procs[i]
        if last_run is not None and last_run != i:
            spend(switch)
        last_run = i
        spend(pending * interrupt); pending = 0
        slice_left = quantum
        while True:
            if p["at"] == len(p["events"]):
                p["done"] = now
                break
            ty, offset, length, f, _ = p["events"][p["at"]]
            if not p["reached"]:
                run = min(p["left"], slice_left)
                now += run; user += run; p["left"] -= run; slice_left -= run
                complete()
                if p["left"] > 1e-12:
                    ready.append(i)
                    break
                p["reached"] = True
                spend(pending * interrupt); pending = 0
                spend(fscost)
                if ssd:
                    spend(10e-6 + length / 1024 * 1e-6)
                complete()
            keys, waits = blocks(i, f, offset, offset + length), False
            new = absent(keys)
            if not allocate(len(new), keys):
                room.append(i)
                break
            for k in keys:
                clean.access(k)
            if ty & WRITE:
                for k in keys:
                    clean.member.pop(k, None)
                    dirty[k] = dirty.get(k, 0) + 1
                waits = not (write_behind or ty & ASYNC)
                if waits:
                    p["waits"] = 1
                disk((i, f), offset, length, "w", keys, i if waits else None)
            else:
                n["misses" if new else "hits"] += 1
                fetch(new)
                need = [k for k in keys if k in flying]
                if need and not ty & ASYNC:
                    for k in need:
                        flying[k].append(i)
                    p["waits"], waits = len(need), True
                end = min(offset + 2 * length, p["size"][f])
                if read_ahead and (offset == 0 or p["last"].get(f) == offset) and end > offset + length:
                    ahead = absent(blocks(i, f, offset + length, end))
                    if ahead and allocate(len(ahead)):
                        for k in ahead:
                            clean.access(k)
                        before = n["disk_reads"]
                        fetch(ahead)
                        n["read_ahead"] += n["disk_reads"] - before
                p["last"][f] = offset + length
            p["reached"] = False
            p["at"] += 1
            if p["at"] < len(p["events"]):
                p["left"] = p["events"][p["at"]][4] * 1e-5
            if waits:
                break
    return {"elapsed": round(now, 3), "idle": round(idle, 3), "system": round(system, 3), "user": round(user, 3), "utilisation": round(1 - idle / now, 5), **n}


def trace_text(events, process):
    """Miller text of one process, every field given."""
    for ty, offset, length, f, cpu in events:
        yield "%x 20 %x %x %x 1 %x %x %x\n" % (ty, offset, length, cpu, f, process, cpu)


def random_events(rng, block):
    files = rng.randint(1, 4)
    at, last = {}, {}
    events = []
    for _ in range(rng.randint(1, rng.choice((5, 30, 120)))):
        f = rng.randint(1, files)
        length = rng.choice((0, 1, 100, block // 2, block, block + 1, 3 * block, rng.randint(1, 5 * block)))
        kind = rng.random()
        if kind < .5:
            offset = at.get(f, 0)
        elif kind < .6:
            offset = 0
        else:
            offset = rng.randint(0, 20) * rng.choice((block, block // 2, 777))
        at[f] = offset + length
        ty = 0x80 | (WRITE if rng.random() < .4 else 0) | (ASYNC if rng.random() < .15 else 0)
        events.append((ty, offset, length, f, rng.choice((0, 0, 1, 10, 100, 1000, 20000, rng.randint(0, 5000)))))
    return events


def random_options(rng, block, n):
    o = {"cache": rng.choice((2, 5, 8, 16, 40, 200)) * block / 1048576, "block": block, "quantum": rng.choice((.1, .01, .001)),
         "far": rng.choice((.015, .01, 0.)), "near": rng.choice((.002, 0.)), "rate": rng.choice((1e8, 1e6)),
         "write_behind": rng.random() < .5, "read_ahead": rng.random() < .7, "ssd": rng.random() < .3}
    o["warm"] = [rng.randrange(n)] if rng.random() < .3 else []
    return o


def command_line(o, names):
    line = ["--machine", "cray-ymp-1992", "--json", "--cache", repr(o["cache"]), "--block", str(o["block"]), "--quantum", repr(o["quantum"]),
            "--far", repr(o["far"]), "--near", repr(o["near"]), "--rate", repr(o["rate"])]
    line += ["--write-behind"] * o["write_behind"] + ["--no-read-ahead"] * (not o["read_ahead"]) + ["--ssd"] * o["ssd"]
    for i in o["warm"]:
        line += ["--warm", names[i]]
    return line + names


def agree(command, seed, count):
    bad = refused = 0
    with tempfile.TemporaryDirectory() as folder:
        for i in range(count):
            rng = random.Random(seed * 1000003 + i)
            block = rng.choice((4096, 16384, 32768))
            programs = [random_events(rng, block) for _ in range(rng.choice((1, 1, 2, 3)))]
            o = random_options(rng, block, len(programs))
            names = [os.path.join(folder, "p%d" % k) for k in range(len(programs))]
            for k, (name, events) in enumerate(zip(names, programs)):
                with open(name, "w", encoding="ascii") as f:
                    f.writelines(trace_text(events, k + 1))
            try:
                want = simulate(programs, **o)
            except IndexError:  # a request that has no room for ever
                want = None
                refused += 1
            done = subprocess.run([command] + command_line(o, names), capture_output=True, text=True, check=False)
            got = json.loads(done.stdout) if done.returncode == 0 else None
            if got != want or (want is None and (done.returncode != 1 or len(done.stderr.splitlines()) != 1)):
                bad += 1
                print("seed %d trace %d: want %s got %s %s" % (seed, i, want, got, done.stderr))
    print("%d traces, %d refused by both, %d differ" % (count, refused, bad))
    return bad > 0 or refused * 3 > count


def main(args):
    if len(args) == 4 and args[0] == "agree":
        return agree(args[1], int(args[2]), int(args[3]))
    if len(args) in (2, 3) and args[0] == "run":
        programs = {}
        with open(args[1], encoding="ascii") as f:
            for p, cpu, ty, offset, length, name in (map(int, line.split()) for line in f):
                programs.setdefault(p, []).append((ty, offset, length, name, cpu))
        print(json.dumps(simulate(list(programs.values()), **(json.loads(args[2]) if len(args) == 3 else {"cache": 32}))))
        return 0
    sys.exit(__doc__)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
