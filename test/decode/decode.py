#!/usr/bin/env python3
# decode.py - shows or checks a Darshan log, independently of the project's own reader
# SPDX-License-Identifier: BSD-3-Clause
"""decode.py LOG                              the log as JSON
decode.py LOG --text                       header facts and records as darshan-parser prints them
decode.py LOG --strict                     checks the rules that a log of our runtime must fulfil
decode.py LOG --want FILE [-D NAME=VALUE]  checks the lines of FILE (see want.py)

Exit status 0: all as it must be; 1: something is not (each on a line of stderr); 2: not a log, or wrong usage."""

import argparse
import json
import os
import sys

sys.dont_write_bytecode = True  # the sources may lie where nothing may be written

import strict
import want
from darshan_log import Log, LogError


def as_json(log):
    regions = [log.job_region, log.name_region] + [log.modules[n] for n in sorted(log.modules)]
    return {
        "version": log.version, "byte_order": "little" if log.order == "<" else "big",
        "compression": log.compression, "partial": log.partial, "job": log.job, "metadata": dict(log.metadata),
        "exe": log.exe, "mounts": log.mounts, "names": {str(n): name for n, name in log.names.items()},
        "regions": [{"name": r.name, "off": r.off, "len": r.length, "ver": r.version, "streams": len(r.streams)}
                    for r in regions],
        "records": log.records, "extension": log.extension}


def text_lines(log):
    job = log.job
    yield "# darshan log version: %s" % log.version
    yield "# compression method: %s" % log.compression
    yield "# exe: %s" % log.exe
    for field in ("uid", "jobid", "start_time", "end_time", "nprocs"):
        yield "# %s: %d" % (field, job[field])
    yield "# run time: %.4f" % job["run_time"]
    for key, value in log.metadata:
        yield "# metadata: %s = %s" % (key, value)
    yield "# job data: %d bytes (compressed)" % log.job_region.length
    yield "# record table: %d bytes (compressed)" % log.name_region.length
    for number, region in sorted(log.modules.items()):
        if region.length or log.partial >> number & 1:
            yield "# %s module: %d bytes (compressed), ver=%d" % (region.name, region.length, region.version)
    for path, kind in log.mounts:
        yield "# mount entry:\t%s\t%s" % (path, kind)
    for record in log.records:
        name = "(null)" if record["name"] is None else record["name"]
        for counter, value in record["counters"].items():
            shown = "%f" % value if "_F_" in counter else "%d" % value
            yield "\t".join([record["module"], str(record["rank"]), str(record["id"]), counter, shown, name,
                             record["mount"], record["fs"]])


def arguments():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("log")
    parser.add_argument("--text", action="store_true")
    parser.add_argument("--strict", action="store_true")
    parser.add_argument("--want", action="append", default=[])
    parser.add_argument("-D", dest="define", action="append", default=[])
    return parser.parse_args()


def main():
    args = arguments()
    sys.stdout.reconfigure(errors="surrogateescape")
    sys.stderr.reconfigure(errors="surrogateescape")
    try:
        log = Log(args.log)
        failures = list(strict.check(log, args.log)) if args.strict else []
        for path in args.want:
            _, found = want.check(log, path, dict(pair.split("=", 1) for pair in args.define))
            failures += ["%s: %s" % (os.path.basename(path), failure) for failure in found]
    except (LogError, want.WantError, OSError) as error:
        print("decode.py: %s: %s" % (args.log, error), file=sys.stderr)
        return 2
    for failure in failures:
        print(failure, file=sys.stderr)
    if args.text:
        for line in text_lines(log):
            print(line)
    elif not args.strict and not args.want:
        json.dump(as_json(log), sys.stdout, indent=1)
        print()
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
