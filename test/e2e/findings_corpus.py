#!/usr/bin/env python3
# findings_corpus.py - jobs that are told by what their program does, and what an expert finds wrong with each
# SPDX-License-Identifier: BSD-3-Clause
"""findings_corpus.py SUMMARY FINDINGS.DEF [LOG=FINDING,...|-]...: makes the logs, has them judged, and counts.

Each job says which findings it deserves. A finding above minor that is neither deserved nor tolerated is a false alarm;
a deserved one that is missing, of whatever severity, is a miss. `clean` are findings that somebody could expect and
that must not be there at all. Real logs are given with what they deserve by their counters."""

import json
import os
import re
import struct
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "decode"))

import forge  # noqa: E402

KIB, MIB, GIB = 1 << 10, 1 << 20, 1 << 30
EDGES = [100, KIB, 10 * KIB, 100 * KIB, MIB, 4 * MIB, 10 * MIB, 100 * MIB, GIB]
BINS = ["0_100", "100_1K", "1K_10K", "10K_100K", "100K_1M", "1M_4M", "4M_10M", "10M_100M", "100M_1G", "1G_PLUS"]
JOBS = []


class Job:
    def __init__(self, name, what, fires="", clean="", may="", ranks=4, run=100, exe="./app"):
        self.name, self.what, self.run, self.ranks = name, what, run, ranks
        self.fires, self.clean, self.may = set(fires.split()), set(clean.split()), set(may.split())
        self.draft = forge.Draft()
        self.draft.text = exe
        self.draft.job.update(nprocs=ranks, start=1000, end=1000 + run, uid=1, jobid=1)
        self.draft.line("mount lustre /")
        JOBS.append(self)

    def record(self, module, rank, name, **counters):
        self.draft.record(module, rank, name, *("%s=%r" % pair for pair in counters.items()))
        return self

    def posix(self, rank, name, writes=0, wsize=0, wtime=0.0, reads=0, rsize=0, rtime=0.0, **more):
        """A file that is gone through once from its beginning, unless `more` says otherwise."""
        c = {"OPENS": 1, "READS": reads, "WRITES": writes, "BYTES_READ": reads * rsize, "FILE_ALIGNMENT": MIB,
             "BYTES_WRITTEN": writes * wsize, "F_READ_TIME": rtime, "F_WRITE_TIME": wtime,
             "SEQ_READS": max(reads - 1, 0), "SEQ_WRITES": max(writes - 1, 0), "CONSEC_READS": max(reads - 1, 0),
             "CONSEC_WRITES": max(writes - 1, 0), "MAX_BYTE_READ": max(reads * rsize - 1, 0),
             "MAX_BYTE_WRITTEN": max(writes * wsize - 1, 0)}
        for way, calls, size in (("READ", reads, rsize), ("WRITE", writes, wsize)):
            if calls:
                c["SIZE_%s_%s" % (way, BINS[sum(size > edge for edge in EDGES)])] = calls
        c.update(more)
        return self.record("POSIX", rank, name, **{"POSIX_" + key: value for key, value in c.items()})

    def mpiio(self, rank, name, **c):
        return self.record("MPI-IO", rank, name, **{"MPIIO_" + key: value for key, value in c.items()})

    def stdio(self, rank, name, **c):
        return self.record("STDIO", rank, name, **{"STDIO_" + key: value for key, value in c.items()})

    def lustre(self, rank, name, osts):
        """One component of stripes of 1 MiB."""
        raw = struct.pack("<Qqqq", self.draft.name(name), rank, 1, len(osts))
        raw += struct.pack("<7q16s", MIB, len(osts), 0, 0, 0, -1, 0, b"") + struct.pack("<%dq" % len(osts), *osts)
        self.draft.records.setdefault(8, []).append(raw)
        return self


def own(job, **each):
    for rank in range(job.ranks):
        job.posix(rank, "/data/own.%d" % rank, **each)
    return job


def shared(job, name, seconds, slowest, fastest=0.0, rank=0, sbytes=0, fbytes=0, variance=0.0, **more):
    """One record of all ranks; `seconds` of all together, in the kind of call that moves data."""
    return job.posix(-1, name, OPENS=job.ranks, SLOWEST_RANK=rank, FASTEST_RANK=(rank + 1) % job.ranks,
                     SLOWEST_RANK_BYTES=sbytes, FASTEST_RANK_BYTES=fbytes, F_SLOWEST_RANK_TIME=slowest,
                     F_FASTEST_RANK_TIME=fastest, F_VARIANCE_RANK_BYTES=variance,
                     **{("rtime" if more.get("reads") else "wtime"): seconds}, **more)


def collective(job, name, seconds, slowest, fastest, written, calls):
    return job.mpiio(-1, name, COLL_OPENS=job.ranks, COLL_WRITES=calls, BYTES_WRITTEN=written,
                     SLOWEST_RANK=0, FASTEST_RANK=1, F_WRITE_TIME=seconds, F_SLOWEST_RANK_TIME=slowest,
                     F_FASTEST_RANK_TIME=fastest)


def one_mover(ranks, total):
    """Variance of bytes where one rank moves all."""
    return float(total * total / ranks - (total / ranks) ** 2)


# -- sizes and order --------------------------------------------------------------------------------------------------

own(Job("large-writes", "every rank writes 64 blocks of 4 MiB to a file of its own, at 100 MiB/s",
        clean="small-writes syncs random-writes seek-storm unaligned one-rank straggler uneven-data rereads small-reads "
              "stdio-bulk rewrites metadata reopens stat-storm random-reads same-data read-modify-write slow-node"),
    writes=64, wsize=4 * MIB, wtime=2.56)
own(Job("small-writes", "every rank writes 20,000 times 1,000 bytes, 20 s long", fires="small-writes",
        clean="syncs stdio-bulk random-writes"), writes=20000, wsize=1000, wtime=20.0)
