#!/usr/bin/env python3
# ledger.py - holds logs of a program that runs against what it says of itself (ledger.c)
# SPDX-License-Identifier: BSD-3-Clause
"""ledger.py BIN DIRECTORY PID SNAPSHOTS PLACES: takes so many logs of process PID while it runs, and prints `exact`, or
what is wrong: a log that cannot be made or read, a counter that is not between what the program had done before and after,
counters of one record that are of different moments."""

import collections
import struct
import subprocess
import sys

WANT = {"POSIX_WRITES": 0, "POSIX_READS": 1, "STDIO_WRITES": 2}


def ledger(directory, places):
    with open(directory + "/ledger", "rb") as f:
        values = struct.unpack(f"{places * 3}q", f.read(places * 24))
    return [values[i * 3 : i * 3 + 3] for i in range(places)]


def counters(program, log):
    text = subprocess.run([program + "/darshan-parser", log], check=True, capture_output=True, text=True).stdout
    found = collections.defaultdict(dict)
    for line in text.split("\n"):
        part = line.split("\t")
        if len(part) > 5 and not line.startswith("#"):
            found[part[5].rsplit("/", 1)[-1]][part[3]] = float(part[4])
    return found, "# metadata: running = " in text


def main():
    program, directory, pid, snapshots, places = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4]), int(sys.argv[5])
    log = directory + "/snapshot.darshan"
    wrong = []
    for n in range(snapshots):
        before = ledger(directory, places)
        made = subprocess.run([program + "/darshan-recover", "--live", pid, "-o", log], capture_output=True, text=True)
        after = ledger(directory, places)
        if made.returncode != 0:
            wrong.append(f"snapshot {n}: {made.stderr.strip()}")
            break
        found, says = counters(program, log)
        if not says:
            wrong.append(f"snapshot {n}: its metadata do not say that the job runs")
        for i in range(places):
            record = {**found.get(f"data.{i}", {}), **found.get(f"text.{i}", {})}
            for name, at in WANT.items():
                if not before[i][at] <= record.get(name, 0) <= after[i][at] + 1:
                    wrong.append(f"snapshot {n}: {name} of {i}: {record.get(name)}, not in {before[i][at]}..{after[i][at]}")
            posix = found.get(f"data.{i}")
            if posix and posix["POSIX_BYTES_WRITTEN"] != 7 * posix["POSIX_WRITES"]:
                wrong.append(f"snapshot {n}: {posix['POSIX_WRITES']} writes, {posix['POSIX_BYTES_WRITTEN']} bytes")
            if posix and posix["POSIX_WRITES"] and sum(
                posix[f"POSIX_ACCESS{k}_COUNT"] for k in range(1, 5)
            ) != posix["POSIX_WRITES"] + posix["POSIX_READS"]:
                wrong.append(f"snapshot {n}: frequent sizes of data.{i} are of another moment")
    print("\n".join(wrong[:10]) or "exact")


if __name__ == "__main__":
    main()
