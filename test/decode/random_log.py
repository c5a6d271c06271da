#!/usr/bin/env python3
# random_log.py - a log of any version, byte order and compression, with records of all modules in any of their versions
# SPDX-License-Identifier: BSD-3-Clause
"""random_log.py OUT SEED: the same log for the same seed. Nothing in it makes sense but its form, which is right."""

import bz2
import os
import random
import struct
import sys
import zlib

sys.pycache_prefix = os.environ.get("DSN_PYCACHE")  # the sources may lie where nothing may be written
sys.dont_write_bytecode = not sys.pycache_prefix

import counters  # noqa: E402
import other_modules as other  # noqa: E402
from darshan_log import MAGIC  # noqa: E402

VERSIONS = ["3.00", "3.10", "3.20", "3.21", "3.41"]
NAMES = [b"/scratch/a.dat", b"/scratch/b c", b"/home/\xc3\xa9t\xc3\xa9", b"/home/tab\there", b"plain", b"",
         b"/x\xff\xfe",
         b"heatmap:POSIX", b"<STDIN>", b"/scratch/sub/" + b"n" * 300, b"/a\"b,c\\d"]
MOUNTS = [("ext4", "/"), ("lustre", "/scratch"), ("nfs", "/home"), ("xfs", "/scratch/sub")]


