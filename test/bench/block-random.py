"""block-random.py - the same recording with its sectors at random places: block-random.py FROM TO

SPDX-License-Identifier: BSD-3-Clause
"""
import struct
import sys

HEAD = struct.Struct("=IIQQIIIIIHH")
data = bytearray(open(sys.argv[1], "rb").read())
at = 0
while at < len(data):
    head = list(HEAD.unpack_from(data, at))
    head[3] = head[3] * 2654435761 % (1 << 32) & ~7
    HEAD.pack_into(data, at, *head)
    at += HEAD.size + head[-1]
open(sys.argv[2], "wb").write(data)
