#!/usr/bin/env python3
# spoil.py - rewrites a log with one rule violated, to see the checks of strict.py fail
# SPDX-License-Identifier: BSD-3-Clause
"""spoil.py LOG OUT RULE; without RULE the names of all rules. LOG must be little-endian, with the newest header and
shared POSIX records. The rule "nothing" writes the log as it is."""

import os
import struct
import sys
import zlib

sys.pycache_prefix = os.environ.get("DSN_PYCACHE")  # the sources may lie where nothing may be written
sys.dont_write_bytecode = not sys.pycache_prefix

import counters  # noqa: E402
from darshan_log import Log  # noqa: E402


class Draft:
    """The parts of a log, to be changed and written."""

    def __init__(self, path):
        log = Log(path)
        self.header = bytearray(log.data[:log.header_size])
        self.regions = {-2: log.job_region.streams, -1: log.name_region.streams}
        self.regions.update({n: m.streams for n, m in log.modules.items()})
        self.gap = self.cut = 0
        self.mode = 0o400

    def counter(self, module, name):
        """Where a counter of the module's first record stands in its stream."""
        return 16 + 8 * counters.current(module).index(name)

    def change(self, module, name, form, value):
        raw = bytearray(self.regions[module][0])
        struct.pack_into("<" + form, raw, self.counter(module, name), value)
        self.regions[module] = [bytes(raw)] + self.regions[module][1:]

    def write(self, path):
        at = len(self.header)
        body = b""
        for number in sorted(self.regions):
            data = b"".join(zlib.compress(stream) for stream in self.regions[number])
            if number == 1 and self.cut:
                data = data[:-self.cut]
            if number >= -1:
                struct.pack_into("<QQ", self.header, 32 if number < 0 else 48 + 16 * number, at, len(data))
            if number == -1 and self.gap:
                data += b"\0" * self.gap
            body += data
            at += len(data)
        with open(path, "wb") as file:
            file.write(self.header + body)
        os.chmod(path, self.mode)


def second_name(draft):
    draft.regions[-1] = [draft.regions[-1][0] * 2] + draft.regions[-1][1:]


def second_stream(draft):
    draft.regions[1] = draft.regions[1] * 2


def two_ranks(draft):
    first = draft.regions[1][0]
    draft.regions[1] = [b"".join(first[:8] + struct.pack("<q", rank) + first[16:] for rank in (0, 1))]


RULES = {
    "nothing": lambda d: None,
    "mode": lambda d: setattr(d, "mode", 0o440),
    "padding": lambda d: d.header.__setitem__(17, 1),
    "partial": lambda d: d.header.__setitem__(24 + 7, 1),
    "gap": lambda d: setattr(d, "gap", 3),
    "cut": lambda d: setattr(d, "cut", 4),
    "name": lambda d: d.regions.__setitem__(-1, [d.regions[-1][0].replace(b"/", b"_", 1)]),
    "second_name": second_name,
    "shared_elsewhere": second_stream,
    "two_ranks": two_ranks,
    "half_record": lambda d: d.regions.__setitem__(1, [d.regions[1][0] + b"half"]),
    "negative_time": lambda d: d.change(1, "POSIX_F_READ_TIME", "d", -0.5),
    "start_after_end": lambda d: d.change(1, "POSIX_F_READ_START_TIMESTAMP", "d", 1.0),
    "histogram": lambda d: d.change(1, "POSIX_READS", "q", 1000000),
    "sequential": lambda d: d.change(1, "POSIX_SEQ_WRITES", "q", 1000000),
    "common": lambda d: d.change(1, "POSIX_ACCESS4_COUNT", "q", 1000000),
}


def main():
    if len(sys.argv) < 4:
        print("\n".join(RULES))
        return
    draft = Draft(sys.argv[1])
    RULES[sys.argv[3]](draft)
    draft.write(sys.argv[2])


if __name__ == "__main__":
    main()
