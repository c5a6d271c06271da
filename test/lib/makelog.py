#!/usr/bin/env python3
# makelog.py - creates a log by hand, from the numbers in the specification
# SPDX-License-Identifier: BSD-3-Clause
"""makelog.py FILE <JSON

JSON is an object; all of it may be left out: exe, uid, start, end, nprocs, jobid; partial (bit i: module i lost data);
processes (text of that part of the extension section); version (of the log, "3.41"); names
{"id": "name"}; mounts [["path", "type"]]; versions {"module": version}; records [[module, id, rank, {counter: value}]]
with all other counters 0. HEATMAP records have {"width": seconds, "write": [bytes], "read": [bytes]}, LUSTRE records
{"stripe_size": bytes, "osts": [number]} with one component, DXT_POSIX ones {"write": [[offset, length, start, end]],
"read": likewise}, both of which may be left out; H5F and PNETCDF_FILE have nothing to choose. H5D records have
{"file": id, counter: value}."""

import json
import os
import struct
import sys
import zlib

sys.pycache_prefix = os.environ.get("DSN_PYCACHE")  # the sources may lie where nothing may be written
sys.dont_write_bytecode = not sys.pycache_prefix
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "decode"))
import counters
import darshan_log
import other_modules

HEADER, SLOTS = 1328, 64
NEWEST = {"POSIX": 4, "MPI-IO": 3, "H5F": 3, "H5D": 2, "PNETCDF_FILE": 3, "LUSTRE": 2, "STDIO": 2, "DXT_POSIX": 2, "HEATMAP": 1}


def record(module, version, ident, rank, value):
    head = struct.pack("<Qq", ident, rank)
    if module == "HEATMAP":
        bins = value["write"] + value["read"]
        return head + struct.pack("<dqQQ%dq" % len(bins), value["width"], len(value["write"]), 0, 0, *bins)
    if module == "LUSTRE":
        osts = value["osts"]
        comp = struct.pack("<7q16s", value["stripe_size"], len(osts), 0, 16, 0, -1, 0, b"")
        return head + struct.pack("<qq", 1, len(osts)) + comp + struct.pack("<%dq" % len(osts), *osts)
    if module == "H5F":
        return head + bytes({2: 5, 3: 8}[version] * 8)
    if module == "PNETCDF_FILE":
        return head + bytes(17 * 8)
    if module == "H5D":
        _, layout, _, _, _ = other_modules.FIXED[4]
        ints, doubles = layout(version)
        return (head + struct.pack("<Q", value["file"]) + struct.pack("<%dq" % len(ints), *[value.get(n, 0) for n in ints]) +
                bytes(8 * len(doubles)))
    if module == "DXT_POSIX":
        writes, reads = value.get("write", []), value.get("read", [])
        return head + struct.pack("<q64sqq", 0, b"node", len(writes), len(reads)) + b"".join(
            struct.pack("<qqddq", *segment, 0) for segment in writes + reads)
    _, _, layout = counters.MODULES[counters.ALL_NAMES.index(module)]
    ints, doubles = layout(version)
    for name in value:
        if name not in ints + doubles:
            raise KeyError(name)
    return (head + struct.pack("<%dq" % len(ints), *[value.get(n, 0) for n in ints]) +
            struct.pack("<%dd" % len(doubles), *[value.get(n, 0) for n in doubles]))


def extension(at, name, raw):
    """A section with one part, of version 2."""
    part = zlib.compress(raw)
    entry = name.ljust(16, b"\0") + struct.pack("<QQQQQ", 2, at, len(part), len(raw), darshan_log.lookup8(part))
    return (part + entry + struct.pack("<QQQ", at + len(part), 1, darshan_log.lookup8(entry)) +
            b"DARSHAN EXT 1".ljust(16, b"\0"))


def write(log, path):
    # "metadata" is text, further lines "key=value\n"
    job = struct.pack("<7q1024s", log.get("uid", 0), log.get("start", 0), 0, log.get("end", 0), 0, log.get("nprocs", 1),
                      log.get("jobid", 0), ("lib_ver=3.5.0\n" + log.get("metadata", "")).encode())
    mounts = log.get("mounts", [["/", "ext4"]])
    text = log.get("exe", "./a") + "".join("\n%s\t%s" % (kind, path) for path, kind in mounts)
    names = b"".join(struct.pack("<Q", int(i)) + n.encode() + b"\0" for i, n in log.get("names", {}).items())
    regions, versions = {}, [0] * SLOTS
    for module, ident, rank, value in log.get("records", []):
        number = counters.ALL_NAMES.index(module)
        versions[number] = log.get("versions", {}).get(module, NEWEST[module])
        regions[number] = regions.get(number, b"") + record(module, versions[number], ident, rank, value)
    body = zlib.compress(job + text.encode() + b"\0")
    maps = [(0, 0)] * (SLOTS + 1)
    for at, data in [(0, names)] + [(number + 1, regions[number]) for number in sorted(regions)]:
        packed = zlib.compress(data) if data else b""
        maps[at] = (HEADER + len(body), len(packed))
        body += packed
    head = struct.pack("<8sqB7xQ", b"3.41", 6567223, 0, log.get("partial", 0))
    head += b"".join(struct.pack("<QQ", *m) for m in maps) + struct.pack("<%dI" % SLOTS, *versions)
    if "processes" in log:
        body += extension(HEADER + len(body), b"processes", log["processes"].encode())
    with open(path, "wb") as f:
        f.write(head + body)


if __name__ == "__main__":
    write(json.load(sys.stdin), sys.argv[1])
