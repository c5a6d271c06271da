#!/usr/bin/env python3
# seeds.py - makes what the fuzzers begin with out of real logs
# SPDX-License-Identifier: BSD-3-Clause
"""seeds.py DIR LOG...

Puts into DIR/log each log, and the same uncompressed; into DIR/inflate its regions; into DIR/module and DIR/dxt its regions, uncompressed, behind the
three bytes that choose module, version and byte order. Long ones are cut: a fuzzer needs one record of a kind."""

import os
import struct
import sys
import zlib

LONGEST = 1 << 15
DXT = (10, 11)


def inflate(data):
    out = b""
    while data and len(out) < LONGEST:
        z = zlib.decompressobj()
        try:
            out += z.decompress(data, LONGEST)
        except zlib.error:
            break
        data = z.unused_data
    return out[:LONGEST]


class Seed:
    """The parts of a log that its header names."""

    def __init__(self, path):
        with open(path, "rb") as f:
            self.bytes = f.read()
        head = self.bytes
        self.order = "<" if struct.unpack_from("<q", head, 8)[0] == 6567223 else ">"
        new = head[:4] == b"3.41"
        self.size, maps, slots, versions = (1328, 32, 64, 1072) if new else (360, 24, 16, 296)
        self.maps, self.slots = maps, slots
        self.regions = [struct.unpack_from(self.order + "QQ", head, maps + 16 * i) for i in range(slots + 1)]
        self.versions = struct.unpack_from(self.order + "%dI" % slots, head, versions)
        self.compression = head[16]

    def region(self, i):
        off, length = self.regions[i]
        data = self.bytes[off:off + length]
        return inflate(data) if self.compression == 0 else data[:LONGEST]

    def uncompressed(self):
        first = min([off for off, length in self.regions if length] or [len(self.bytes)])
        head = bytearray(self.bytes[:self.size])
        head[16] = 2
        job = self.bytes[self.size:first]
        body = inflate(job) if self.compression == 0 else job
        for i in range(self.slots + 1):
            data = self.region(i) if self.regions[i][1] else b""
            struct.pack_into(self.order + "QQ", head, self.maps + 16 * i, self.size + len(body), len(data))
            body += data
        return bytes(head) + body


def save(folder, name, data):
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, name), "wb") as f:
        f.write(data)


def main(folder, logs):
    for path in logs:
        name = os.path.basename(path)[:40]
        seed = Seed(path)
        if len(seed.bytes) < LONGEST:
            save(folder + "/log", name, seed.bytes)
        save(folder + "/log", name + ".raw", seed.uncompressed())
        for i in range(1, seed.slots):
            if seed.regions[i + 1][1] == 0:
                continue
            data = seed.region(i + 1)
            if seed.compression == 0:
                off, length = seed.regions[i + 1]
                save(folder + "/inflate", "%s.%d" % (name, i), seed.bytes[off:off + min(length, LONGEST)])
            choice = bytes([i - DXT[0] if i in DXT else i, seed.versions[i], seed.order == ">"])
            save(folder + ("/dxt" if i in DXT else "/module"), "%s.%d" % (name, i), choice + data[:8192])


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