own(Job("small-writes-of-one", "one process without MPI writes 50,000 times 200 bytes", fires="small-writes", ranks=1),
    writes=50000, wsize=200, wtime=15.0)
own(Job("small-reads", "every rank reads 20,000 times 4 KiB", fires="small-reads", clean="rereads"),
    reads=20000, rsize=4 * KIB, rtime=20.0)
own(Job("small-reads-of-one", "one process without MPI reads 100,000 times 512 bytes", fires="small-reads", ranks=1),
    reads=100000, rsize=512, rtime=30.0)
own(Job("few-small-reads", "every rank reads a hundred lines of parameters", clean="small-reads metadata", ranks=8),
    reads=100, rsize=80, rtime=0.001)
j = Job("fsync-hides", "1,000 writes of 10 KiB, an fsync for every tenth: 92 % of the time is fsync", fires="syncs",
        clean="small-writes", ranks=1)
j.posix(0, "/data/journal", writes=1000, wsize=10 * KIB, wtime=10.0, FSYNCS=100)
j = Job("fsync-each", "an fsync after each of 500 writes of 128 KiB", fires="syncs", clean="small-writes")
own(j, writes=500, wsize=128 * KIB, wtime=12.0, FSYNCS=500)
j = Job("fsync-once", "64 writes of 4 MiB and one fsync", clean="syncs")
own(j, writes=64, wsize=4 * MIB, wtime=2.0, FSYNCS=1)
j = Job("flush-once", "500,000 fprintf of 100 bytes through a stream's buffer, and one fflush", clean="syncs small-writes",
        ranks=1)
j.stdio(0, "/data/text", OPENS=1, WRITES=500000, FLUSHES=1, BYTES_WRITTEN=50000000, F_WRITE_TIME=0.4,
        MAX_BYTE_WRITTEN=49999999)
j = Job("fflush-each", "an fflush after each of 2,000 lines", fires="syncs", clean="stdio-bulk", ranks=1)
j.stdio(0, "/data/text", OPENS=1, WRITES=2000, FLUSHES=2000, BYTES_WRITTEN=200000, F_WRITE_TIME=12.0,
        MAX_BYTE_WRITTEN=199999)
own(Job("random-reads", "2,000 reads of 256 KiB, nine of ten go back", fires="random-reads", clean="small-reads"),
    reads=2000, rsize=256 * KIB, rtime=40.0, SEQ_READS=200, CONSEC_READS=0)
own(Job("random-reads-of-one", "4,000 reads of 512 KiB in random order", fires="random-reads", ranks=1),
    reads=4000, rsize=512 * KIB, rtime=50.0, SEQ_READS=2000, CONSEC_READS=0)
own(Job("random-small-reads-of-one", "8,192 reads of 4 KiB at random offsets, of which half go back, as databases do", fires="random-reads",
        clean="small-reads", ranks=1), reads=8192, rsize=4 * KIB, rtime=40.0, SEQ_READS=4096, MAX_BYTE_READ=32 * MIB - 1)
own(Job("small-reads-of-two-places", "8,000 reads of 4 KiB, one of eight of which goes back", fires="small-reads",
        clean="random-reads", ranks=1), reads=8000, rsize=4 * KIB, rtime=40.0, SEQ_READS=7000, MAX_BYTE_READ=32 * MIB - 1)
own(Job("random-writes", "2,000 writes of 256 KiB, backwards", fires="random-writes", clean="small-writes"),
    writes=2000, wsize=256 * KIB, wtime=40.0, SEQ_WRITES=0, CONSEC_WRITES=0)
own(Job("random-writes-of-one", "4,000 writes of 512 KiB in random order", fires="random-writes", ranks=1),
    writes=4000, wsize=512 * KIB, wtime=50.0, SEQ_WRITES=2000, CONSEC_WRITES=0)
own(Job("strided-reads", "2,000 reads of 256 KiB, each further on than the last", clean="random-reads"),
    reads=2000, rsize=256 * KIB, rtime=9.0, CONSEC_READS=0)

# -- the same data ----------------------------------------------------------------------------------------------------

own(Job("rereads", "each rank goes over its 64 MiB five times", fires="rereads", clean="same-data"),
    reads=80, rsize=4 * MIB, rtime=20.0, MAX_BYTE_READ=64 * MIB - 1)
own(Job("rereads-of-one", "a training run of one process reads its samples in 10 epochs", fires="rereads", ranks=1,
        exe="python3 train.py", clean="seek-storm same-data"),
    reads=1000, rsize=4 * MIB, rtime=20.0, MAX_BYTE_READ=400 * MIB - 1, SEEKS=2000, F_META_TIME=2.0)
own(Job("rewrites", "each rank writes the same 64 MiB five times", fires="rewrites"),
    writes=80, wsize=4 * MIB, wtime=20.0, MAX_BYTE_WRITTEN=64 * MIB - 1)
own(Job("rewrites-of-one", "a header of 1 MiB is written 200 times", fires="rewrites", ranks=1),
    writes=200, wsize=MIB, wtime=9.0, MAX_BYTE_WRITTEN=MIB - 1)
shared(Job("same-data", "all 16 ranks read the same 256 MiB", fires="same-data", clean="rereads", ranks=16), "/data/in",
       320.0, 20.0, 20.0, reads=1024, rsize=4 * MIB, MAX_BYTE_READ=256 * MIB - 1)
shared(Job("same-data-small-job", "all 4 ranks read the same 64 MiB", fires="same-data", clean="rereads"), "/data/in",
       8.0, 2.0, 2.0, reads=64, rsize=4 * MIB, MAX_BYTE_READ=64 * MIB - 1)
shared(Job("parts", "16 ranks read a part each of one file", clean="same-data rereads small-reads", ranks=16), "/data/in",
       32.0, 2.0, 2.0, reads=64, rsize=4 * MIB)

# -- alignment --------------------------------------------------------------------------------------------------------

