#!/usr/bin/env python3
# believable_logs.py - logs of programs with threads and with nested layers, and what their reports have to say
# SPDX-License-Identifier: BSD-3-Clause
"""believable_logs.py DIRECTORY: writes logs, and prints of each NAME FIGURE=VALUE...
believable_logs.py --judge JSON FIGURE=VALUE...: prints what is not so. FIGURE is a path into the document; VALUE a number (within
a thousandth), <NUMBER, or a word."""

import json
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "decode"))

import forge  # noqa: E402

MIB = 1 << 20


def draft(ranks, run):
    d = forge.Draft()
    d.text = "./app"
    d.job.update(nprocs=ranks, start=1000, end=1000 + run, uid=1, jobid=1)
    d.line("mount lustre /")
    return d


def add(d, module, rank, name, **counters):
    d.record(module, rank, name, *("%s=%r" % pair for pair in counters.items()))


def threads(d, ranks):
    """Eight threads a rank, each with a file of its own that takes nearly all of the run."""
    for rank in range(ranks):
        for thread in range(8):
            add(d, "POSIX", rank, "/d/%d.%d" % (rank, thread), POSIX_OPENS=1, POSIX_READS=4, POSIX_BYTES_READ=4 * MIB,
                POSIX_F_READ_TIME=9.0, POSIX_F_META_TIME=0.5)


def nested(d, rank, owner, upper, middle, lower):
    """A file of HDF5 (or PnetCDF): seconds (read, write, meta) of each layer, None for a layer that was not recorded."""
    name = "/d/data.h5"
    if lower:
        add(d, "POSIX", rank, name, POSIX_OPENS=1, POSIX_WRITES=4, POSIX_BYTES_WRITTEN=4 * MIB,
            POSIX_MAX_BYTE_WRITTEN=16 * MIB - 1, POSIX_F_READ_TIME=lower[0],
            POSIX_F_WRITE_TIME=lower[1], POSIX_F_META_TIME=lower[2], POSIX_F_SLOWEST_RANK_TIME=sum(lower),
            POSIX_F_FASTEST_RANK_TIME=sum(lower))
    if middle:
        add(d, "MPI-IO", rank, name, MPIIO_COLL_OPENS=1, MPIIO_COLL_WRITES=8, MPIIO_BYTES_WRITTEN=4 * MIB,
            MPIIO_F_READ_TIME=middle[0], MPIIO_F_WRITE_TIME=middle[1], MPIIO_F_META_TIME=middle[2])
    if upper and owner != "pnetcdf":
        file_id = d.name(name)
        add(d, "H5F", rank, name, H5F_OPENS=1, H5F_F_META_TIME=upper[2] / 2)
        add(d, "H5D", rank, name + ":/mesh/" + owner, H5D_OPENS=1, H5D_WRITES=2, H5D_BYTES_WRITTEN=4 * MIB, H5D_F_READ_TIME=upper[0],
            H5D_F_WRITE_TIME=upper[1], H5D_F_META_TIME=upper[2] / 2, H5D_FILE_REC_ID=file_id if owner == "known" else 0)


def make(folder):
    def end(d, name, *what):
        d.write(os.path.join(folder, name + ".darshan"))
        print(name, *what)

    for ranks in (1, 4):
        d = draft(ranks, 10)
        threads(d, ranks)
        end(d, "threads-%d" % ranks, "answer.seconds.slowest=10", "answer.seconds.mean=10", "answer.seconds.slowest_at_least=9",
            "answer.share_of_run_time.slowest=1", "answer.mib_per_second=%g" % (3.2 * ranks))
    # each layer with each other one: the largest counts
    for owner in ("known", "lost"):
        for upper in ((0, 1.6, 9.8), None):
            for middle in ((0, 11.2, 0.2), None):
                for lower in ((0, 3.0, 0.1), None):
                    if not (upper or middle or lower) or (owner == "lost" and not upper):
                        continue
                    d = draft(4, 12)
                    for rank in range(4):
                        nested(d, rank, owner, upper, middle, lower)
                    times = [sum(t) for t in (upper, middle, lower) if t]
                    name = "-".join(w for w, t in (("h5", upper), ("mpiio", middle), ("posix", lower)) if t)
                    end(d, "%s-%s" % (owner, name), "answer.seconds.slowest=%g" % max(times), "answer.seconds.mean=%g" % max(times))
    d = draft(4, 12)
    for rank in range(4):
        nested(d, rank, "lost", (0, 1.6, 9.8), (0, 11.2, 0.2), (0, 3.0, 0.1))
    end(d, "openpmd", "answer.seconds.slowest=11.4", "answer.run.metadata=<0.6", "findings=library-metadata")


def judge(document, wants):
    for want in wants:
        path, _, value = want.partition("=")
        if path == "findings":
            if value not in [f["id"] for f in document["findings"]]:
                print("no finding", value)
            continue
        got = document
        for key in path.split("."):
            got = got[key]
        if value[0] == "<":
            good = got < float(value[1:])
        else:
            good = abs(got - float(value)) <= 1e-3 * abs(float(value))
        if not good:
            print("%s is %.9g, not %s" % (path, got, value))


if sys.argv[1] == "--judge":
    with open(sys.argv[2], encoding="utf-8") as source:
        judge(json.load(source), sys.argv[3:])
else:
    make(sys.argv[1])
