#!/usr/bin/env python3
# decode.py - prints or checks a Darshan log, independently of the project's own reader
# SPDX-License-Identifier: BSD-3-Clause
"""decode.py LOG                              the log as JSON
decode.py LOG --text                       header facts and records as darshan-parser prints them
decode.py LOG --traces                     heads and segments of traces as darshan-dxt-parser prints them
decode.py LOG --strict                     checks the rules that a log of our runtime must fulfil
decode.py LOG --want FILE [-D NAME=VALUE]  checks the lines of FILE (see want.py)

Exit status 0: all as it must be; 1: something is not (each on a line of stderr); 2: not a log, or wrong usage."""

import argparse
import json
import os
import sys

sys.pycache_prefix = os.environ.get("DSN_PYCACHE")  # the sources may lie where nothing may be written
sys.dont_write_bytecode = not sys.pycache_prefix

import counters
import other_modules
import strict
import want
from darshan_log import Log, LogError, Region, module_name


def as_json(log):
    regions = [log.job_region, log.name_region] + [log.modules[n] for n in sorted(log.modules)]
    return {
        "version": log.version, "byte_order": "little" if log.order == "<" else "big",
        "compression": log.compression, "partial": log.partial, "job": log.job, "metadata": dict(log.metadata),
        "exe": log.exe, "mounts": log.mounts, "names": {str(n): name for n, name in log.names.items()},
        "regions": [{"name": r.name, "off": r.off, "len": r.length, "ver": r.version, "streams": len(r.streams)}
                    for r in regions],
        "records": log.records + [record for _, records in log.others for record in records],
        "extension": log.extension}


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
    for number in range(64):
        region = log.modules.get(number) or Region(module_name(number), 0, 0, 0)
        if region.length or log.partial >> number & 1:
            yield "# %s module: %d bytes (compressed), ver=%d" % (region.name, region.length, region.version)
    for path, kind in log.mounts:
        yield "# mount entry:\t%s\t%s" % (path, kind)
    yield from record_lines(log)


def shown(counter, value):
    return "%f" % value if isinstance(value, float) else str(value)


def record_lines(log):
    """Module by module, as they stand in the log."""
    modules = dict(log.others)
    for number, (name, _, _) in counters.MODULES.items():
        modules[number] = [record for record in log.records if record["module"] == name]
    for _, records in sorted(modules.items()):
        for record in records:
            name = "(null)" if record["name"] is None else record["name"]
            for counter, value in record["counters"].items():
                yield "\t".join([record["module"], str(record["rank"]), str(record["id"]), counter,
                                 shown(counter, value), name, record["mount"], record["fs"]])


def trace_lines(log):
    layouts = {r["id"]: r["comps"] for number, records in log.others if number == 8 for r in records}
    for number, _, records in log.traces:
        for ident, rank, (host, left_out), *ways in records:
            threads = {segment[4] for way in ways for segment in way} - {None}
            name = log.names.get(ident)
            yield "# DXT, file_id: %d, file_name: %s" % (ident, "(null)" if name is None else name)
            yield "# DXT, rank: %d, hostname: %s" % (rank, host)
            yield "# DXT, number of threads: %d" % (len(threads) or 1)
            yield "# DXT, write_count: %d, read_count: %d" % tuple(len(way) for way in ways)
            if left_out > 0:
                yield "# DXT, left_out: %d" % left_out
            yield "# DXT, mnt_pt: %s, fs_type: %s" % log.mount_of(name or "")
            yield from segment_lines(number, rank, ways, layouts.get(ident) if number == 10 else None)


def segment_lines(number, rank, ways, comps):
    if comps is not None:
        yield "# DXT, Lustre stripe components:"
        for i, comp in enumerate(comps, 1):
            yield "#\t[Component %d] stripe_ext: %d - %s, stripe_size: %d, stripe_count: %d, OSTs:%s" % (
                i, comp[4], "EOF" if comp[5] == -1 else comp[5], comp[0], comp[1], "".join(" %d" % o for o in comp[8]))
    for way, segments in zip(("write", "read"), ways):
        for i, (offset, length, start, end, thread) in enumerate(segments):
            osts = "" if comps is None else "".join(" [%d]" % o for o in other_modules.targets(comps, offset, length))
            yield "%8s%8d%7s%9d%16d%16d%12.4f%12.4f  %s%s %s" % (
                "X_POSIX" if number == 10 else "X_MPIIO", rank, way, i, offset, length, start, end, osts,
                "  " if comps else "", "N/A" if thread is None else "%4d" % thread)


def arguments():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("log")
    parser.add_argument("--text", action="store_true")
    parser.add_argument("--traces", action="store_true")
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
        lines = list(text_lines(log) if args.text else trace_lines(log) if args.traces else [])
        for path in args.want:
            _, found = want.check(log, path, dict(pair.split("=", 1) for pair in args.define))
            failures += ["%s: %s" % (os.path.basename(path), failure) for failure in found]
    except (LogError, want.WantError, OSError) as error:
        print("decode.py: %s: %s" % (args.log, error), file=sys.stderr)
        return 2
    for failure in failures:
        print(failure, file=sys.stderr)
    if args.text or args.traces:
        print("\n".join(lines))
    elif not args.strict and not args.want:
        json.dump(as_json(log), sys.stdout, indent=1)
        print()
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
