#!/usr/bin/env python3
# make-others.py - a site's data besides logs, for those of make-logs: make-others.py DIRECTORY LOGS [DAYS [FILES]]
# SPDX-License-Identifier: BSD-3-Clause
"""Writes jobs (as sacct -P prints them), accounts.csv, samples.csv (four devices, minute by minute, with two days
missing), snapshot-0.json and snapshot-1.json (of FILES files each, a million), programs.csv. The same arguments give the
same files."""

import json
import math
import os
import random
import sys
import time

FIRST_DAY = 1767225600
PROJECTS = 8
DISCIPLINES = ["Atmospheric", "Chemistry", "Physics", "Biology"]


def write(directory, name, lines):
    with open(os.path.join(directory, name), "w", encoding="ascii") as to:
        to.writelines(lines)


def jobs(logs, days):
    """Those of the logs, and of every third another that left none."""
    stamp = lambda t: time.strftime("%Y-%m-%dT%H:%M:%S", time.localtime(t))
    yield "JobIDRaw|User|Account|State|NNodes|NCPUS|Start|End|CPUTimeRAW\n"
    for i in range(logs):
        begin = FIRST_DAY + i * (days * 86400 // logs)
        for ident in [1000 + i] * (i % 5 != 4) + [10000000 + i] * (i % 3 == 0):
            nodes = 1 << random.randrange(8)
            length = random.randrange(60, 7200) + (7200 + days * 86400 // logs) * (ident < 10000000)  # its logs end before
            yield "%d|user%d|account%d|COMPLETED|%d|%d|%s|%s|%d\n" % (
                ident, i % 50, i % 10, nodes, 32 * nodes, stamp(begin), stamp(begin + length), 32 * nodes * length)
            yield "%d.batch||account%d|COMPLETED|1|32|%s|%s|%d\n" % (
                ident, i % 10, stamp(begin), stamp(begin + length), 32 * length)


def accounts():
    yield "account,project,discipline\n"
    for i in range(10):
        yield "account%d,project %d,%s\n" % (i, i % PROJECTS, DISCIPLINES[i % len(DISCIPLINES)])


def samples(days):
    """Quiet nights, bursts of checkpoints, now and then nothing; two days for which nobody looked."""
    yield "time,host,device,seconds,read_kib,write_kib\n"
    for minute in range(days * 1440):
        if days > 8 and minute // 1440 in (days // 3, days // 3 + 1):
            continue
        busy = 1 + math.sin(minute / 1440 * 2 * math.pi)
        burst = 20 if minute % 97 < 2 else 1
        quiet = (minute // 300) % 9 == 0
        for host in "oss1", "oss2":
            for device in "sda", "sdb":
                rate = 0 if quiet and minute % 7 == 0 else (0.02 if quiet else busy * burst) * random.expovariate(1)
                yield "%d,%s,%s,60,%.0f,%.0f\n" % (
                    FIRST_DAY + 60 * (minute + 1), host, device, rate * 60 * 90e3, rate * 60 * 40e3)


def power_bin(v):
    return int(v).bit_length()


def snapshot(files, when, owners):
    """Sizes as they are on file systems of this kind: log-normal about 100 KiB."""
    bins = {name: {} for name in ("size", "access_days", "modification_days")}
    owned = {}
    total = 0
    for _ in range(files):
        size = int(random.lognormvariate(math.log(100e3), 2.5))
        written = random.expovariate(1 / 200)
        read = written * random.random()
        total += size
        for name, value in ("size", size), ("access_days", read), ("modification_days", written):
            at = bins[name].setdefault(power_bin(value), [0, 0])
            at[0] += 1
            at[1] += size
        at = owned.setdefault(5000 + random.choices(range(len(owners)), owners)[0] * 10, [0, 0])
        at[0] += 1
        at[1] += size
    return {"format": "darshan-fsstats 1", "directory": "/scratch", "time": when, "files": files,
            "directories": files // 50, "bytes": total,
            "histograms": {name: [[b, *v] for b, v in sorted(of.items())] for name, of in bins.items()},
            "owners": [[owner, *v] for owner, v in sorted(owned.items())]}


def programs():
    yield "program,system,discipline,executions,cpu_seconds,megabytes\n"
    for i in range(200):
        cpu = random.lognormvariate(math.log(2000), 1.5)
        yield "program%d,%d,%s,%d,%.2f,%.2f\n" % (
            i, i % 10 == 0, DISCIPLINES[i % len(DISCIPLINES)] if i % 7 else "", 1 + i % 9, cpu,
            cpu * random.lognormvariate(math.log(2), 1.8))


def main():
    directory, logs = sys.argv[1], int(sys.argv[2])
    days = int(sys.argv[3]) if len(sys.argv) > 3 else 60
    files = int(sys.argv[4]) if len(sys.argv) > 4 else 1000000
    random.seed(logs)
    write(directory, "jobs", jobs(logs, days))
    write(directory, "accounts.csv", accounts())
    write(directory, "samples.csv", samples(days))
    write(directory, "programs.csv", programs())
    for i, owners in enumerate(([5, 3, 2, 1, 1, 1, 1, 1], [5, 3, 2, 1, 1, 9, 1, 1])):
        with open(os.path.join(directory, "snapshot-%d.json" % i), "w", encoding="ascii") as to:
            json.dump(snapshot(files * (3 + i) // 4, FIRST_DAY + i * days * 86400, owners), to)


main()
