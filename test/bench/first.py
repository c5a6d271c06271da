#!/usr/bin/env python3
"""first.py - `make first`: which functions of the library stand first in it

Usage: first.py LIBRARY RAN USUAL. Prints runtime/first.list: the functions that run in a process that is not recorded,
those that run besides in one of the usual calls that leaves a log; elsewhere those of a program and its children who leave
one together, and those of ordinary commands. RAN is test/bench/ran, linked statically, for what it runs is preloaded
with LIBRARY; USUAL is test/bench/usual.
"""
# SPDX-License-Identifier: BSD-3-Clause
import bisect
import collections
import os
import subprocess
import sys
import tempfile
import textwrap

HEADER = """\
# first.list - what stands first in libdarshan.so: functions that most processes run, by their source; * are those that
# other sources call. `make first` makes it anew; without that a new function costs a process up to 64 KiB, for so much
# does the kernel map at a time.
# SPDX-License-Identifier: BSD-3-Clause
"""
CHILDREN = '"$0" one; "$0" two; exec "$0" three'
COMMANDS = "echo 1 >one; cat one >two; cp two three; grep -q x two; sort two >four; ls -l >/dev/null; rm two; mkdir d; (cat three) >four; exec sort one >two"
TABLES = ("tables", ["posix_rows", "stdio_rows", "heatmap_rows", "rank_rows"])


def functions(library):
    """Address, size, source (* if others call it) and name of each function, by address."""
    found, source, in_table = {}, "*", False
    for line in subprocess.run(["readelf", "-sW", library], check=True, capture_output=True, text=True).stdout.splitlines():
        field = line.split()
        in_table = in_table or "'.symtab'" in line
        if not in_table or len(field) < 8:
            continue
        if field[3] == "FILE":
            source = field[7]
        elif field[3] == "FUNC" and field[6].isdigit() and int(field[2], 0) > 0:
            local = field[4] == "LOCAL" and source.endswith(".c") and not source.startswith("crt")
            found.setdefault(int(field[1], 16), (int(field[2], 0), source[:-2] if local else "*", field[7].split(".")[0]))
    return sorted((address, *rest) for address, rest in found.items())


def ran(tracer, library, command, directory, **settings):
    environment = {**os.environ, "LD_PRELOAD": library, "DARSHAN_ENABLE_NONMPI": "1", "DARSHAN_LOGPATH": directory + "/logs",
                   **settings}
    environment = {name: value for name, value in environment.items() if value is not None}
    lines = subprocess.run([tracer, os.path.basename(library)] + command, env=environment, cwd=directory, check=True,
                           stdout=subprocess.PIPE, text=True).stdout
    return {int(line, 16) for line in lines.split()}


def by_source(known, addresses):
    begins = [f[0] for f in known]
    found = collections.defaultdict(set)
    for address in addresses:
        at = bisect.bisect_right(begins, address) - 1
        if at >= 0 and address < known[at][0] + known[at][1]:
            found[known[at][2]].add(known[at][3])
    return found


def without(found, others):
    left = {source: names - others.get(source, set()) for source, names in found.items()}
    return {source: names for source, names in left.items() if names}


def print_group(found):
    for source in sorted(found):
        for line in textwrap.wrap(" ".join(sorted(found[source])), 118 - len(source), break_long_words=False):
            print(source, line)


def main():
    library, tracer, program = (os.path.realpath(path) for path in sys.argv[1:4])
    known = functions(library)
    with tempfile.TemporaryDirectory() as directory:
        os.mkdir(os.path.join(directory, "logs"))
        other = ran(tracer, library, [program, "one"], directory, DARSHAN_ENABLE_NONMPI=None)
        usual = ran(tracer, library, [program, "one"], directory)
        usual |= ran(tracer, library, [program, "one"], directory, DARSHAN_MODMEM="2", DARSHAN_MMAP_LOGPATH=directory)
        family = ran(tracer, library, ["sh", "-c", CHILDREN, program], directory)
        more = ran(tracer, library, ["sh", "-c", COMMANDS], directory)
    one = by_source(known, usual)
    one[TABLES[0]].update(TABLES[1])
    family, more = by_source(known, family - usual), by_source(known, more - usual - family)
    other = by_source(known, other)
    print(HEADER)
    print_group(other)
    print()
    print_group(without(one, other))
    print("constants\n")
    print_group(without(family, one))
    print()
    print_group(without(without(more, one), family))


if __name__ == "__main__":
    main()