class Maker:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.version = self.random.choice(VERSIONS)
        self.order = self.random.choice("<>")
        self.compression = self.random.choice([0, 0, 0, 1, 2])
        self.old = self.version != "3.41"
        self.ids = [self.random.getrandbits(64) for _ in NAMES]

    # ---- values

    def integer(self):
        r = self.random
        return r.choice([0, 1, -1, r.randrange(300), r.randrange(1 << 40), -r.randrange(1 << 40), (1 << 63) - 1,
                         -(1 << 63)])

    def double(self):
        r = self.random
        return r.choice([0.0, -1.0, r.random(), r.random() * 1e5, -r.random(), r.random() * 1e300, 5e-324, 1e-7,
                         float("inf")])

    def head(self):
        r = self.random
        return r.choice(self.ids + [r.getrandbits(64)]), r.choice([-1, 0, 1, 7, 1 << 40])

    def pack(self, form, *values):
        return struct.pack(self.order + form, *values)

    def values(self, ints, floats, first=None):
        numbers = [self.integer() for _ in range(ints)]
        if first is not None:
            numbers[first[0]] = first[1]
        return self.pack("%dq%dd" % (ints, floats), *numbers, *[self.double() for _ in range(floats)])

    # ---- records

    def record(self, module, version):
        if module in counters.MODULES:
            ints, floats = counters.MODULES[module][2](version)
            fopens = "POSIX_FOPENS" in ints and (ints.index("POSIX_FOPENS"), self.random.choice([0, 0, 1, 128, -1]))
            return self.pack("Qq", *self.head()) + self.values(len(ints), len(floats), fopens or None)
        if module in other.FIXED:
            _, layout, front, _, behind = other.FIXED[module]
            ints, floats = layout(version)
            return (self.pack("Qq", *self.head()) + self.random.randbytes(front(version)) +
                    self.fixed_values(module, version, len(ints), len(floats)) +
                    self.random.choice([self.random.randbytes(behind), bytes(behind)]))
        return {8: self.lustre, 10: self.dxt, 11: self.dxt, 12: self.mdhim, 15: self.heatmap}[module](module, version)

    def fixed_values(self, module, version, ints, floats):
        if module == 5 and version < 3:  # two kinds of opens, to be added
            return self.pack("2q", *[self.random.randrange(1 << 40) for _ in range(2)]) + self.values(0, floats)
        return self.values(ints, floats)

    def comp(self):
        r = self.random
        size = r.choice([-1] + 5 * [1, 1000, 1 << 20])
        start = r.choice([0, 0, 1000, 1 << 20])
        return self.pack("7q16s", size, r.randrange(5), r.choice([0, 2, 4, 8, 3, -1]),
                         r.choice([0, -1, 16, 0xfff, 1 << 20, r.getrandbits(12)]), start,
                         r.choice([-1, start + 5000, 1 << 30]), self.integer(), r.choice([b"", b"pool", b"p" * 16]))

    def lustre(self, _, version):
        ident, rank = self.head()
        if version == 1:
            n = self.random.randrange(4)
            return self.pack("Qq4qq%dq" % n, ident, rank, 8, 1, 0, 1 << 20, n, *[self.integer() for _ in range(n)])
        comps = [self.comp() for _ in range(self.random.randrange(4))]
        n = sum(struct.unpack_from(self.order + "q", comp, 8)[0] for comp in comps)
        return (self.pack("Qqqq", ident, rank, len(comps), n) + b"".join(comps) +
                self.pack("%dq" % n, *[self.random.randrange(400) for _ in range(n)]))

    def dxt(self, module, version):
        r = self.random
        writes, reads = r.randrange(4), r.randrange(4)
        ident, rank = self.head()
        raw = self.pack("Qqq64sqq", ident, abs(rank) % 1000, 0, b"node%d" % r.randrange(9), writes, reads)
        for _ in range(writes + reads):
            raw += self.pack("qqdd", r.choice([-1, r.randrange(1 << 22)]), r.choice([0, 1, r.randrange(1 << 21)]),
                             r.random() * 1e5, r.random() * 1e5)
            if version == (2 if module == 10 else 3):
                raw += self.pack("Q", r.choice([1, 2, 140000000000000, r.getrandbits(64)]))
        return raw

    def mdhim(self, *_):
        servers = self.random.randrange(4)
        return (self.pack("Qq", *self.head()) + self.values(5, 4, (4, servers)) +
                self.pack("%dq" % max(1, servers), *[self.integer() for _ in range(max(1, servers))]))

    def heatmap(self, *_):
        n = self.random.choice([5, 5, 4, 6, 9])
        return (self.pack("QqdqQQ", *self.head(), self.random.choice([0.1, 0.1, 0.1, 0.2]), n,
                          self.random.getrandbits(64), 0) +
                self.pack("%dq" % (2 * n), *[self.integer() for _ in range(2 * n)]))

    def apmpi(self, n):
        raw = self.pack("QqqIIdd", 1, 0, other.APMPI_MAGIC, self.random.randrange(2), 0, self.double(), self.double())
        for rank in range(n):
            raw += self.pack("Qq", 2, rank) + self.values(len(other.APMPI_INTS), len(other.APMPI_FLOATS) + 18)
            raw += b"host%d".ljust(128, b"\0") if rank % 2 else b"h" * 128
        return raw

    def module(self, number):
        newest = {8: 2, 10: 2, 11: 3, 12: 1, 14: 1, 15: 1}
        newest.update((n, row[1]) for n, row in counters.MODULES.items())
        newest.update((n, row[0]) for n, row in other.FIXED.items())
        version, n = self.random.randint(1, newest[number]), self.random.randrange(1, 5)
        return version, self.apmpi(n) if number == 14 else b"".join(self.record(number, version) for _ in range(n))

    # ---- file

    def region(self, raw):
        """In one stream or several, which begin anywhere."""
        if self.compression == 2 or not raw:
            return raw
        cuts = sorted(self.random.randrange(len(raw) + 1) for _ in range(self.random.randrange(3)))
        parts = [raw[a:b] for a, b in zip([0] + cuts, cuts + [len(raw)])]
        return b"".join((zlib.compress if self.compression == 0 else bz2.compress)(part) for part in parts)

    def names(self):
        raw = b""
        for ident, name in zip(self.ids, NAMES):
            if self.random.randrange(4):
                length = self.pack("I", len(name)) if self.version == "3.00" else b""
                raw += self.pack("Q", ident) + length + name + (b"" if length else b"\0")
        return raw

    def job(self):
        times = [1600000000, 1600000100 + self.random.randrange(9)]
        if not self.old:
            times = [times[0], 123456789, times[1], self.random.randrange(10**9)]
        numbers = [self.random.randrange(99999)] + times
        numbers += [self.random.choice([1, 4, 100]), self.random.randrange(99999)]
        metadata = b"lib_ver=3.%d\nh=a=b;c=d\nno value\n" % self.random.randrange(9)
        text = b"./app -x \xc3\xa9" + b"".join(b"\n%s\t%s" % (kind.encode(), path.encode()) for kind, path in MOUNTS)
        return self.pack("%dq1024s" % len(numbers), *numbers, metadata) + text + self.random.choice([b"", b"\0"])

    def slot(self, number):
        """Where an old log has a module; None: nowhere."""
        if not self.old:
            return number
        gone = [4, 6] if self.version in ("3.00", "3.10") else [6]
        at = number - sum(number > g for g in gone)
        return None if number in gone or at > 15 else at

    def write(self, path):
        slots = 16 if self.old else 64
        at = 360 if self.old else 1328
        job = self.region(self.job())
        body, maps, versions = job, [(0, 0)] * slots, [0] * slots
        names = self.region(self.names())
        name_map = (at + len(body), len(names))
        body += names
        for number in (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14, 15, 16, 17):
            if self.slot(number) is None or not self.random.randrange(4):
                continue
            version, raw = self.module(number)
            region = self.region(raw)
            maps[self.slot(number)], versions[self.slot(number)] = (at + len(body), len(region)), version
            body += region
        head = self.pack("8sqB3xI" if self.old else "8sqB7xQ", self.version.encode(), MAGIC, self.compression,
                         self.random.choice([0, 2, 0x400]))
        head += self.pack("QQ", *name_map) + b"".join(self.pack("QQ", *m) for m in maps)
        with open(path, "wb") as file:
            file.write(head + self.pack("%dI" % slots, *versions) + body)


if __name__ == "__main__":
    Maker(int(sys.argv[2])).write(sys.argv[1])
