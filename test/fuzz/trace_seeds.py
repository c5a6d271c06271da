#!/usr/bin/env python3
# trace_seeds.py - makes what the fuzzers of traces begin with: a short trace of each format
# SPDX-License-Identifier: BSD-3-Clause
"""trace_seeds.py DIR: puts one into DIR/trace-<format> each, and all of them into DIR/trace"""

import os
import struct
import sys

HEAD = "<IIQQIIIIIHH"


def block(action, time, sector, size, data=b""):
    return struct.pack(HEAD, 0x65617407, 1, time, sector, size, action, 42, 7 << 20, 0, 0, len(data)) + data


def calls(*records):
    """A file of calls (darshan-log-format/calls.h) with one chunk."""
    head = struct.pack("<QIIIIQqQQQQQQQQQQQ", 0x534C4C41434E5344, 1, 4096, 65536, 0, 42, -1, 1, 7, 9, 1700000000000000000,
                       1000, 5000, 3000001000, 1000005000, 1, 3, 1)
    body = b"".join(records)
    return head.ljust(192, b"\0") + b"node1".ljust(4096 - 192, b"\0") + struct.pack("<II", 0x4B4E4843, len(body)) + body.ljust(65536 - 8, b"\0")


SEEDS = {
    "calls": calls(
        struct.pack("<HIQQ", 9, 42, 1000000, 2000),
        struct.pack("<HIH", 8, 1, 6) + b"/tmp/a",
        struct.pack("<HBHB", 3 | 0 << 4 | 1 << 6 | 1 << 8, 0, 4000, 1),
        struct.pack("<HBHH", 2 | 0 << 4 | 1 << 6 | 1 << 12, 90, 3000, 4096),
        struct.pack("<HBHB", 2 | 0 << 4 | 1 << 6, 90, 3000, 0)[:-1],
        struct.pack("<HIHI", 1 | 2 << 4 | 1 << 6 | 2 << 10, 90000, 3000, 70000),
        struct.pack("<HqHH", 5 | 3 << 4 | 1 << 6 | 1 << 10 | 1 << 14, -5, 3000, 7),
        struct.pack("<HIQQ", 9, 43, 2**64 - 1, 200000),
        struct.pack("<HBBB", 4 | 1 << 8, 1, 1, 1),
    ),
    "miller": b"""ff !iotrace 1
ff !base 16
ff !tick_us 10
ff !epoch_us 1600000000000000
ff !file 3 0 /tmp/x
ff !host 743e node1
80 22 0 8 0 32c 3 743e 64
80 ec 384 32c 28
c0 28 3e8 64 32 14 4 1e
ff !call open 951 2 3 29758 0 0 0 12
80 22 0 3ad 2bc 5dc 3 309 fa
80 e4 bb8 5d2 309 104
a0 2 0 10 0 384 89 1d 743e a
20 8 400 10 2 320 89 1 0
ff !batch 2
80 22 0 8 0 32c 3 743e 64
""",
    "fio": b"fio version 3 iolog\n27 /tmp/a b add\n152 /tmp/a b open\n157 /tmp/a b read 0 4096\n401 /tmp/a b write 45056 4096\n1368 /tmp/a b close\n",
    "strace": b"""7 1795432826.768701 openat(AT_FDCWD</d>, "/d/a", O_RDWR|O_CREAT, 0666) = 3</d/a> <0.000012>
7 1795432826.768766 write(3</d/a>, "\\0(\\")"..., 4096) = 4096 <0.000026>
[pid 8] 1795432826.768800 read(0<pipe:[1]>,  <unfinished ...>
7 1795432826.768900 copy_file_range(3</d/a>, [10], 3</d/a>, NULL, 20, 0) = 20 <0.000003>
[pid 8] 1795432826.769000 <... read resumed>"x", 1) = 1 <0.000200>
7 1795432826.769100 clone(child_stack=NULL, flags=CLONE_FILES|SIGCHLD) = 9 <0.1>
9 10:33:46.770985 pread64(3</d/a>, "", 3, 99) = -1 EINVAL (Invalid argument) <0.000015>
7 1795432826.771833 +++ exited with 0 +++
""",
    "blkparse": b"""  7,3    0        1     0.000000000   102  Q  RA 3890 + 1 [dd]
  7,3    0        2     0.000001235   102  D  RA 3890 + 1 [dd]
  7,3    1        1     0.002732452     0  C  RA 3890 + 1 [0]
  7,3    1        0     0.000000000     0  m   N cfq schedule
  7,3    1        3     0.003     0  C  WFS 3890 + 1 [-5]
CPU0 (7,3):
""",
    "ftrace": b"""cpus=2
  dd of-102  [000] d..1. 5.000001235: block_rq_issue: 7,3 RA 512 () 3890 + 1 none,0,0 [dd]
  <idle>-0   [001] d.h1. 5.002732452: block_rq_complete: 7,3 RA () 3890 + 1 none,0,0 [0]
""",
    "biosnoop": b"TIME(s)     COMM           PID    DISK    T SECTOR     BYTES  LAT(ms)\n5.002732    a program      102    loop3   R 3890       512      2.731\n",
    "msr": b"128166372003061629,usr,0,Read,7014609920,24576,41286\n128166372016382155,usr,1,Write,2517696,4096,703402\n",
    "tencent": b"1538323200,12910952,128,0,1063\n1538323201,6338688,8,1,1627\n",
    "oracle": b"".join(struct.pack("<IQIq", t, o, s, n) for t, o, s, n in ((1, 7, 100, 2), (1, 8, 200, -1), (3, 7, 100, -1))),
    "vscsi": struct.pack("<HHIIIQQQ", 0x28, 2 << 8, 1, 4096, 1, 100, 5000, 10) + struct.pack("<HHIIIQQQ", 0x2a, 2 << 8, 2, 4096, 1, 200, 6000, 20),
    "blktrace": block(1024 << 16 | 1, 5, 0, 0, struct.pack("<II", 1700000000, 1)) + block(66 << 16 | 7, 9, 100, 4096) + block(130 << 16 | 8, 99, 100, 4096),
}

for name, data in SEEDS.items():
    for folder in ("trace-" + name, "trace"):
        os.makedirs(os.path.join(sys.argv[1], folder), exist_ok=True)
        with open(os.path.join(sys.argv[1], folder, name), "wb") as f:
            f.write(data)
    if name == "vscsi":
        with open(os.path.join(sys.argv[1], "trace-vscsi", "vscsi1"), "wb") as f:
            f.write(struct.pack("<IIIHHQQ", 1, 4096, 1, 0x28, 1 << 8, 100, 5000))
