#!/usr/bin/env python3
# forge.py - creates a log by hand, with just the numbers that a test needs
# SPDX-License-Identifier: BSD-3-Clause
"""forge.py OUT <DESCRIPTION; lines of the description:

    job FIELD=NUMBER...                     uid, jobid, nprocs, start, start_nsec, end (seconds; 0 if not given)
    exe COMMAND LINE
    metadata KEY=VALUE
    mount TYPE PATH                         shortest path first
    partial MASK
    name NAME                               a name without a record
    layout NAME SIZE:OST,OST...[@START-END]...  stripes of a file on Lustre: a component each, to the end if END is missing
    record MODULE RANK NAME COUNTER=NUMBER...   MODULE as printed: POSIX, MPI-IO, STDIO, H5F; counters not given are 0
    site PLACE LAYER NAME COUNTER=NUMBER...     calls on a file; PLACE is FUNCTION:LINE of run.py, or PROGRAM+OFFSET; LAYER is a
                                            number (site.def)"""

import os
import struct
import sys
import zlib

sys.pycache_prefix = os.environ.get("DSN_PYCACHE")  # the sources may lie where nothing may be written
sys.dont_write_bytecode = not sys.pycache_prefix

import counters  # noqa: E402
import other_modules  # noqa: E402
from darshan_log import EXTENSION_MAGIC, MAGIC, lookup8  # noqa: E402

HEADER = 1328
NEWEST = {number: row[1] for number, row in counters.MODULES.items()}
for rows in (other_modules.FIXED, other_modules.VARYING):
    NEWEST.update((number, row[0]) for number, row in rows.items())
IDS = {row[0]: number for number, row in counters.MODULES.items()}
OTHERS = {"H5F": 3, "H5D": 4}
IDS.update(OTHERS)


def counters_of(number):
    if number not in OTHERS.values():
        return counters.current(number)
    integers, reals = other_modules.FIXED[number][1](NEWEST[number])
    return integers + reals


class Draft:
    def __init__(self):
        self.job = dict.fromkeys(("uid", "jobid", "nprocs", "start", "start_nsec", "end"), 0)
        self.text = self.metadata = ""
        self.partial = 0
        self.names = {}
        self.records = {}
        self.sites = []
        self.stacks = {}

    def name(self, text):
        number = lookup8(text.encode())
        self.names[number] = text
        return number

    def record(self, module, rank, name, *given):
        values = dict(pair.split("=") for pair in given)
        form, row = "<Qq", [self.name(name), int(rank)]
        owner = other_modules.FIXED[IDS[module]][3] if module in OTHERS else None
        if owner:
            form += "Q"
            row.append(int(values.pop(owner, 0)))
        for counter in counters_of(IDS[module]):
            real = "_F_" in counter
            form += "d" if real else "q"
            row.append((float if real else int)(values.pop(counter, 0)))
        if values:
            sys.exit("no such counter: %s" % " ".join(values))
        self.records.setdefault(IDS[module], []).append(struct.pack(form, *row))

    def layout(self, name, *components):
        head, targets = b"", []
        for component in components:
            size, _, rest = component.partition(":")
            numbers, _, extent = rest.partition("@")
            start, _, end = extent.partition("-")
            osts = [int(number) for number in numbers.split(",")]
            head += struct.pack("<7q16s", int(size), len(osts), 0, 0, int(start or 0), int(end or -1), 0, b"")
            targets += osts
        row = struct.pack("<Qqqq", self.name(name), -1, len(components), len(targets)) + head
        self.records.setdefault(8, []).append(row + struct.pack("<%dq" % len(targets), *targets))

    def site(self, place, layer, name, *given):
        function, _, line = place.partition(":")
        program, _, offset = place.partition("+")
        stack = "n%s\t\t%x" % (program, int(offset, 16) + 1) if offset else "p/run.py\t%s\t%s" % (line, function)
        self.stacks[lookup8(stack.encode())] = stack
        values = {"FILE": self.name(name), "STACK": lookup8(stack.encode()), "LAYER": int(layer)}
        values.update((key[len("SITE_"):], number) for key, number in (pair.split("=") for pair in given))
        form, row = "<Qq", [1 + len(self.sites), -1]
        for field in counters.SITE_FIELDS:
            form += field[0]
            row.append((float if field[0] == "d" else int)(values.pop(field[2:], 0)))
        if values:
            sys.exit("no such counter: %s" % " ".join(values))
        self.sites.append(struct.pack(form, *row))

    def line(self, line):
        word, _, rest = line.partition(" ")
        if word == "job":
            self.job.update((key, int(value)) for key, value in (pair.split("=") for pair in rest.split()))
        elif word == "exe":
            self.text = rest + self.text
        elif word == "metadata":
            self.metadata += rest + "\n"
        elif word == "mount":
            self.text += "\n" + rest.replace(" ", "\t", 1)
        elif word == "partial":
            self.partial = int(rest, 0)
        elif word == "name":
            self.name(rest)
        elif word == "layout":
            self.layout(*rest.split())
        elif word == "record":
            self.record(*rest.split())
        elif word == "site":
            self.site(*rest.split())
        elif word:
            sys.exit("not understood: %s" % line)

    def extension(self, start):
        """The parts of call sites, of a section that begins at that byte of the log."""
        stacks = b"".join(struct.pack("<Q", number) + text.encode() + b"\0" for number, text in self.stacks.items())
        parts = [(b"sites", b"".join(self.sites)), (b"stacks", stacks)] if self.sites else []
        data = directory = b""
        for name, raw in parts:
            stored = zlib.compress(raw)
            directory += struct.pack("<16s5Q", name, 1, start + len(data), len(stored), len(raw), lookup8(stored))
            data += stored
        if not parts:
            return b""
        return data + directory + struct.pack("<3Q", start + len(data), len(parts), lookup8(directory)) + EXTENSION_MAGIC

    def write(self, path):
        job = self.job
        raw = struct.pack("<7q", job["uid"], job["start"], job["start_nsec"], job["end"], 0, job["nprocs"], job["jobid"])
        raw += self.metadata.encode().ljust(1024, b"\0") + self.text.encode() + b"\0"
        body = zlib.compress(raw)
        header = bytearray(HEADER)
        struct.pack_into("<8sqB7xQ", header, 0, b"3.41", MAGIC, 0, self.partial)
        raw = b"".join(struct.pack("<Q", number) + name.encode() + b"\0" for number, name in self.names.items())
        region = zlib.compress(raw) if raw else b""
        struct.pack_into("<QQ", header, 32, HEADER + len(body), len(region))
        body += region
        for number in sorted(self.records):
            region = zlib.compress(b"".join(self.records[number]))
            struct.pack_into("<QQ", header, 48 + 16 * number, HEADER + len(body), len(region))
            struct.pack_into("<I", header, 1072 + 4 * number, NEWEST[number])
            body += region
        body += self.extension(HEADER + len(body))
        if os.path.exists(path):
            os.unlink(path)  # logs are read-only
        with open(path, "wb") as file:
            file.write(bytes(header) + body)
        os.chmod(path, 0o400)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    draft = Draft()
    for line in sys.stdin:
        draft.line(line.strip())
    draft.write(sys.argv[1])


if __name__ == "__main__":
    main()
