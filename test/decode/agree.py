#!/usr/bin/env python3
# agree.py - checks that darshan-parser and darshan-dxt-parser read random logs like the tests' own decoder
# SPDX-License-Identifier: BSD-3-Clause
"""agree.py BINDIR FIRST_SEED N; the first log that is read differently stays as random.darshan."""

import os
import subprocess
import sys

sys.pycache_prefix = os.environ.get("DSN_PYCACHE")  # the sources may lie where nothing may be written
sys.dont_write_bytecode = not sys.pycache_prefix

import decode  # noqa: E402
from darshan_log import Log  # noqa: E402
from random_log import Maker  # noqa: E402

PATH = "random.darshan"


def lines(*command):
    done = subprocess.run(command + ("--show-incomplete", PATH), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          check=False)
    if done.returncode or done.stderr:
        return ["exit status %d: %s" % (done.returncode, done.stderr.decode())]
    return done.stdout.decode("utf-8", "surrogateescape").split("\n")


def is_head(line):
    keys = ("darshan log version", "compression method", "exe", "uid", "jobid", "start_time", "end_time", "nprocs",
            "run time", "metadata", "job data", "record table", "mount entry")
    return line.startswith(tuple("# %s:" % key for key in keys)) or (" module: " in line and line[0] == "#")


def is_record(line):
    return line.count("\t") >= 7 and not line.startswith("#")


def is_trace(line):
    return line.startswith(("# DXT,", "#\t", " X_"))


def differences(bindir):
    log = Log(PATH)
    want, got = list(decode.text_lines(log)), lines(bindir + "/darshan-parser")
    got = [line for line in got if is_head(line)] + [line for line in got if is_record(line)]
    yield from compare(got, want)
    yield from compare([line for line in lines(bindir + "/darshan-dxt-parser") if is_trace(line)],
                       list(decode.trace_lines(log)))


def compare(got, want):
    for a, b in zip(got, want):
        if a != b:
            yield "parser:  %s\ndecoder: %s" % (a, b)
    if len(got) != len(want):
        yield "parser: %d lines, decoder: %d" % (len(got), len(want))


def main():
    bindir, first, n = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    sys.stdout.reconfigure(errors="surrogateescape")
    for seed in range(first, first + n):
        Maker(seed).write(PATH)
        found = list(differences(bindir))
        if found:
            print("seed %d" % seed, *found[:4], sep="\n")
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