shared(Job("unaligned", "all ranks write 400 times 1 MiB, 13 bytes behind the block", fires="unaligned"), "/data/out",
       40.0, 10.0, 9.0, writes=1600, wsize=MIB, FILE_NOT_ALIGNED=1600)
shared(Job("unaligned-reads", "all ranks read 500 times 512 KiB behind a header", fires="unaligned"), "/data/in",
       80.0, 20.0, 19.0, reads=2000, rsize=512 * KIB, FILE_NOT_ALIGNED=2000, FILE_ALIGNMENT=64 * KIB)
shared(Job("edges", "writes of 128 MiB: only their edges touch blocks that they do not fill", clean="unaligned"),
       "/data/out", 160.0, 40.0, 39.0, writes=200, wsize=128 * MIB, FILE_NOT_ALIGNED=146)
own(Job("unaligned-of-one", "files of one rank each: no lock is shared", clean="unaligned"),
    writes=400, wsize=MIB, wtime=8.0, FILE_NOT_ALIGNED=400)

# -- metadata ---------------------------------------------------------------------------------------------------------

own(Job("seek-storm", "the program seeks before each of 5,000 reads of 256 KiB", fires="seek-storm"),
    reads=5000, rsize=256 * KIB, rtime=12.0, SEEKS=20000, F_META_TIME=15.0, MAX_BYTE_READ=5000 * 256 * KIB - 1)
own(Job("seek-storm-of-one", "one process, a seek before each read", fires="seek-storm", ranks=1),
    reads=5000, rsize=256 * KIB, rtime=12.0, SEEKS=5000, F_META_TIME=8.0)
j = Job("seeks-of-romio", "MPI_File_read_at of 4 MiB, independent: ROMIO seeks before each", clean="seek-storm independent")
for k in range(4):
    j.posix(k, "/data/in", reads=2000, rsize=4 * MIB, rtime=30.0, SEEKS=2000, F_META_TIME=4.0,
            MAX_BYTE_READ=4 * 2000 * 4 * MIB - 1)
    j.mpiio(k, "/data/in", INDEP_OPENS=1, INDEP_READS=2000, BYTES_READ=2000 * 4 * MIB, F_READ_TIME=35.0)
own(Job("seeks-of-python", "Python's io seeks whenever a file is opened or told", clean="seek-storm", ranks=1,
        exe="/usr/bin/python3.11 load.py"),
    reads=2000, rsize=MIB, rtime=20.0, SEEKS=20000, F_META_TIME=12.0)
own(Job("stat-storm", "10,000 stats of a file that is opened once", fires="stat-storm"),
    writes=1, wsize=4 * MIB, wtime=0.1, STATS=10000, F_META_TIME=20.0)
own(Job("stat-storm-of-one", "one process waits for a file by asking for it", fires="stat-storm", ranks=1),
    reads=1, rsize=MIB, rtime=0.1, STATS=50000, F_META_TIME=30.0)
own(Job("a-few-stats", "5 stats a file", clean="stat-storm"), writes=64, wsize=4 * MIB, wtime=2.0, STATS=5, F_META_TIME=0.1)
own(Job("reopens", "the file is opened for each of 5,000 appended MiB", fires="reopens", clean="small-files"),
    writes=5000, wsize=MIB, wtime=30.0, OPENS=5000, F_META_TIME=20.0)
own(Job("reopens-of-one", "a log is opened and closed 2,000 times", fires="reopens", ranks=1, may="small-writes"),
    writes=2000, wsize=200, wtime=0.1, OPENS=2000, F_META_TIME=10.0)
j = Job("small-files", "each of 4 ranks writes 300 files of 4 KiB", fires="small-files", clean="metadata")
for k in range(1200):
    j.posix(k % 4, "/data/s.%d" % k, writes=1, wsize=4 * KIB, wtime=0.001, F_META_TIME=0.05)
j = Job("small-files-of-one", "one process writes 500 pictures of 20 KiB", fires="small-files", ranks=1)
for k in range(500):
    j.posix(0, "/data/p.%d" % k, writes=1, wsize=20 * KIB, wtime=0.001, F_META_TIME=0.05)
j = Job("opens-for-nothing", "400 files are opened and closed again", fires="opens-without-data", ranks=1)
for k in range(400):
    j.posix(0, "/data/e.%d" % k, F_META_TIME=0.05)
j = Job("opens-for-nothing-of-many", "each rank opens 200 files of which it reads none", fires="opens-without-data")
for k in range(800):
    j.posix(k % 4, "/data/e.%d" % k, F_META_TIME=0.05)
j = Job("metadata", "each of 40 files is opened nine times and truncated", fires="metadata", clean="reopens", ranks=2)
for k in range(40):
    j.posix(k % 2, "/data/m.%d" % k, OPENS=9, reads=1, rsize=1, rtime=0.0001, F_META_TIME=0.5)
j = Job("metadata-of-one", "20 files that take a second to open", fires="metadata", ranks=1)
for k in range(20):
    j.posix(0, "/data/m.%d" % k, reads=1, rsize=MIB, rtime=0.01, F_META_TIME=1.0)
j = Job("file-per-process", "256 ranks write a file each", fires="file-per-process", clean="metadata", ranks=256)
own(j, writes=1, wsize=4 * MIB, wtime=0.5, F_META_TIME=15.0)
j = Job("file-per-process-large", "512 ranks write a file each", fires="file-per-process", ranks=512)
own(j, writes=4, wsize=4 * MIB, wtime=2.0, F_META_TIME=30.0)
own(Job("few-own-files", "16 ranks write a file each", clean="file-per-process metadata", ranks=16),
    writes=64, wsize=4 * MIB, wtime=2.0, F_META_TIME=0.5)

# -- ranks ------------------------------------------------------------------------------------------------------------

