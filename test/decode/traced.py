#!/usr/bin/env python3
# traced.py - compares the traces of test/work/traced.c with what it did
# SPDX-License-Identifier: BSD-3-Clause
"""usage: traced.py LOG OPERATIONS whole|thinned

Of every rank: the file of both threads is written at 8 * (2 * i + thread), a thread's own file read at 4 * i. A trace
that is whole has all of that, in order; of one that was thinned it is known which operations of a thread's own file are
there: one of 2^k, from the first on, up to less than 2^k before the last.
"""

import os
import sys

from darshan_log import Log


def whole(name, writes, reads, left_out, n):
    if left_out:
        return "%d are left out" % left_out
    if name.startswith("own."):
        return not writes and [s[0] for s in reads] == [4 * i for i in range(n)] and len({s[4] for s in reads}) == 1
    found = {thread: [s[0] for s in writes if s[4] == thread] for thread in {s[4] for s in writes}}
    return not reads and sorted(found.values()) == [[8 * (2 * i + t) for i in range(n)] for t in (0, 1)]


def thinned(name, writes, reads, left_out, n):
    if name.startswith("shared"):
        return len(writes) + left_out == 2 * n and len({s[4] for s in writes}) == 2 and not reads
    if not reads:
        return "nothing is left"
    step = (reads[1][0] - reads[0][0]) // 4
    places = [4 * i for i in range(0, n, step)]
    return (left_out > 0 and step & (step - 1) == 0 and [s[0] for s in reads] == places
            and len(reads) + left_out == n)


def main():
    log, n, check = Log(sys.argv[1]), int(sys.argv[2]), {"whole": whole, "thinned": thinned}[sys.argv[3]]
    checked = 0
    for number, _, records in log.traces:
        for ident, rank, (_, left_out), writes, reads in records if number == 10 else ():
            name = os.path.basename(log.names[ident])
            holds = check(name, writes, reads, left_out, n)
            checked += 1
            if holds is not True:
                print("rank %d, %s: %s; %d writes, %d reads, %d left out" % (
                    rank, name, holds or "not what was done", len(writes), len(reads), left_out))
                return 1
            starts = {}
            for segment in writes + reads:
                if segment[2] < starts.get(segment[4], 0):
                    print("rank %d, %s: a thread's operations are out of order" % (rank, name))
                    return 1
                starts[segment[4]] = segment[2]
    if checked < 3:
        print("%d traces" % checked)
    return checked < 3


if __name__ == "__main__":
    sys.exit(main())
