#!/usr/bin/env python3
# carried.py - checks that darshan-convert and darshan-merge preserve all of a log, by the tests' own decoder
# SPDX-License-Identifier: BSD-3-Clause
"""carried.py BINDIR FIRST_SEED N: random logs of all modules, versions and byte orders; each is converted, and merged
with nothing else. The first one of which something is lost stays as random.darshan."""

import os
import subprocess
import sys

sys.pycache_prefix = os.environ.get("DSN_PYCACHE")  # the sources may lie where nothing may be written
sys.dont_write_bytecode = not sys.pycache_prefix

import decode  # noqa: E402
from darshan_log import Log  # noqa: E402
from random_log import Maker  # noqa: E402

PATH, NEW = "random.darshan", "new.darshan"


def job(log):
    """All but the fractions of seconds that an old log does not have."""
    return {key: value for key, value in log.job.items() if "nsec" not in key and key != "run_time"}


def parts(log):
    """Everything that a log says, part by part."""
    yield "job", job(log)
    yield "command line", log.exe
    yield "metadata", log.metadata
    yield "mounts", log.mounts
    yield "names", list(log.names.items())
    yield "records", list(decode.record_lines(log))
    for number, _, records in log.traces:
        yield "traces of module %d" % number, [
            (*head, [segment[:4] + (segment[4] or 0,) for segment in writes + reads], len(writes))
            for *head, writes, reads in records]


def lost(command, log, partial):
    if os.path.exists(NEW):
        os.unlink(NEW)
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    if done.returncode or done.stdout:
        return "exit status %d: %s" % (done.returncode, done.stdout.decode())
    new = Log(NEW)
    if (new.version, new.order, new.partial) != ("3.41", "<" if sys.byteorder == "little" else ">", partial):
        return "version %s, byte order %s, partial %#x" % (new.version, new.order, new.partial)
    before, after = dict(parts(log)), dict(parts(new))
    for what in list(before) + list(after):
        if before.get(what) != after.get(what):
            return "%s: %s not as before" % (command[0], what)
    return None


def main():
    bindir, first, n = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    for seed in range(first, first + n):
        Maker(seed).write(PATH)
        log = Log(PATH)
        for command, partial in (([bindir + "/darshan-convert", PATH, NEW], log.partial),
                                 ([bindir + "/darshan-convert", "--bzip2", PATH, NEW], log.partial),
                                 ([bindir + "/darshan-merge", "--output", NEW, PATH], log.partial | 1)):
            why = lost(command, log, partial)
            if why:
                print("seed %d: %s" % (seed, why))
                return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
