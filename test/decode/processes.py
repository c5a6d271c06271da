#!/usr/bin/env python3
# processes.py - the part of a log about its processes, a line each (doc/log-format.md)
# SPDX-License-Identifier: BSD-3-Clause
"""usage: processes.py LOG"""
import struct
import sys
import zlib

log = open(sys.argv[1], "rb").read()
at, parts = struct.unpack("<QQ", log[-40:-24])
for i in range(parts):
    name, _, offset, stored, _, _ = struct.unpack("<16s5Q", log[at + 56 * i:at + 56 * (i + 1)])
    if name.rstrip(b"\0") == b"processes":
        sys.stdout.write(zlib.decompress(log[offset:offset + stored]).decode())
