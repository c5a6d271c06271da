"""strace_counters.py - calls and bytes of files as strace saw them, beside what our counters say of the same processes

usage: strace_counters.py PARSER DIRECTORY TRACE.csv LOG...

TRACE.csv is `darshan-trace export --to csv` of strace's output. Compared are the files below DIRECTORY that have a record
of POSIX and none of STDIO, whose calls of the system the library makes itself.
"""
import csv
import os
import subprocess
import sys
from collections import Counter


def traced(path, directory):
    sums = {}
    for row in csv.DictReader(open(path, newline="")):
        name = os.path.normpath(row["path"])
        if row["operation"] in ("read", "write") and name.startswith(directory) and "failed" not in row["flags"]:
            c = sums.setdefault(name, Counter())
            c[row["operation"] + "s"] += 1
            c[row["operation"] + "_bytes"] += int(row["length"])
    return sums


def counted(parser, logs, directory, streams=False):
    """Sums by file; without `streams` of those alone that have no record of STDIO."""
    names = {"READS": "reads", "WRITES": "writes", "BYTES_READ": "read_bytes", "BYTES_WRITTEN": "write_bytes"}
    sums, others = {}, set()
    for log in logs:
        for line in subprocess.run([parser, log], stdout=subprocess.PIPE, check=True, text=True).stdout.splitlines():
            f = line.split("\t")
            if line.startswith("#") or len(f) < 6:
                continue
            path = os.path.normpath(f[5])  # "dd/../input", as the program named it
            if not path.startswith(directory):
                continue
            if f[0] == "STDIO" and not streams:
                others.add(path)
            elif f[3].partition("_")[2] in names and f[0] in ("POSIX", "STDIO"):
                sums.setdefault(path, Counter())[names[f[3].partition("_")[2]]] += int(f[4])
    return {path: c for path, c in sums.items() if path not in others}


def main(parser, directory, trace, *logs):
    want = counted(parser, logs, directory)
    got = traced(trace, directory)
    compared = 0
    for path, c in sorted(want.items()):
        if +c != +got.get(path, Counter()):
            print("differs:", path, "counters:", dict(+c), "strace:", dict(+got.get(path, Counter())))
        compared += sum((+c).values()) > 0
    print(compared, "files compared")


if __name__ == "__main__":
    main(*sys.argv[1:])