j = Job("one-rank", "rank 0 writes what all have computed", fires="one-rank", clean="uneven-data straggler", ranks=16)
j.posix(0, "/data/out", writes=256, wsize=4 * MIB, wtime=30.0)
j = Job("one-rank-reads", "rank 0 reads the input for all", fires="one-rank", ranks=64)
j.posix(0, "/data/in", reads=512, rsize=4 * MIB, rtime=40.0)
j = Job("serial", "a program without MPI", clean="one-rank uneven-data straggler same-data no-striping", ranks=1)
j.posix(0, "/data/out", writes=512, wsize=4 * MIB, wtime=10.0).lustre(0, "/data/out", [3])
j = Job("uneven", "rank 0 writes ten times as much as others", fires="uneven-data", clean="straggler one-rank")
for k in range(4):
    j.posix(k, "/data/out.%d" % k, writes=40 if k == 0 else 4, wsize=4 * MIB, wtime=20.0 if k == 0 else 2.0)
j = Job("uneven-reads", "the last rank has the rest of the input", fires="uneven-data", ranks=8)
for k in range(8):
    j.posix(k, "/data/in.%d" % k, reads=100 if k == 7 else 10, rsize=4 * MIB, rtime=30.0 if k == 7 else 3.0)
j = Job("straggler", "all ranks write as much, one needs four times as long", fires="straggler", clean="uneven-data")
for k in range(4):
    j.posix(k, "/data/out.%d" % k, writes=16, wsize=4 * MIB, wtime=20.0 if k == 3 else 2.0)
j = Job("straggler-reads", "all ranks read as much, one is slow", fires="straggler", ranks=16)
for k in range(16):
    j.posix(k, "/data/in.%d" % k, reads=16, rsize=4 * MIB, rtime=25.0 if k == 5 else 3.0)
j = Job("aggregators", "every fourth of 16 ranks writes for its neighbours", fires="own-aggregation", clean="uneven-data straggler",
        ranks=16)
for k in range(0, 16, 4):
    j.posix(k, "/data/out.%d" % k, writes=64, wsize=4 * MIB, wtime=3.0)
j = Job("aggregators-of-two", "every second of 8 ranks writes", fires="own-aggregation", ranks=8)
for k in range(0, 8, 2):
    j.posix(k, "/data/out.%d" % k, writes=64, wsize=4 * MIB, wtime=3.0)

# -- MPI-IO -----------------------------------------------------------------------------------------------------------

j = Job("independent", "MPI_File_write_at of 8 KiB to one file, by all ranks", fires="independent", clean="small-writes seek-storm")
shared(j, "/data/out", 80.0, 20.0, 19.0, writes=8000, wsize=8 * KIB, SEEKS=8000, F_META_TIME=4.0)
j.mpiio(-1, "/data/out", COLL_OPENS=4, INDEP_WRITES=8000, BYTES_WRITTEN=8000 * 8 * KIB, F_WRITE_TIME=82.0,
        F_SLOWEST_RANK_TIME=21.0, F_FASTEST_RANK_TIME=20.0)
j = Job("independent-filled", "HDF5 fills a dataset collectively, 100 KiB a call, then all ranks write it in pieces of 200 bytes",
        fires="independent rewrites", clean="small-writes collective-small")
shared(j, "/data/f.h5", 64.0, 16.0, 16.0, writes=500250, wsize=200, sbytes=50 * MIB, fbytes=50 * MIB, BYTES_WRITTEN=200 * MIB,
       MAX_BYTE_WRITTEN=100 * MIB + 2047, SIZE_WRITE_100_1K=500000, SIZE_WRITE_10K_100K=250)
j.mpiio(-1, "/data/f.h5", COLL_OPENS=4, COLL_WRITES=1000, INDEP_WRITES=500000, BYTES_WRITTEN=200 * MIB, F_WRITE_TIME=66.0,
        SLOWEST_RANK=0, FASTEST_RANK=1, F_SLOWEST_RANK_TIME=16.5, F_FASTEST_RANK_TIME=16.5)
j.record("H5F", -1, "/data/f.h5", H5F_OPENS=4, H5F_USE_MPIIO=1)
j = Job("collective-and-metadata", "40 collective writes of 4 MiB a rank beside 2,000 independent ones of metadata, 500 bytes each",
        clean="independent small-writes rewrites")
shared(j, "/data/f.h5", 12.0, 3.0, 3.0, writes=2160, wsize=4 * MIB, sbytes=160 * MIB, fbytes=160 * MIB,
       BYTES_WRITTEN=640 * MIB + 1000000, MAX_BYTE_WRITTEN=641 * MIB, SIZE_WRITE_100_1K=2000, SIZE_WRITE_1M_4M=160)
j.mpiio(-1, "/data/f.h5", COLL_OPENS=4, COLL_WRITES=160, INDEP_WRITES=2000, BYTES_WRITTEN=640 * MIB + 1000000, F_WRITE_TIME=12.4,
        SLOWEST_RANK=0, FASTEST_RANK=1, F_SLOWEST_RANK_TIME=3.1, F_FASTEST_RANK_TIME=3.1)
j = Job("independent-reads", "MPI_File_read_at of 2 KiB, by all ranks", fires="independent", ranks=8)
shared(j, "/data/in", 160.0, 20.0, 19.0, reads=40000, rsize=2 * KIB)
j.mpiio(-1, "/data/in", COLL_OPENS=8, INDEP_READS=40000, BYTES_READ=40000 * 2 * KIB, F_READ_TIME=165.0,
        F_SLOWEST_RANK_TIME=21.0, F_FASTEST_RANK_TIME=20.0)
j = Job("one-stripe", "collective writes, 200 a rank, through one aggregator to a file of one stripe", ranks=496, run=1500,
        fires="no-striping", clean="one-rank few-aggregators small-writes seek-storm uneven-data independent", may="collective-waiting")
