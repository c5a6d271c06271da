#!/usr/bin/env python3
# make-logs.py - logs whose pages are hard to get right: make-logs.py DIRECTORY
# SPDX-License-Identifier: BSD-3-Clause
"""Writes <name>.darshan, and <name>.json with what the page must show (see browse.js)."""

import json
import os
import subprocess
import sys

MAKELOG = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib", "makelog.py")

HOSTILE = [
    "/d/</script><script>broken=1</script>",
    "/d/<img src=x onerror=broken=1>",
    "/d/\"><svg onload=broken=1>",
    "/d/' onmouseover='broken=1",
    "/d/<!--<script>",
    "/d/]]><iframe src='javascript:broken=1'>",
    "/d/${broken=1}{{broken=1}}",
    "/d/javascript:broken=1",
    "/d/&lt;b&gt;&amp;",
    "/d/\u2028broken=1\u2029",
    "/d/" + "long" * 500,
    "/d/\u202etxt.exe",
    "/d/line\nbreak\tand\x1b[31mred",
    "/d/__proto__",
    "/d/{b|rich}{c|text}",
]


def write(directory, name, log, wanted):
    subprocess.run([sys.executable, MAKELOG, os.path.join(directory, name + ".darshan")],
                   input=json.dumps(log).encode(), check=True)
    with open(os.path.join(directory, name + ".json"), "w", encoding="utf-8") as file:
        json.dump(wanted, file)


def posix(i):
    return {"POSIX_OPENS": 1, "POSIX_READS": 10 + i, "POSIX_BYTES_READ": 1000 * (i + 1), "POSIX_WRITES": 5,
            "POSIX_BYTES_WRITTEN": 500, "POSIX_F_READ_TIME": 0.5 + i, "POSIX_F_META_TIME": 0.25,
            "POSIX_F_OPEN_START_TIMESTAMP": 1.0 + i, "POSIX_F_READ_END_TIMESTAMP": 2.0 + i,
            "POSIX_SIZE_READ_0_100": 10 + i, "POSIX_SIZE_WRITE_0_100": 5}


def hostile(directory):
    """Names, command, mounts, metadata and a trace that try to become part of the page."""
    names = {str(i + 1): name for i, name in enumerate(HOSTILE)}
    records = [["POSIX", i + 1, i % 4, posix(i)] for i in range(len(HOSTILE))]
    records += [["DXT_POSIX", i + 1, i % 4, {"read": [[0, 100, i * 0.1, i * 0.1 + 0.05]]}] for i in range(len(HOSTILE))]
    log = {"exe": "./a</title><script>broken=1</script> --x='<img src=x onerror=broken=1>'", "uid": 1, "jobid": 7,
           "start": 1000, "end": 1030, "nprocs": 4, "names": names, "records": records,
           "mounts": [["/d", "<b>nfs</b>"], ["/", "ext4"], ["/<script>broken=1</script>", "x"]]}
    seen = [name for name in HOSTILE if name.isprintable() and len(name) < 100]
    write(directory, "hostile-names", log, {"names": seen, "drawn": ["time", "trace"]})


def cycles(directory):
    """A checkpoint every 10 s: 80 writes; and more operations than are given one by one."""
    writes = [[100000 + (c * 80 + k) * 65536, 65536, 5 + 10 * c + 0.01 * k, 5.005 + 10 * c + 0.01 * k]
              for c in range(80) for k in range(80)]
    records = [["POSIX", 1, 0, posix(1)], ["DXT_POSIX", 1, 0, {"write": writes}],
               ["LUSTRE", 1, 0, {"stripe_size": 1 << 20, "osts": [7, 3, 12]}]]
    log = {"exe": "./checkpoints", "start": 1000, "end": 1810, "nprocs": 2, "names": {"1": "/scratch/checkpoint"},
           "records": records}
    write(directory, "cycles", log, {"cycles": 80, "drawn": ["time", "trace"]})


def ranks(directory):
    """More ranks than a picture has rows."""
    bins = 100
    records, ident = [], 16592106915301738621  # of heatmap:POSIX
    for rank in range(0, 2000, 3):
        writes = [1000 * (rank % 7) if i % 10 == rank % 10 else 0 for i in range(bins)]
        reads = [100 if i == 5 else 0 for i in range(bins)]
        records.append(["HEATMAP", ident, rank, {"width": 1.0, "write": writes, "read": reads}])
    records.append(["POSIX", 2, 0, posix(0)])
    names = {str(ident): "heatmap:POSIX", "2": "/scratch/x"}
    log = {"exe": "./many", "start": 1000, "end": 1100, "nprocs": 2000, "names": names, "records": records}
    write(directory, "many-ranks", log, {"drawn": ["time"]})


def long(directory):
    """More operations than a page has one by one, of durations that differ."""
    writes = [[k * 4096, 4096, 1 + k * 1e-3, 1 + k * 1e-3 + 1e-6 * (1 + k % 500)] for k in range(120000)]
    log = {"exe": "./long", "start": 1000, "end": 1130, "nprocs": 1, "names": {"1": "/scratch/long"},
           "records": [["POSIX", 1, 0, posix(0)], ["DXT_POSIX", 1, 0, {"write": writes}]]}
    write(directory, "long", log, {"drawn": ["trace"]})


hostile(sys.argv[1])
cycles(sys.argv[1])
ranks(sys.argv[1])
long(sys.argv[1])
