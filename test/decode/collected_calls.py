"""collected_calls.py - calls that DARSHAN_TRACE has collected, beside strace's and our counters of the same processes

usage: collected_calls.py PARSER DIRECTORY CALLS.csv STRACE.csv LOG...

Both traces are `darshan-trace export --to csv`. Of files below DIRECTORY that have a record of POSIX and none of STDIO, whose
calls of the system the library makes itself, strace must have the same calls: operation, place and length of each, as
often, but for the library's own question after the first open of a file whether it has a position (it is no FIFO then),
and for what a process inherits and only closes. Of all files below it the counters must have the same number of reads and
writes, and the same bytes.
"""
import csv
import os
import sys
from collections import Counter

from strace_counters import counted, traced

PLACED = ("read", "write", "seek", "truncate")


def calls(path, directory, has_questions=False):
    seen, opened = {}, {}
    for row in csv.DictReader(open(path, newline="")):
        name = os.path.normpath(row["path"])
        if not name.startswith(directory) or "failed" in row["flags"]:
            continue
        of = row["process"], name
        if row["operation"] == "close" and of not in opened:
            continue
        is_first = of not in opened
        if has_questions and opened.get(of) and row["operation"] == "seek" and row["offset"] == "0":
            opened[of] = False
            continue
        opened[of] = is_first and row["operation"] == "open"
        place = (row["offset"], row["length"]) if row["operation"] in PLACED else ()
        seen.setdefault(name, Counter())[(row["operation"],) + place] += 1
    return seen


def differences(want, got, who):
    for path in sorted(set(want) | set(got)):
        a, b = +want.get(path, Counter()), +got.get(path, Counter())
        if a != b:
            print("differs:", path, who + ":", dict(a - b), "collected:", dict(b - a))


def main(parser, directory, collected, strace, *logs):
    alone = counted(parser, logs, directory)
    ours, theirs = calls(collected, directory), calls(strace, directory, has_questions=True)
    files = {path for path in alone if path in ours or path in theirs}
    differences({p: theirs[p] for p in files if p in theirs}, {p: ours[p] for p in files if p in ours}, "strace")
    differences(counted(parser, logs, directory, streams=True), traced(collected, directory), "counters")
    print(len(files), "files,", sum(sum(c.values()) for p, c in ours.items() if p in files), "calls compared")


main(*sys.argv[1:])