total = 50 * GIB
shared(j, "/data/out", 500.0, 480.0, writes=total // MIB, wsize=MIB, sbytes=total, variance=one_mover(496, total), SEEKS=50000)
collective(j, "/data/out", 496 * 600.0, 664.0, 590.0, total, 496 * 200).lustre(-1, "/data/out", [10])
j.posix(0, "/data/header", reads=2, rsize=100, rtime=0.001)
j = Job("one-stripe-posix", "64 ranks write their parts of 20 GiB to a file of one stripe", fires="no-striping", ranks=64)
shared(j, "/data/out", 64 * 40.0, 42.0, 38.0, writes=5120, wsize=4 * MIB, sbytes=320 * MIB, fbytes=320 * MIB)
j.lustre(-1, "/data/out", [10])
j = Job("eight-stripes", "the same on eight stripes", clean="no-striping", ranks=64)
shared(j, "/data/out", 64 * 8.0, 9.0, 7.0, writes=5120, wsize=4 * MIB, sbytes=320 * MIB, fbytes=320 * MIB)
j.lustre(-1, "/data/out", list(range(8)))
j = Job("small-on-one-stripe", "a file of 64 MiB on one stripe", clean="no-striping")
shared(j, "/data/out", 4.0, 1.0, 0.9, writes=16, wsize=4 * MIB).lustre(-1, "/data/out", [1])
j = Job("few-aggregators", "2,048 ranks write collectively, one of them touches the storage", fires="few-aggregators",
        clean="one-rank uneven-data", may="collective-waiting", ranks=2048)
shared(j, "/data/out", 60.0, 60.0, writes=10240, wsize=MIB, sbytes=10 * GIB, variance=one_mover(2048, 10 * GIB))
collective(j, "/data/out", 2048 * 70.0, 72.0, 69.0, 10 * GIB, 2048 * 10).lustre(-1, "/data/out", list(range(16)))
j = Job("few-aggregators-of-nodes", "32 ranks on 8 nodes, two aggregators", fires="few-aggregators", ranks=32)
j.draft.metadata = "nnodes=8\n"
for k in (0, 16):
    j.posix(k, "/data/out", writes=1280, wsize=4 * MIB, wtime=50.0, MAX_BYTE_WRITTEN=10 * GIB - 1)
collective(j, "/data/out", 32 * 55.0, 56.0, 54.0, 10 * GIB, 32 * 20)
j = Job("enough-aggregators", "32 ranks on 8 nodes, eight aggregators", clean="few-aggregators one-rank", ranks=32)
j.draft.metadata = "nnodes=8\n"
for k in range(0, 32, 4):
    j.posix(k, "/data/out", writes=320, wsize=4 * MIB, wtime=12.0, MAX_BYTE_WRITTEN=10 * GIB - 1)
collective(j, "/data/out", 32 * 14.0, 15.0, 13.0, 10 * GIB, 32 * 20)
j = Job("sieving", "collective writes with holes: 30 reads of nothing for 30 writes", fires="read-modify-write",
        clean="small-reads rewrites", ranks=8)
for k in range(8):
    j.posix(k, "/data/out", writes=3000, wsize=512 * KIB, wtime=9.0, reads=3000, rsize=0, rtime=30.0)
collective(j, "/data/out", 8 * 42.0, 43.0, 41.0, 3 * GIB, 8 * 100)
j = Job("sieving-independent", "strided independent writes: what lies between is read first", fires="read-modify-write",
        clean="small-reads", may="independent")
for k in range(4):
    j.posix(k, "/data/out", writes=1000, wsize=512 * KIB, wtime=9.0, reads=1000, rsize=512 * KIB, rtime=12.0)
    j.mpiio(k, "/data/out", COLL_OPENS=1, INDEP_WRITES=100, BYTES_WRITTEN=100 * MIB, F_WRITE_TIME=22.0)
j = Job("read-and-write", "a file is written and read again through MPI-IO", clean="read-modify-write")
for k in range(4):
    j.posix(k, "/data/o.%d" % k, writes=200, wsize=4 * MIB, wtime=4.0, reads=200, rsize=4 * MIB, rtime=4.0)
    j.mpiio(k, "/data/o.%d" % k, INDEP_OPENS=1, INDEP_WRITES=200, INDEP_READS=200, BYTES_WRITTEN=800 * MIB, BYTES_READ=800 * MIB,
            F_WRITE_TIME=4.1, F_READ_TIME=4.1)
j = Job("late-ranks", "ranks reach a collective write 40 s before the last one, which writes 5 s", fires="collective-waiting",
        clean="straggler uneven-data one-rank", ranks=16)
for k in (0, 8):
    j.posix(k, "/data/out", writes=320, wsize=4 * MIB, wtime=5.0, MAX_BYTE_WRITTEN=2560 * MIB - 1)
collective(j, "/data/out", 16 * 40.0, 45.0, 5.0, 2560 * MIB, 16)
j = Job("late-ranks-many", "512 ranks wait 60 of 100 s for one", fires="collective-waiting", may="few-aggregators",
        clean="collective-small", ranks=512)
shared(j, "/data/out", 80.0, 10.0, writes=2560, wsize=4 * MIB, sbytes=1280 * MIB, variance=one_mover(512, 10 * GIB) / 8)
collective(j, "/data/out", 512 * 60.0, 62.0, 10.0, 10 * GIB, 512)
j = Job("late-opens", "15 of 16 ranks wait 20 s in MPI_File_open, twice, for one that computes", fires="open-waiting",
        clean="metadata collective-waiting reopens", ranks=16)
for k in range(2):
    shared(j, "/data/out.%d" % k, 16.0, 1.0, 1.0, writes=160, wsize=4 * MIB, sbytes=40 * MIB, F_META_TIME=0.16)
    j.mpiio(-1, "/data/out.%d" % k, COLL_OPENS=16, INDEP_WRITES=160, BYTES_WRITTEN=640 * MIB, F_WRITE_TIME=16.0, F_META_TIME=300.5,
            SLOWEST_RANK=0, FASTEST_RANK=7, F_SLOWEST_RANK_TIME=21.0, F_FASTEST_RANK_TIME=1.02)
j = Job("late-opens-many", "511 of 512 ranks wait 30 s to open one file, whose data one rank in 64 writes", fires="open-waiting",
        clean="metadata", may="few-aggregators collective-waiting", ranks=512)
for k in range(0, 512, 64):
    j.posix(k, "/data/out", writes=320, wsize=4 * MIB, wtime=5.0, F_META_TIME=0.05, MAX_BYTE_WRITTEN=10 * GIB - 1)
j.mpiio(-1, "/data/out", COLL_OPENS=512, COLL_WRITES=512, BYTES_WRITTEN=10 * GIB, F_WRITE_TIME=512 * 6.0, F_META_TIME=511 * 30.0,
        SLOWEST_RANK=0, FASTEST_RANK=100, F_SLOWEST_RANK_TIME=36.0, F_FASTEST_RANK_TIME=6.0)
j = Job("slow-opens", "64 ranks open 40 files together, and the file system takes 1 s for each, at the rank that creates it",
        fires="metadata", clean="open-waiting", ranks=64)
for k in range(40):
    j.posix(0, "/data/f.%d" % k, F_META_TIME=1.0, writes=64, wsize=MIB, wtime=0.1)
    j.mpiio(-1, "/data/f.%d" % k, COLL_OPENS=64, COLL_WRITES=64, BYTES_WRITTEN=64 * MIB, F_WRITE_TIME=64 * 0.12, F_META_TIME=64 * 1.05,
            SLOWEST_RANK=0, FASTEST_RANK=1, F_SLOWEST_RANK_TIME=1.17, F_FASTEST_RANK_TIME=1.16)
j = Job("collective-passed-on", "2 collective writes of 16 ranks, each of which MPI passes on as 4,000 writes of 80 bytes",
        fires="collective-small", clean="small-writes independent", ranks=16)
shared(j, "/data/pieces", 32.0, 2.0, 2.0, writes=128000, wsize=80, sbytes=640000, fbytes=640000)
collective(j, "/data/pieces", 33.0, 2.1, 2.0, 10240000, 32)
j = Job("collective-passed-on-reads", "4 collective reads of 4 ranks, each of which MPI passes on as 2,000 reads of 4 KiB",
        fires="collective-small", clean="small-reads independent", ranks=4)
shared(j, "/data/pieces", 40.0, 10.0, 10.0, reads=32000, rsize=4096, sbytes=32768000, fbytes=32768000)
j.mpiio(-1, "/data/pieces", COLL_OPENS=4, COLL_READS=16, BYTES_READ=131072000, SLOWEST_RANK=0, FASTEST_RANK=1, F_READ_TIME=42.0,
        F_SLOWEST_RANK_TIME=10.6, F_FASTEST_RANK_TIME=10.5)
j = Job("collective-well", "collective writes in which storage is what takes the time", ranks=16,
        clean="collective-waiting small-writes independent one-rank collective-small")
for k in range(16):
    j.posix(k, "/data/out", writes=320, wsize=4 * MIB, wtime=18.0, MAX_BYTE_WRITTEN=20 * GIB - 1)
collective(j, "/data/out", 16 * 20.0, 20.5, 19.5, 20 * GIB, 16 * 20)

# -- libraries --------------------------------------------------------------------------------------------------------

j = Job("compressed", "one process compresses 60 MiB for 60 s in HDF5, whose writes take 0.4 s", fires="library-work",
        clean="metadata small-writes", ranks=1)
j.posix(0, "/data/f.h5", writes=200, wsize=300 * KIB, wtime=0.4)
j.record("H5F", 0, "/data/f.h5", H5F_OPENS=1, H5F_F_META_TIME=60.0)
j = Job("compressed-own", "each rank compresses a file of its own, and writes 5,000 blocks of 1,000 bytes in a second",
        fires="library-work small-writes", clean="metadata")
for k in range(4):
    j.posix(k, "/data/f.%d" % k, writes=5000, wsize=1000, wtime=1.1)
    j.record("H5F", k, "/data/f.%d" % k, H5F_OPENS=1, H5F_F_META_TIME=50.0)
j = Job("hdf5-plain", "one process writes 60 MiB in HDF5, which adds a tenth", clean="library-work", ranks=1)
j.posix(0, "/data/f.h5", writes=15, wsize=4 * MIB, wtime=20.0)
j.record("H5F", 0, "/data/f.h5", H5F_OPENS=1, H5F_F_META_TIME=22.0)
j = Job("hdf5-together", "4 ranks write a file together, three wait in H5Fclose", clean="library-work", may="metadata open-waiting collective-waiting")
j.posix(-1, "/data/f.h5", writes=16, wsize=4 * MIB, wtime=1.0, OPENS=4, SLOWEST_RANK=0, FASTEST_RANK=1, F_SLOWEST_RANK_TIME=0.3)
j.mpiio(-1, "/data/f.h5", COLL_OPENS=4, COLL_WRITES=16, BYTES_WRITTEN=64 * MIB, F_WRITE_TIME=2.0, SLOWEST_RANK=0, FASTEST_RANK=1,
        F_SLOWEST_RANK_TIME=0.5)
j.record("H5F", -1, "/data/f.h5", H5F_OPENS=4, H5F_USE_MPIIO=1, H5F_F_META_TIME=150.0)

# -- storage targets --------------------------------------------------------------------------------------------------

for name, count in (("slow-target", 8), ("slow-target-of-many", 24)):
    j = Job(name, "each rank writes a file on a target of its own; one target is six times slower", ranks=count,
            fires="slow-target", clean="no-striping straggler")
    for k in range(count):
        j.posix(k, "/data/t.%d" % k, writes=256, wsize=4 * MIB, wtime=60.0 if k == 2 else 10.0).lustre(k, "/data/t.%d" % k, [k])
j = Job("even-targets", "the same, all alike", clean="slow-target", ranks=8)
for k in range(8):
    j.posix(k, "/data/t.%d" % k, writes=256, wsize=4 * MIB, wtime=10.0 + k / 10).lustre(k, "/data/t.%d" % k, [k])
j = Job("two-targets", "two targets are too few to say which is slow", clean="slow-target", may="straggler", ranks=2)
for k in range(2):
    j.posix(k, "/data/t.%d" % k, writes=256, wsize=4 * MIB, wtime=10.0 + 30 * k).lustre(k, "/data/t.%d" % k, [k])

# -- what is no file of data ------------------------------------------------------------------------------------------

j = Job("interpreter", "Python imports 400 modules", fires="interpreter-start", clean="opens-without-data metadata stat-storm",
        ranks=1, exe="python3 run.py")
for k in range(400):
    j.posix(0, "/home/u/venv/lib/python3.11/site-packages/p/m%d.py" % k, reads=2, rsize=4 * KIB, rtime=0.01, STATS=6, F_META_TIME=0.03)
j = Job("interpreter-of-many", "64 ranks of Python import 40 modules each", fires="interpreter-start", ranks=64, exe="python run.py")
for k in range(40):
    shared(j, "/home/u/lib/m%d.so" % k, 64 * 0.2, 0.3, 0.1, reads=64, rsize=4 * KIB, MAX_BYTE_READ=4 * KIB - 1)
j = Job("a-few-modules", "Python imports 20 modules", clean="interpreter-start", ranks=1, exe="python3 run.py")
for k in range(20):
    j.posix(0, "/home/u/lib/m%d.py" % k, reads=2, rsize=4 * KIB, rtime=0.001, F_META_TIME=0.001)
j = Job("devices", "a server waits at a device and a terminal for most of the run", ranks=1,
        clean="small-reads small-writes metadata random-reads stdio-bulk")
j.posix(0, "/dev/pts/3", reads=5000, rsize=10, rtime=95.0)
j.posix(0, "/dev/nvidia0", OPENS=400, STATS=3000, F_META_TIME=20.0)
j.posix(0, "/data/out", writes=64, wsize=4 * MIB, wtime=1.0)
j = Job("shared-memory", "Open MPI's memory between processes looks like files",
        clean="opens-without-data metadata small-files small-writes unaligned same-data memory-mapped stat-storm")
for k in range(4):
    j.posix(k, "/tmp/ompi.node1.1000/pid.77/1/vader_segment.node1.%d" % k, OPENS=40, STATS=4000, MMAPS=40, F_META_TIME=6.0)
    j.posix(k, "/dev/shm/sem.%d" % k, writes=3000, wsize=8, wtime=3.0, MMAPS=1)
    j.posix(k, "/data/out.%d" % k, writes=64, wsize=4 * MIB, wtime=3.0)
j = Job("lock-tests", "30 files are written through MPI-IO, with Open MPI: at each open each rank tests locks with a file",
        clean="opens-without-data metadata small-files stat-storm reopens")
for k in range(30):
    j.mpiio(-1, "/data/step.%d" % k, COLL_OPENS=4, COLL_WRITES=4, BYTES_WRITTEN=16 * MIB, F_WRITE_TIME=0.4, F_META_TIME=0.2,
            F_SLOWEST_RANK_TIME=0.2, F_FASTEST_RANK_TIME=0.2)
    shared(j, "/data/step.%d" % k, 0.4, 0.1, 0.1, writes=4, wsize=4 * MIB, sbytes=4 * MIB, fbytes=4 * MIB)
    for rank in range(4):
        j.posix(rank, "/data/step.%d.locktest.%d" % (k, rank), OPENS=2, F_META_TIME=0.001)
j = Job("opens-dear-requests-cheap", "30 files, to open each of which takes MPI-IO 0.5 s; of 100 independent writes of 8 KiB to "
        "each by a rank, all together take 60 ms, of which 40 at storage", fires="metadata", may="small-writes")
for k in range(30):
    j.mpiio(-1, "/data/mode.%d" % k, COLL_OPENS=4, INDEP_WRITES=400, BYTES_WRITTEN=400 * 8 * KIB, F_WRITE_TIME=0.06,
            F_META_TIME=2.0, F_SLOWEST_RANK_TIME=0.515, F_FASTEST_RANK_TIME=0.515)
    shared(j, "/data/mode.%d" % k, 0.04, 0.01, 0.01, writes=400, wsize=8 * KIB, F_META_TIME=0.001)
j = Job("mapped", "the input is mapped into memory", fires="memory-mapped", ranks=1)
j.posix(0, "/data/in", MMAPS=3, F_META_TIME=0.001)
j = Job("mapped-by-all", "each rank maps the table", fires="memory-mapped", ranks=8)
own(j, reads=1, rsize=4 * KIB, rtime=0.001, MMAPS=1)

j = Job("dsync", "500 writes of 4 KiB, each on the device before the next (O_DSYNC)", fires="small-writes", ranks=1)
j.posix(0, "/data/journal", writes=500, wsize=4 * KIB, wtime=20.0)
j = Job("few-small-writes", "500 writes of 4 KiB into the page cache", clean="small-writes", ranks=1)
j.posix(0, "/data/results", writes=500, wsize=4 * KIB, wtime=0.01)
j = Job("database", "SQLite commits each of 300 rows: its journal and the file are synced for each", ranks=1, fires="syncs",
        clean="rewrites small-writes")
j.posix(0, "/data/t.db", writes=611, wsize=4 * KIB, wtime=9.0, FDSYNCS=301, MAX_BYTE_WRITTEN=40 * KIB)
j.posix(0, "/data/t.db-journal", writes=2402, wsize=KIB, wtime=18.0, OPENS=301, FDSYNCS=602, MAX_BYTE_WRITTEN=12 * KIB)
j = Job("folded", "80,000 files of 4 KiB, each opened once, of which most found no record of their own",
        clean="reopens rewrites rereads random-writes", may="metadata small-writes", ranks=1)
j.posix(0, "/data/<other files>", OPENS=80000, writes=80000, wsize=4 * KIB, wtime=2.0, MAX_BYTE_WRITTEN=4 * KIB - 1,
        F_META_TIME=20.0)

# -- streams ----------------------------------------------------------------------------------------------------------

for name, ranks in (("stdio-bulk", 4), ("stdio-bulk-of-one", 1)):
    j = Job(name, "256 MiB go through fwrite with the default buffer, in pieces of 512 B", fires="stdio-bulk", ranks=ranks)
    for k in range(ranks):
        j.stdio(k, "/data/stream.%d" % k, OPENS=1, WRITES=524288, BYTES_WRITTEN=256 * MIB, F_WRITE_TIME=20.0, MAX_BYTE_WRITTEN=256 * MIB - 1)
j = Job("stdio-past-buffer", "256 MiB go through fwrite in pieces of 128 KiB, which the buffer is not used for", clean="stdio-bulk", ranks=1)
j.stdio(0, "/data/stream", OPENS=1, WRITES=2048, BYTES_WRITTEN=256 * MIB, F_WRITE_TIME=20.0, MAX_BYTE_WRITTEN=256 * MIB - 1)
for name, ranks in (("openpmd", 4), ("openpmd-many", 384)):
    j = Job(name, "metadata of a file of HDF5, written collectively, is 9.6 of 11.4 s", fires="library-metadata",
            may="collective-waiting", clean="metadata small-writes", ranks=ranks)
    for k in range(ranks):
        j.posix(k, "/data/mesh.h5", writes=4, wsize=MIB, wtime=0.3, F_META_TIME=0.1)
        j.mpiio(k, "/data/mesh.h5", COLL_OPENS=1, COLL_WRITES=50, BYTES_WRITTEN=4 * MIB, F_WRITE_TIME=11.2, F_META_TIME=0.2)
        j.record("H5F", k, "/data/mesh.h5", H5F_OPENS=1, H5F_F_META_TIME=5.2)
        j.record("H5D", k, "/data/mesh.h5:/x", H5D_OPENS=1, H5D_WRITES=1, H5D_BYTES_WRITTEN=4 * MIB, H5D_F_META_TIME=4.6,
                 H5D_F_WRITE_TIME=1.6)
j = Job("stdio-of-python", "torch.save writes 500 MiB through a stream", clean="stdio-bulk", ranks=1, exe="python3 train.py")
j.stdio(0, "/data/model.pt", OPENS=1, WRITES=80, BYTES_WRITTEN=500 * MIB, F_WRITE_TIME=9.0, MAX_BYTE_WRITTEN=500 * MIB - 1)
j = Job("stdio-log", "a protocol of 100 KiB", clean="stdio-bulk syncs", ranks=1)
j.stdio(0, "/data/log", OPENS=1, WRITES=1000, BYTES_WRITTEN=100 * KIB, F_WRITE_TIME=0.01, MAX_BYTE_WRITTEN=100 * KIB - 1)

# ---------------------------------------------------------------------------------------------------------------------


def report(summary, log):
    done = subprocess.run([summary, "--json", log], stdout=subprocess.PIPE, check=False)
    return json.loads(done.stdout) if done.returncode == 0 else None


def limits(document):
    """Savings that are more than the run, or than all I/O took."""
    run, found = document["job"]["run_seconds"] or float("inf"), []
    for f in document["findings"]:
        saved, most = f["saveable_seconds"] or 0, f["at_most_seconds"] or 0
        if not 0 <= saved <= most * 1.000001 or most > run * 1.000001:
            found.append("%s would save %s of %s s, in a run of %s" % (f["id"], saved, most, run))
    return found


def main():
    summary, rows, real = sys.argv[1], sys.argv[2], sys.argv[3:]
    with open(rows, encoding="utf-8") as file:
        known = re.findall(r'^FINDING\(\w+, "([^"]+)"', file.read(), re.M)
    hits, misses, alarms, wrong = {}, [], [], []
    clean = {}
    judged = [(job.name, job.fires, job.clean, job.may, job.name + ".darshan") for job in JOBS]
    for job in JOBS:
        job.draft.write(job.name + ".darshan")
    for argument in real:
        log, _, deserved = argument.partition("=")
        judged.append((os.path.basename(log), set(deserved.split(",")) - {"-"}, set(), set(), log))
    for name, fires, unwanted, may, log in judged:
        document = report(summary, log)
        if document is None:
            wrong.append("%s: cannot be read" % name)
            continue
        found = {f["id"]: f for f in document["findings"]}
        wrong += ["%s: %s" % (name, text) for text in limits(document)]
        unknown = (fires | unwanted | may) - set(known)
        wrong += ["%s: there is no finding %s" % (name, i) for i in sorted(unknown)]
        for i in fires:
            if i in found:
                hits.setdefault(i, []).append(name)
            else:
                misses.append("%s: %s is missing" % (name, i))
        for i in known:
            if i not in fires and i not in found:
                clean.setdefault(i, []).append(name)
        for i, f in found.items():
            if i in unwanted or (i not in fires | may and f["severity"] in ("high", "warning")):
                alarms.append("%s: %s: %s" % (name, i, f["text"]))
    for text in misses + alarms + wrong:
        print("wrong: " + text)
    n = sum(map(len, hits.values()))
    print("recall %d of %d, precision %d of %d" % (n, n + len(misses), n, n + len(alarms)))
    for i in known:
        seen = len(hits.get(i, [])), len(clean.get(i, []))
        if i not in ("slow-node", "burst", "deletes-and-renames") and (seen[0] < 2 or seen[1] < 2):
            print("wrong: %s fires in %d jobs and is silent in %d: two of each are asked for" % (i, *seen))


main()
