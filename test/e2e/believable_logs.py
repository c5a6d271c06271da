#!/usr/bin/env python3
# believable_logs.py - logs of programs with threads and with nested layers, and what their reports have to say
# SPDX-License-Identifier: BSD-3-Clause
"""believable_logs.py DIRECTORY: writes logs, and prints of each NAME FIGURE=VALUE...
believable_logs.py --judge JSON FIGURE=VALUE...: prints what is not so. FIGURE is a path into the document; VALUE a number (within
a thousandth), <NUMBER, or a word. findings=ID: it is found, no=ID: it is not; ID=TEXT, with _ for each blank: the title, the sentence and the advice
together contain it."""

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
    # A server that synchronizes its log, and tells a terminal's file of it: fsync and fflush are two things.
    d = draft(1, 10)
    add(d, "POSIX", 0, "/d/server.log", POSIX_OPENS=1, POSIX_WRITES=300, POSIX_BYTES_WRITTEN=9600, POSIX_FDSYNCS=300,
        POSIX_SEQ_WRITES=299, POSIX_CONSEC_WRITES=299, POSIX_MAX_BYTE_WRITTEN=9599, POSIX_F_WRITE_TIME=1.5)
    add(d, "STDIO", 0, "/d/told", STDIO_OPENS=1, STDIO_WRITES=600, STDIO_FLUSHES=600, STDIO_BYTES_WRITTEN=3000, STDIO_F_WRITE_TIME=0.01,
        STDIO_MAX_BYTE_WRITTEN=2999)
    end(d, "fsync-and-fflush", "syncs=300_fsync_calls_for_300_writes:_0.005_s", "syncs=Data_is_forced_to_the_device")
    d = draft(1, 10)
    add(d, "STDIO", 0, "/d/lines", STDIO_OPENS=1, STDIO_WRITES=6000, STDIO_FLUSHES=6000, STDIO_BYTES_WRITTEN=60000, STDIO_F_WRITE_TIME=6.0,
        STDIO_MAX_BYTE_WRITTEN=59999)
    end(d, "fflush-alone", "syncs=6000_fflush_calls", "syncs=Streams_are_flushed", "syncs=leave_out_fflush")
    # One flush at each close is no more than fclose does; one fsync of each file cannot be fewer for any of them.
    d = draft(1, 10)
    for i in range(300):
        add(d, "STDIO", 0, "/d/closed%d" % i, STDIO_OPENS=1, STDIO_WRITES=2, STDIO_FLUSHES=1, STDIO_BYTES_WRITTEN=20, STDIO_F_WRITE_TIME=0.01,
            STDIO_MAX_BYTE_WRITTEN=19)
    end(d, "flush-at-close", "no=syncs")
    d = draft(1, 10)
    for i in range(300):
        add(d, "POSIX", 0, "/d/installed%d" % i, POSIX_OPENS=1, POSIX_WRITES=2, POSIX_FSYNCS=1, POSIX_BYTES_WRITTEN=2 * MIB,
            POSIX_SEQ_WRITES=1, POSIX_CONSEC_WRITES=1, POSIX_MAX_BYTE_WRITTEN=2 * MIB - 1, POSIX_F_WRITE_TIME=0.03)
    end(d, "fsync-of-each", "syncs=synchronize_all_of_them_together")
    # Small files that are written once and read once are in order; of a larger one 20 reads go back.
    d = draft(1, 10)
    for i in range(200):
        add(d, "POSIX", 0, "/d/f%d" % i, POSIX_OPENS=2, POSIX_WRITES=1, POSIX_BYTES_WRITTEN=5000, POSIX_READS=1, POSIX_BYTES_READ=5000,
            POSIX_MAX_BYTE_READ=4999, POSIX_MAX_BYTE_WRITTEN=4999, POSIX_F_WRITE_TIME=0.01)
    add(d, "POSIX", 0, "/d/back", POSIX_OPENS=1, POSIX_READS=100, POSIX_SEQ_READS=79, POSIX_CONSEC_READS=79, POSIX_BYTES_READ=100 * MIB,
        POSIX_MAX_BYTE_READ=80 * MIB - 1, POSIX_F_READ_TIME=0.1)
    end(d, "small-files-in-order", "access.writes.other=0", "access.writes.first=200", "access.reads.first=201",
        "access.reads.other=20", "access.reads.consecutive=79")
    # What a server makes of files is not in the hands of who uses it; the same names without it are a program's own.
    for server in (1, 0):
        d = draft(1, 30)
        for i in range(300):
            add(d, "POSIX", 0, "/d/base/5/%d%s" % (2600 + i // 2, "_fsm" * (i % 2)), POSIX_OPENS=2, POSIX_WRITES=1,
                POSIX_BYTES_WRITTEN=8192, POSIX_FSYNCS=1, POSIX_SEEKS=8, POSIX_MAX_BYTE_WRITTEN=8191, POSIX_F_WRITE_TIME=0.02,
                POSIX_F_META_TIME=0.01)
        add(d, "POSIX", 0, "/d/global/1259", POSIX_OPENS=200, POSIX_READS=100, POSIX_BYTES_READ=819200, POSIX_MAX_BYTE_READ=81919,
            POSIX_F_READ_TIME=0.1, POSIX_F_META_TIME=0.5)
        if server:
            add(d, "POSIX", 0, "/d/PG_VERSION", POSIX_OPENS=1, POSIX_READS=1, POSIX_BYTES_READ=3, POSIX_MAX_BYTE_READ=2)
            end(d, "server", "no=small-files", "no=seek-storm", "syncs=put_more_into_one_transaction", "reopens=keep_the_connection")
        else:
            end(d, "no-server", "findings=small-files", "findings=seek-storm", "syncs=synchronize_all_of_them", "reopens=keep_the_file_open")
    # The metadata calls are those of all ranks, the share is the slowest's.
    d = draft(4, 100)
    for i in range(80):
        add(d, "POSIX", i % 4, "/d/own.%d" % i, POSIX_OPENS=5, POSIX_READS=1, POSIX_BYTES_READ=10, POSIX_F_META_TIME=0.1 + i % 4,
            POSIX_STATS=3)
    end(d, "metadata-of-all", "metadata=;_all_ranks_together_make_400_opens,_240_stats", "findings=metadata")


def judge(document, wants):
    for want in wants:
        path, _, value = want.partition("=")
        if path == "findings":
            if value not in [f["id"] for f in document["findings"]]:
                print("no finding", value)
            continue
        if path == "no":
            if value in [f["id"] for f in document["findings"]]:
                print("a finding", value)
            continue
        if path in ("syncs", "metadata", "reopens"):
            said = ["%s. %s %s" % (f["title"], f["text"], f["advice"]) for f in document["findings"] if f["id"] == path]
            if not any(value.replace("_", " ") in text for text in said):
                print("%s: %s, not %s" % (path, said, value))
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
