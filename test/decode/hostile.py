#!/usr/bin/env python3
# hostile.py - runs the commands on damaged random logs of all modules, with random options
# SPDX-License-Identifier: BSD-3-Clause
"""hostile.py BINDIR FIRST_SEED N: N times three logs, each command once or several times. Every run ends within 20 s,
with exit status 0 or 1; an error is said; JSON and CSV have their form; a new log is there if and only if all went well.
BINDIR may be one that was built with sanitizers."""

import csv
import io
import json
import os
import random
import subprocess
import sys

sys.pycache_prefix = os.environ.get("DSN_PYCACHE")  # the sources may lie where nothing may be written
sys.dont_write_bytecode = not sys.pycache_prefix

from random_log import Maker  # noqa: E402

PARSER = "--base --total --file --perf --all --show-incomplete --cn --nodes=3 --json --csv --raw".split()
CONVERT = "--bzip2 --obfuscate --hash-mounts --hash-hosts --reset-md --annotate=a=b --key=7".split()
LOGS, NEW = ["spoiled.0", "spoiled.1", "spoiled.2"], "new.darshan"


def spoil(path, chance):
    """Bits are turned, mostly near the front, and of one in four the end is cut off."""
    log = bytearray(open(path, "rb").read())
    for _ in range(chance.choice([0, 1, 1, 2, 4])):
        log[chance.randrange(min(len(log), chance.choice([400, 1400, len(log)])))] ^= 1 << chance.randrange(8)
    with open(path, "wb") as file:
        file.write(log[:chance.randrange(len(log) + 1)] if chance.random() < 0.25 else log)


def some(options, chance):
    return chance.sample(options, chance.randrange(4))


def commands(chance):
    for _ in range(3):
        yield ["darshan-parser"] + some(PARSER, chance) + LOGS[:chance.randrange(1, 4)]
    yield ["darshan-dxt-parser", "--show-incomplete"] + LOGS
    yield ["darshan-diff"] + LOGS[:2]
    yield ["darshan-job-summary", LOGS[0]]
    yield ["darshan-job-summary", "-o", "page.html", LOGS[0]]
    yield ["darshan-convert"] + some(CONVERT, chance) + [LOGS[0], NEW]
    yield ["darshan-merge", "--force", "--output", NEW] + chance.sample(["--shared-redux", "--exact"], chance.randrange(3)) + LOGS


def wrong(bindir, command):
    """What is wrong with a run, or None."""
    if os.path.exists(NEW):
        os.unlink(NEW)
    try:
        done = subprocess.run([os.path.join(bindir, command[0])] + command[1:], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, check=False, timeout=20)
    except subprocess.TimeoutExpired:
        return "no end"
    if done.returncode not in (0, 1) or b"Sanitizer" in done.stderr or b"runtime error" in done.stderr:
        return "exit status %d: %s" % (done.returncode, done.stderr[:2000].decode(errors="replace"))
    if done.returncode == 1 and not done.stderr:
        return "fails without a word"
    if NEW in command and os.path.exists(NEW) != (done.returncode == 0):
        return "exit status %d, and a new log: %s" % (done.returncode, os.path.exists(NEW))
    if command[0] == "darshan-parser":
        return ill_formed(done.stdout, [option for option in command if option in ("--json", "--csv")][-1:])
    return None


def ill_formed(output, form):
    try:
        if form == ["--json"] and output:
            json.loads(output)
        if form == ["--csv"]:
            rows = csv.reader(io.StringIO(output.decode("utf-8", "surrogateescape"), newline=""), strict=True)
            if any(len(row) != 9 for row in rows):
                return "CSV without nine columns"
    except (ValueError, csv.Error) as error:
        return str(error)
    return None


def main():
    bindir, first, n = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    for seed in range(first, first + n):
        chance = random.Random(seed)
        for i, path in enumerate(LOGS):
            maker = Maker(3 * seed + i)
            maker.compression = chance.choice([0, 2, 2])  # bits of records rather than of what packs them
            maker.write(path)
            spoil(path, chance)
        for command in commands(chance):
            why = wrong(bindir, command)
            if why:
                print("seed %d: %s: %s" % (seed, " ".join(command), why))
                return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
