# t7710-reports.sh - costs of findings, computed by hand; the text report; several logs; the JSON documents
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"

[ -n "$PYTHON3" ] || skip_all 'package python3'
summary=$DSN_PREFIX/bin/darshan-job-summary
golden=$DSN_SRC/test/golden
export TZ=UTC
unset NO_COLOR

# figure LOG PATH: of the document: "answer.bound", "findings.0.id", ...
figure() {
    "$summary" --json "$1" | "$PYTHON3" -c '
import json, sys
v = json.load(sys.stdin)
for step in sys.argv[1].split("."):
    v = v[int(step)] if step.isdigit() else v[step]
print("%.6g" % v if isinstance(v, float) else v)' "$2"
}

# cost LOG ID: seconds that the finding would save, or "at most" so many; nothing if it is not there
cost() {
    "$summary" --json "$1" | "$PYTHON3" -c '
import json, sys
for f in json.load(sys.stdin)["findings"]:
    if f["id"] == sys.argv[1]:
        print(f["severity"], "at most %.6g" % f["at_most_seconds"] if f["saveable_seconds"] is None
              else "%.6g" % f["saveable_seconds"])' "$2"
}

# -- costs -------------------------------------------------------------------------------------------------------------

# Ranks spend 10, 2, 2 and 2 s, and move 40, 8, 8 and 8 MiB: the slowest is 6 s above the mean of 4, of a run of 100.
forge uneven <<'END'
job nprocs=4 start=1000 end=1100
mount ext4 /
record POSIX 0 /data/0 POSIX_OPENS=1 POSIX_WRITES=10 POSIX_BYTES_WRITTEN=41943040 POSIX_MAX_BYTE_WRITTEN=41943039 POSIX_SIZE_WRITE_1M_4M=10 POSIX_F_WRITE_TIME=10
record POSIX 1 /data/1 POSIX_OPENS=1 POSIX_WRITES=2 POSIX_BYTES_WRITTEN=8388608 POSIX_MAX_BYTE_WRITTEN=8388607 POSIX_SIZE_WRITE_1M_4M=2 POSIX_F_WRITE_TIME=2
record POSIX 2 /data/2 POSIX_OPENS=1 POSIX_WRITES=2 POSIX_BYTES_WRITTEN=8388608 POSIX_MAX_BYTE_WRITTEN=8388607 POSIX_SIZE_WRITE_1M_4M=2 POSIX_F_WRITE_TIME=2
record POSIX 3 /data/3 POSIX_OPENS=1 POSIX_WRITES=2 POSIX_BYTES_WRITTEN=8388608 POSIX_MAX_BYTE_WRITTEN=8388607 POSIX_SIZE_WRITE_1M_4M=2 POSIX_F_WRITE_TIME=2
END
is "$(cost uneven uneven-data)" 'warning 6' 'uneven: slowest less mean'
is "$(figure uneven ranks.seconds_spread.median),$(figure uneven ranks.seconds_spread.gini)" 2,0.375 \
    'uneven: median; Gini = (6*8/2)*2/(2*16*4)'
is "$(figure uneven answer.share_of_run_time.slowest),$(figure uneven answer.share_of_run_time.mean)" 0.1,0.04 \
    'uneven: shares of a run of 100 s'
is "$(figure uneven answer.bound)" imbalance 'uneven: bound'

# The log of one node's two ranks of eight: each spends 60 s of 100 s. None is known to be idle.
forge part <<'END'
job nprocs=8 start=1000 end=1100
metadata ranks=2 of 8
mount ext4 /
record POSIX 2 /data/2 POSIX_OPENS=1 POSIX_WRITES=600 POSIX_BYTES_WRITTEN=2516582400 POSIX_MAX_BYTE_WRITTEN=2516582399 POSIX_SIZE_WRITE_1M_4M=600 POSIX_F_WRITE_TIME=60
record POSIX 3 /data/3 POSIX_OPENS=1 POSIX_WRITES=600 POSIX_BYTES_WRITTEN=2516582400 POSIX_MAX_BYTE_WRITTEN=2516582399 POSIX_SIZE_WRITE_1M_4M=600 POSIX_F_WRITE_TIME=60
END
is "$(figure part answer.share_of_run_time.mean),$(figure part answer.seconds.mean),$(figure part answer.bound)" 0.6,60,bandwidth \
    'two ranks of eight: the mean is over those that are there'
is "$(figure part ranks.seconds_spread.median),$(figure part ranks.seconds_spread.gini),$(figure part ranks.quantiles.seconds.0)" \
    60,0,60 'and so are the spread and the quantiles'
is "$("$summary" part | grep -c '(mean 60 %[,)]')" 1 'and said so'

# Reads of an empty file, again and again, are at one place; and a name of many colons is no reason to wait.
forge poll <<'END'
job nprocs=1 start=1000 end=1100
mount ext4 /
record POSIX 0 /data/0 POSIX_OPENS=1 POSIX_READS=20000 POSIX_WRITES=1 POSIX_BYTES_WRITTEN=1000 POSIX_MAX_BYTE_WRITTEN=999 POSIX_SIZE_READ_0_100=20000 POSIX_F_READ_TIME=40
END
is "$(cost poll random-reads) $(cost poll small-reads)" ' high 40' 'empty reads are small, not random'
{
    printf 'job nprocs=1 start=1000 end=1100\nmount ext4 /\nrecord POSIX 0 /data/0 POSIX_OPENS=1\nrecord H5D 0 /data/'
    head -c 300000 /dev/zero | tr '\0' :
    echo ' H5D_OPENS=1'
} | forge colons
check 'a part of a file whose name is of colons' timeout 10 "$summary" colons

# Two ranks: 20 s in 2,000 writes of 1,000 B, and 0.64 s in 16 writes of 4 MiB, which is 100 MiB/s. At that rate the
# small ones take 2,000,000 / 104,857,600 = 0.0190735 s.
forge small <<'END'
job nprocs=2 start=1000 end=1100
mount ext4 /
record POSIX 0 /data/0 POSIX_OPENS=1 POSIX_WRITES=2000 POSIX_SEQ_WRITES=1999 POSIX_CONSEC_WRITES=1999 POSIX_BYTES_WRITTEN=2000000 POSIX_MAX_BYTE_WRITTEN=1999999 POSIX_SIZE_WRITE_100_1K=2000 POSIX_F_WRITE_TIME=20
record POSIX 1 /data/1 POSIX_OPENS=1 POSIX_WRITES=2000 POSIX_SEQ_WRITES=1999 POSIX_CONSEC_WRITES=1999 POSIX_BYTES_WRITTEN=2000000 POSIX_MAX_BYTE_WRITTEN=1999999 POSIX_SIZE_WRITE_100_1K=2000 POSIX_F_WRITE_TIME=20
record POSIX 0 /data/large POSIX_OPENS=1 POSIX_WRITES=16 POSIX_SEQ_WRITES=15 POSIX_CONSEC_WRITES=15 POSIX_BYTES_WRITTEN=67108864 POSIX_MAX_BYTE_WRITTEN=67108863 POSIX_SIZE_WRITE_1M_4M=16 POSIX_F_WRITE_TIME=0.64
END
is "$(cost small small-writes)" 'high 19.9809' 'small writes: what is above the rate of large ones'
is "$(figure small answer.bound)" small 'small writes: bound'
is "$(figure small sizes.layers.0.writes.bytes.1),$(figure small sizes.layers.0.writes.bytes.5)" '4e+06,6.71089e+07' \
    'small writes: bytes by size are exact'
is "$(figure small sizes.layers.0.writes.bytes_confidence)" exact 'small writes: and said to be'

# A file that all 4 ranks read whole, 64 MiB: 4 times over. 8 s of all ranks, 2 s of each: 3/4 could be saved.
forge same <<'END'
job nprocs=4 start=1000 end=1010
mount ext4 /
record POSIX -1 /data/in POSIX_OPENS=4 POSIX_READS=64 POSIX_SEQ_READS=60 POSIX_CONSEC_READS=60 POSIX_BYTES_READ=268435456 POSIX_MAX_BYTE_READ=67108863 POSIX_SIZE_READ_1M_4M=64 POSIX_SLOWEST_RANK=1 POSIX_SLOWEST_RANK_BYTES=67108864 POSIX_F_READ_TIME=8 POSIX_F_SLOWEST_RANK_TIME=2
END
is "$(cost same same-data)" 'high 1.5' 'the same data: 3 of 4 times'
is "$(figure same findings.0.confidence)" bounded 'the same data: the highest offset is a bound'
is "$(figure same sharing.pattern)" N:1 'one file for all'

# 256 ranks, each with a file of its own; opening takes 1 s each.
{
    echo 'job nprocs=256 start=1000 end=1010'
    echo 'mount ext4 /'
    for rank in $(seq 0 255); do
        echo "record POSIX $rank /data/$rank POSIX_OPENS=1 POSIX_WRITES=1 POSIX_BYTES_WRITTEN=4194304" \
            "POSIX_MAX_BYTE_WRITTEN=4194303 POSIX_SIZE_WRITE_1M_4M=1 POSIX_F_WRITE_TIME=0.5 POSIX_F_META_TIME=1"
    done
} | forge each
is "$(cost each file-per-process)" 'high 1' 'a file each: what a rank spends on opening'
is "$(cost each metadata)" '' 'a file each: which is why metadata are not told'
is "$(figure each sharing.pattern)" N:N 'a file each'

# Rank 0 writes 4 MiB of its own like the others and, as the aggregator of collective calls, 12 MiB of theirs: 16 MiB where
# the mean is 7, and less than half by collective calls. With 5 MiB more of its own it is uneven.
aggregator() {
    echo 'job nprocs=4 start=1000 end=1100'
    echo 'mount ext4 /'
    echo "record POSIX 0 /data/all POSIX_OPENS=1 POSIX_WRITES=3 POSIX_BYTES_WRITTEN=12582912 POSIX_MAX_BYTE_WRITTEN=12582911 POSIX_SIZE_WRITE_4M_10M=3 POSIX_F_WRITE_TIME=8"
    for rank in 0 1 2 3; do
        bytes=$((4194304 + (rank == 0 ? $1 : 0)))
        echo "record MPI-IO $rank /data/all MPIIO_COLL_OPENS=1 MPIIO_COLL_WRITES=1 MPIIO_BYTES_WRITTEN=3145728 MPIIO_F_WRITE_TIME=8"
        echo "record POSIX $rank /data/$rank POSIX_OPENS=1 POSIX_WRITES=1 POSIX_BYTES_WRITTEN=$bytes POSIX_MAX_BYTE_WRITTEN=$((bytes - 1)) POSIX_SIZE_WRITE_1M_4M=1 POSIX_F_WRITE_TIME=1"
    done
}
aggregator 0 | forge aggregator
is "$(cost aggregator uneven-data),$(cost aggregator straggler)" , 'an aggregator of collective calls: not uneven'
aggregator 5242880 | forge aggregator
is "$(cost aggregator uneven-data)" 'warning 6' 'an aggregator that writes more of its own, too: 9 s, mean 3'

# Ranks 0 to 2 spend 1 s on three files of their own, rank 3 spends 4 s on as many bytes.
forge slow <<'END'
job nprocs=4 start=1000 end=1010
mount ext4 /
record POSIX 0 /data/0 POSIX_OPENS=1 POSIX_WRITES=2 POSIX_BYTES_WRITTEN=8388608 POSIX_MAX_BYTE_WRITTEN=8388607 POSIX_SIZE_WRITE_1M_4M=2 POSIX_F_WRITE_TIME=1
record POSIX 1 /data/1 POSIX_OPENS=1 POSIX_WRITES=2 POSIX_BYTES_WRITTEN=8388608 POSIX_MAX_BYTE_WRITTEN=8388607 POSIX_SIZE_WRITE_1M_4M=2 POSIX_F_WRITE_TIME=1
record POSIX 2 /data/2 POSIX_OPENS=1 POSIX_WRITES=2 POSIX_BYTES_WRITTEN=8388608 POSIX_MAX_BYTE_WRITTEN=8388607 POSIX_SIZE_WRITE_1M_4M=2 POSIX_F_WRITE_TIME=1
record POSIX 3 /data/3 POSIX_OPENS=1 POSIX_WRITES=2 POSIX_BYTES_WRITTEN=8388608 POSIX_MAX_BYTE_WRITTEN=8388607 POSIX_SIZE_WRITE_1M_4M=2 POSIX_F_WRITE_TIME=4
END
is "$(cost slow straggler),$(cost slow uneven-data)" 'high 2.25,' 'a slow rank: 4 s less a mean of 7/4, and data are even'

# Random order: nobody knows what it costs, so it is no more than a bound. 1,000 reads of 1 MiB, 500 go back.
forge random <<'END'
job nprocs=1 start=1000 end=1010
mount ext4 /
record POSIX 0 /data/in POSIX_OPENS=1 POSIX_READS=1000 POSIX_SEQ_READS=499 POSIX_BYTES_READ=1048576000 POSIX_MAX_BYTE_READ=1048575999 POSIX_SIZE_READ_100K_1M=1000 POSIX_F_READ_TIME=4
END
is "$(cost random random-reads)" 'warning at most 2' 'random reads: half of 4 s at most'

# A seek costs no more than an open: of 1 s for 1 open, its close and 2,000 seeks these have 2,000 parts of 2,002 at most.
forge seeks <<'END'
job nprocs=1 start=1000 end=1002
mount ext4 /
record POSIX 0 /data/in POSIX_OPENS=1 POSIX_SEEKS=2000 POSIX_READS=2000 POSIX_SEQ_READS=1999 POSIX_CONSEC_READS=1999 POSIX_BYTES_READ=2097152000 POSIX_MAX_BYTE_READ=2097151999 POSIX_SIZE_READ_1M_4M=2000 POSIX_F_READ_TIME=0.4 POSIX_F_META_TIME=1
END
is "$(cost seeks seek-storm)" 'warning at most 0.999001' 'seeks: a bound'
is "$(cost seeks metadata)" '' 'seeks: which explain the metadata time'

# 2,000 reads of 100 B: of 4 s in MPI-IO 2 s are in POSIX below. 200,000 B take 0.00095367 s at the assumed 200 MiB/s; what
# MPI-IO adds to each goes with it: (2 - 0.00095367) / 2 of 4 s.
forge above <<'END'
job nprocs=1 start=1000 end=1010
mount ext4 /
record MPI-IO 0 /data/in MPIIO_INDEP_OPENS=1 MPIIO_INDEP_READS=2000 MPIIO_BYTES_READ=200000 MPIIO_SIZE_READ_AGG_0_100=2000 MPIIO_F_READ_TIME=4
record POSIX 0 /data/in POSIX_OPENS=1 POSIX_READS=2000 POSIX_SEQ_READS=1999 POSIX_CONSEC_READS=1999 POSIX_BYTES_READ=200000 POSIX_MAX_BYTE_READ=199999 POSIX_SIZE_READ_0_100=2000 POSIX_F_READ_TIME=2
END
is "$(cost above small-reads)" 'high 3.99809' 'small reads: with what the layer above adds to them'

# Rank 0 of 65,536 needs 264 s to write, all wait 753 s in collective writes, 0.9 s of that for metadata: which are not
# most of the time, though all ranks together need more seconds for opening than rank 0 for writing.
is "$(cost "$DSN_SRC/test/judged/skew-app.darshan" metadata)" '' 'metadata: by the time that ranks wait'

# 4 MiB in 1,024 writes at 4 GiB/s: nothing is faster.
forge cached <<'END'
job nprocs=1 start=1000 end=1010
mount ext4 /
record POSIX 0 /data/out POSIX_OPENS=1 POSIX_WRITES=1024 POSIX_SEQ_WRITES=1023 POSIX_CONSEC_WRITES=1023 POSIX_BYTES_WRITTEN=4194304 POSIX_MAX_BYTE_WRITTEN=4194303 POSIX_SIZE_WRITE_1K_10K=1024 POSIX_F_WRITE_TIME=0.0009765625
END
is "$(cost cached small-writes)" '' 'small writes that cost nothing are no finding'

# -- time in I/O: what ranks waited for, at the highest layer that they called ---------------------------------------------

# All 4 ranks spend 88 to 92 s of 100 in collective writes, in which rank 0 alone writes 40 s long.
forge collective <<'END'
job nprocs=4 start=1000 end=1100
mount ext4 /
record MPI-IO -1 /data/out MPIIO_COLL_OPENS=4 MPIIO_COLL_WRITES=40 MPIIO_BYTES_WRITTEN=419430400 MPIIO_SIZE_WRITE_AGG_1M_4M=40 MPIIO_SLOWEST_RANK=1 MPIIO_FASTEST_RANK=0 MPIIO_SLOWEST_RANK_BYTES=104857600 MPIIO_FASTEST_RANK_BYTES=104857600 MPIIO_F_WRITE_TIME=360 MPIIO_F_SLOWEST_RANK_TIME=92 MPIIO_F_FASTEST_RANK_TIME=88
record POSIX -1 /data/out POSIX_OPENS=4 POSIX_WRITES=100 POSIX_SEQ_WRITES=99 POSIX_CONSEC_WRITES=99 POSIX_BYTES_WRITTEN=419430400 POSIX_MAX_BYTE_WRITTEN=419430399 POSIX_SIZE_WRITE_1M_4M=100 POSIX_SLOWEST_RANK=0 POSIX_SLOWEST_RANK_BYTES=419430400 POSIX_F_WRITE_TIME=40 POSIX_F_SLOWEST_RANK_TIME=40
END
is "$(figure collective answer.share_of_run_time.slowest),$(figure collective answer.share_of_run_time.mean)" 0.92,0.9 \
    'collective calls: ranks that wait in them wait for I/O'
is "$(figure collective answer.seconds.mean_waiting),$(figure collective answer.seconds.mean_write),$(figure collective answer.seconds.slowest_at_storage)" \
    80,10,40 'collective calls: waiting and writing are told apart'
is "$(figure collective answer.bound),$(figure collective answer.run.compute)" waiting,10 'collective calls: what the job is bound by'
is "$("$summary" collective | head -n 1)" \
    "I/O took 92 % of the slowest rank's time (mean 90 %, in collective writes)." 'collective calls: said in one line'

# Rank 0 calls POSIX for a file of its own, 7 s, and MPI-IO independently for another, 20 s, of which 19 in POSIX below.
forge stacked <<'END'
job nprocs=2 start=1000 end=1100
mount ext4 /
record MPI-IO 0 /data/out MPIIO_INDEP_OPENS=1 MPIIO_INDEP_WRITES=10 MPIIO_BYTES_WRITTEN=41943040 MPIIO_SIZE_WRITE_AGG_1M_4M=10 MPIIO_F_WRITE_TIME=20
record POSIX 0 /data/out POSIX_OPENS=1 POSIX_WRITES=10 POSIX_SEQ_WRITES=9 POSIX_BYTES_WRITTEN=41943040 POSIX_MAX_BYTE_WRITTEN=41943039 POSIX_SIZE_WRITE_1M_4M=10 POSIX_F_WRITE_TIME=18 POSIX_F_META_TIME=1
record POSIX 0 /data/in POSIX_OPENS=1 POSIX_READS=10 POSIX_SEQ_READS=9 POSIX_BYTES_READ=41943040 POSIX_MAX_BYTE_READ=41943039 POSIX_SIZE_READ_1M_4M=10 POSIX_F_READ_TIME=7
record POSIX 1 /data/in POSIX_OPENS=1 POSIX_READS=10 POSIX_SEQ_READS=9 POSIX_BYTES_READ=41943040 POSIX_MAX_BYTE_READ=41943039 POSIX_SIZE_READ_1M_4M=10 POSIX_F_READ_TIME=3
END
is "$(figure stacked answer.seconds.slowest),$(figure stacked answer.seconds.slowest_rank),$(figure stacked answer.seconds.mean)" \
    27,0,15 'layers of one file are counted once, files are added'
is "$(figure stacked answer.slowest_run.write),$(figure stacked answer.slowest_run.read),$(figure stacked answer.slowest_run.waiting)" \
    19,7,0 'nobody waits for others in independent calls; what a layer adds is of the kind of its calls'

# Ranks 0 to 2 of 4 wait 20 s of 100 for rank 3 in one MPI_File_open; each needs 0.01 s in the file system: 60.01 s in
# MPI-IO less 4 times 0.01.
forge late <<'END'
job nprocs=4 start=1000 end=1100
mount ext4 /
record MPI-IO -1 /data/out MPIIO_COLL_OPENS=4 MPIIO_SLOWEST_RANK=0 MPIIO_FASTEST_RANK=3 MPIIO_F_META_TIME=60.01 MPIIO_F_SLOWEST_RANK_TIME=20 MPIIO_F_FASTEST_RANK_TIME=0.01
record POSIX -1 /data/out POSIX_OPENS=4 POSIX_SLOWEST_RANK=0 POSIX_FASTEST_RANK=1 POSIX_F_META_TIME=0.04 POSIX_F_SLOWEST_RANK_TIME=0.01 POSIX_F_FASTEST_RANK_TIME=0.01
END
# opening LOG: seconds of the mean rank that waits to open, and in metadata calls; what the job is bound by
opening() {
    echo "$(figure "$1" answer.run.waiting_to_open),$(figure "$1" answer.run.metadata),$(figure "$1" answer.bound)"
}
is "$(opening late)" 14.9925,0.01,waiting 'late to an open: no metadata time'
is "$(cost late open-waiting),$(cost late metadata)" 'warning at most 14.9925,' 'late to an open: what is found, and what is not'
is "$(figure late findings.0.ranks.0)" 3 'late to an open: who it is'
is "$("$summary" late | head -n 1)" \
    "I/O took 20 % of the slowest rank's time (mean 15 %, in collective opens)." 'late to an open: said in one line'
is "$(figure late answer.seconds.mean_waiting),$(figure late answer.seconds.mean)" 14.9925,15.0025 'late to an open: of all time'

# The same with a record for each rank.
forge late-each <<'END'
job nprocs=4 start=1000 end=1100
mount ext4 /
record MPI-IO 0 /data/out MPIIO_COLL_OPENS=1 MPIIO_F_META_TIME=20
record MPI-IO 1 /data/out MPIIO_COLL_OPENS=1 MPIIO_F_META_TIME=20
record MPI-IO 2 /data/out MPIIO_COLL_OPENS=1 MPIIO_F_META_TIME=20
record MPI-IO 3 /data/out MPIIO_COLL_OPENS=1 MPIIO_F_META_TIME=0.01
record POSIX 0 /data/out POSIX_OPENS=1 POSIX_F_META_TIME=0.01
record POSIX 3 /data/out POSIX_OPENS=1 POSIX_F_META_TIME=0.01
END
is "$(opening late-each),$(figure late-each findings.0.ranks.0)" 14.9925,0.01,waiting,3 'late to an open: records of each rank'
is "$(figure late-each answer.slowest_run.waiting),$(figure late-each answer.slowest_run.metadata)" 19.9833,0.0166644 \
    'late to an open: what the slowest rank does: of 19.99 s above POSIX 59.97 in 59.99 parts'

# Rank 0 opens the file for all, 20 s long, while the others wait in the same call: this is the file system.
forge opener <<'END'
job nprocs=4 start=1000 end=1100
mount ext4 /
record MPI-IO -1 /data/out MPIIO_COLL_OPENS=4 MPIIO_SLOWEST_RANK=0 MPIIO_FASTEST_RANK=3 MPIIO_F_META_TIME=80.04 MPIIO_F_SLOWEST_RANK_TIME=20.01 MPIIO_F_FASTEST_RANK_TIME=20.01
record POSIX 0 /data/out POSIX_OPENS=1 POSIX_F_META_TIME=20
END
is "$(opening opener)" 0,20.01,metadata 'one rank opens for all: metadata time'
is "$(cost opener open-waiting),$(cost opener metadata)" ',warning at most 20.01' 'one rank opens for all: what is found'

# Rank 0 creates it, 2 s long, the others open it; each then writes a quarter of the data, 10 s long. That rank 0 spends 12 of
# 42.03 s tells it.
forge creator <<'END'
job nprocs=4 start=1000 end=1100
mount ext4 /
record MPI-IO -1 /data/out MPIIO_COLL_OPENS=4 MPIIO_INDEP_WRITES=40 MPIIO_BYTES_WRITTEN=167772160 MPIIO_SLOWEST_RANK=0 MPIIO_FASTEST_RANK=3 MPIIO_F_META_TIME=8.4 MPIIO_F_WRITE_TIME=40 MPIIO_F_SLOWEST_RANK_TIME=12.1 MPIIO_F_FASTEST_RANK_TIME=12.1
record POSIX -1 /data/out POSIX_OPENS=4 POSIX_WRITES=40 POSIX_SEQ_WRITES=36 POSIX_CONSEC_WRITES=36 POSIX_BYTES_WRITTEN=167772160 POSIX_MAX_BYTE_WRITTEN=167772159 POSIX_SIZE_WRITE_4M_10M=40 POSIX_SLOWEST_RANK=0 POSIX_SLOWEST_RANK_BYTES=41943040 POSIX_F_META_TIME=2.03 POSIX_F_WRITE_TIME=40 POSIX_F_SLOWEST_RANK_TIME=12 POSIX_F_FASTEST_RANK_TIME=10.01
END
is "$(opening creator)" 0,2.1,bandwidth 'one rank creates for all: metadata time'

# Every rank spends 0.3 s in each of 30 opens, and none of it in the file system: MPI itself, and too many opens.
forge many-opens <<'END'
job nprocs=4 start=1000 end=1100
mount ext4 /
record MPI-IO -1 /data/out MPIIO_COLL_OPENS=120 MPIIO_SLOWEST_RANK=0 MPIIO_FASTEST_RANK=3 MPIIO_F_META_TIME=36 MPIIO_F_SLOWEST_RANK_TIME=9 MPIIO_F_FASTEST_RANK_TIME=9
record POSIX -1 /data/out POSIX_OPENS=120 POSIX_F_META_TIME=0.04 POSIX_F_SLOWEST_RANK_TIME=0.01 POSIX_F_FASTEST_RANK_TIME=0.01
END
is "$(opening many-opens)" 0,9,metadata 'many opens: metadata time'
# 3 s in each of 4 opens: ranks wait for one another in turn. 0.5 s of each may be MPI, and 0.01 s are the file
# system: 48 - 4 * (4 * 0.5 + 0.01) = 39.96.
forge turns <<'END'
job nprocs=4 start=1000 end=1100
mount ext4 /
record MPI-IO -1 /data/out MPIIO_COLL_OPENS=16 MPIIO_SLOWEST_RANK=0 MPIIO_FASTEST_RANK=3 MPIIO_F_META_TIME=48 MPIIO_F_SLOWEST_RANK_TIME=12 MPIIO_F_FASTEST_RANK_TIME=12
record POSIX -1 /data/out POSIX_OPENS=16 POSIX_F_META_TIME=0.04 POSIX_F_SLOWEST_RANK_TIME=0.01 POSIX_F_FASTEST_RANK_TIME=0.01
END
is "$(opening turns)" 9.99,2.01,waiting 'late in turn: no metadata time but what MPI may need'
is "$(figure turns findings.0.ranks)" '[]' 'late in turn: nobody in particular'

# Through HDF5: of 60.01 s in H5Fclose 1 is in MPI-IO, 0.04 of that in POSIX; no rank needs more than 5 s at
# storage, and 0.2 more in MPI-IO: 60.01 - 4 * 5.2 = 39.21. Of the others 20 are for
# data, 0.04 of them in MPI-IO itself.
forge late-hdf5 <<'END'
job nprocs=4 start=1000 end=1100
mount ext4 /
record H5F -1 /data/out H5F_OPENS=4 H5F_USE_MPIIO=4 H5F_F_META_TIME=60.01
record MPI-IO -1 /data/out MPIIO_COLL_OPENS=4 MPIIO_INDEP_WRITES=4 MPIIO_BYTES_WRITTEN=4194304 MPIIO_SLOWEST_RANK=0 MPIIO_FASTEST_RANK=3 MPIIO_F_META_TIME=1 MPIIO_F_WRITE_TIME=20 MPIIO_F_SLOWEST_RANK_TIME=5.3 MPIIO_F_FASTEST_RANK_TIME=5.2
record POSIX -1 /data/out POSIX_OPENS=4 POSIX_WRITES=4 POSIX_BYTES_WRITTEN=4194304 POSIX_MAX_BYTE_WRITTEN=4194303 POSIX_SIZE_WRITE_1M_4M=4 POSIX_SLOWEST_RANK=0 POSIX_SLOWEST_RANK_BYTES=1048576 POSIX_F_META_TIME=0.04 POSIX_F_WRITE_TIME=19.96 POSIX_F_SLOWEST_RANK_TIME=5 POSIX_F_FASTEST_RANK_TIME=5
END
is "$(opening late-hdf5)" 9.8025,0.2,waiting 'late to H5Fclose: beyond what a rank needs at storage'

# What is below MPI-IO is not known: no record of POSIX, or not of all ranks, since memory ran out.
forge blind <<'END'
job nprocs=4 start=1000 end=1100
mount ext4 /
record MPI-IO -1 /data/out MPIIO_COLL_OPENS=4 MPIIO_SLOWEST_RANK=0 MPIIO_FASTEST_RANK=3 MPIIO_F_META_TIME=60.01 MPIIO_F_SLOWEST_RANK_TIME=20 MPIIO_F_FASTEST_RANK_TIME=0.01
END
is "$(opening blind),$(cost blind open-waiting)" 0,15.0025,metadata, 'without POSIX: metadata time'
is "$("$summary" blind | grep -c 'Whether ranks wait for the file system\|-> record POSIX, too')" 2 'without POSIX: says so'
forge blind-partly <<'END'
job nprocs=4 start=1000 end=1100
mount ext4 /
partial 2
record MPI-IO -1 /data/out MPIIO_COLL_OPENS=4 MPIIO_SLOWEST_RANK=0 MPIIO_FASTEST_RANK=3 MPIIO_F_META_TIME=60.01 MPIIO_F_SLOWEST_RANK_TIME=20 MPIIO_F_FASTEST_RANK_TIME=0.01
record POSIX 0 /data/out POSIX_OPENS=1 POSIX_F_META_TIME=0.01
END
is "$(opening blind-partly)" 0,15.0025,metadata 'records of POSIX are missing: metadata time'
# A log that was recovered marks all modules, and has all records that its ranks had; so has one that is merged of such.
for part in 0 2; do
    printf '%s\n' 'job jobid=5 nprocs=4 start=1000 end=1100' 'metadata run=77' 'metadata ranks=2 of 4' 'metadata recovered=0' \
        'metadata missing_ranks=2 of 4' 'mount ext4 /' 'partial 0xffff' >lines
    for rank in $part $((part + 1)); do
        printf 'record MPI-IO %d /data/out MPIIO_COLL_OPENS=1 MPIIO_F_META_TIME=%s\n' $rank $(((rank < 3) * 20)).01
        printf 'record POSIX %d /data/out POSIX_OPENS=1 POSIX_F_META_TIME=0.01\n' $rank
    done >>lines
    forge part-$part <lines
done
"$DSN_PREFIX/bin/darshan-merge" --output merged part-0 part-2 >said 2>&1
is "$? $(cat said) $("$summary" merged | grep -c 'record POSIX, too')" '0  0' 'a merged log of recovered parts: POSIX is known to be recorded'
is "$(opening merged | cut -d, -f3)" waiting 'and who waits for whom'
# Each rank opens a file of its own, and all wait 20 s: nobody waits for anybody.
forge alone <<'END'
job nprocs=2 start=1000 end=1100
mount ext4 /
record MPI-IO 0 /data/0 MPIIO_INDEP_OPENS=1 MPIIO_F_META_TIME=20
record MPI-IO 1 /data/1 MPIIO_INDEP_OPENS=1 MPIIO_F_META_TIME=0.01
record POSIX 0 /data/0 POSIX_OPENS=1 POSIX_F_META_TIME=0.01
record POSIX 1 /data/1 POSIX_OPENS=1 POSIX_F_META_TIME=0.01
END
is "$(opening alone)" 0,10.005,metadata 'independent opens: metadata time'

# -- the screen --------------------------------------------------------------------------------------------------------

# fits LOG: no line longer than 80 columns, no more than 24 of them, no control characters
fits() {
    "$summary" "$1" >screen 2>said
    [ "$(wc -l <screen)" -le 24 ] || { echo "$(wc -l <screen) lines"; return 1; }
    ! LC_ALL=C.UTF-8 grep -nE '^.{81}' screen || return 1
    ! LC_ALL=C grep -n "$(printf '[\001-\011\013-\037\177]')" screen
}

# terminal COMMAND...: its output on a terminal
terminal() {
    TERM=xterm "$PYTHON3" -c 'import pty, sys; sys.exit(pty.spawn(sys.argv[1:]) >> 8)' "$@" </dev/null | tr -d '\r'
}
escape=$(printf '\033')

for log in "$golden"/*.darshan uneven small same each slow random; do
    check "${log##*/}: one screen" fits "$log"
done

# Of three findings the last has no room beside what weighs more: it is one of those that are not shown.
forge crowded <<'END'
job nprocs=4 start=1000 end=1015
exe /home/user/program
metadata recovered=1 process, killed
metadata ranks=3 of 4
partial 0x200
mount ext4 /
record POSIX 0 /data/small POSIX_OPENS=1 POSIX_WRITES=20000 POSIX_SEQ_WRITES=19999 POSIX_CONSEC_WRITES=19999 POSIX_BYTES_WRITTEN=20000000 POSIX_MAX_BYTE_WRITTEN=19999999 POSIX_SIZE_WRITE_100_1K=20000 POSIX_F_WRITE_TIME=3
record POSIX 0 /data/random POSIX_OPENS=1 POSIX_READS=20000 POSIX_BYTES_READ=20000000 POSIX_MAX_BYTE_READ=1999999999 POSIX_SIZE_READ_100_1K=20000 POSIX_F_READ_TIME=3
record POSIX 0 /data/meta POSIX_OPENS=20000 POSIX_STATS=20000 POSIX_F_META_TIME=3
record POSIX 1 /data/sync POSIX_OPENS=1 POSIX_FSYNCS=2000 POSIX_WRITES=2000 POSIX_SEQ_WRITES=1999 POSIX_CONSEC_WRITES=1999 POSIX_BYTES_WRITTEN=2000000 POSIX_MAX_BYTE_WRITTEN=1999999 POSIX_SIZE_WRITE_100_1K=2000 POSIX_F_WRITE_TIME=3
record POSIX -1 /data/shared POSIX_OPENS=4 POSIX_WRITES=40 POSIX_BYTES_WRITTEN=167772160 POSIX_MAX_BYTE_WRITTEN=167772159 POSIX_SIZE_WRITE_1M_4M=40 POSIX_F_WRITE_TIME=6 POSIX_F_META_TIME=1 POSIX_FASTEST_RANK=0 POSIX_SLOWEST_RANK=2 POSIX_F_FASTEST_RANK_TIME=0.5 POSIX_F_SLOWEST_RANK_TIME=4
site small:10 0 /data/small SITE_WRITES=20000 SITE_F_WRITE_TIME=3 SITE_BYTES_WRITTEN=20000000
site pick:20 0 /data/random SITE_READS=20000 SITE_F_READ_TIME=3 SITE_BYTES_READ=20000000
site look:30 0 /data/meta SITE_METAS=40000 SITE_F_META_TIME=3
record STDIO 0 <STDIN> STDIO_OPENS=1 STDIO_READS=256 STDIO_BYTES_READ=1048576 STDIO_MAX_BYTE_READ=1048575 STDIO_F_READ_TIME=30
END
check 'crowded: one screen' fits crowded
is "$("$summary" --verbose crowded | grep -c '^[1-9]\. '),$("$summary" crowded | grep -c '^[1-9]\. ')" 3,2 \
    'crowded: two findings of three have room'
is "$("$summary" crowded | grep 'see --verbose')" '1 more finding: see --verbose' 'crowded: the third is counted'

terminal "$summary" small >coloured
terminal env NO_COLOR=1 "$summary" small >plain
"$summary" small >piped
is "$(grep -c "$escape" coloured | sed 's/^[1-9].*/some/'),$(grep -c "$escape" plain)" some,0 'colours on a terminal, unless NO_COLOR'
# 20.64 of 100 s, of 36 columns
is "$(grep -c '\[wwwwwww\.*\]' coloured),$(grep -c '\[w*\.*\]' piped)" 1,0 'a bar on a terminal only'
check 'without colours it is what a pipe gets' cmp plain piped
is "$(sed -n 3p piped)" '1. Small writes (about 20 s, 20 %)' 'the finding that costs most comes first'
"$summary" --verbose small >more
is "$(grep -c '^ *2000000\|^ *3.81 MiB  bytes written$' more)" 1 '--verbose: evidence'
is "$(sed '/^2\. /q' more | grep -c '^   /data/[01]$')" 2 '--verbose: files to blame'
is "$("$summary" "$golden/empty_log.darshan" | head -n 1)" 'No I/O: the job opened no file.' 'a job without I/O'
is "$("$summary" "$golden/mpi-io-test-ppc64-3.0.1.darshan" | sed -n 2p)" 'Healthy: nothing was found that is wrong with it.' \
    'a healthy job is told so'
is "$("$summary" "$golden/mpi-io-test-x86_64-3.5.0.darshan" | sed -n 2p)" \
    'It is most of the run, but nothing was found that is wrong with how it is done.' 'one that does little else than I/O is not'
is "$(figure "$golden/ior-DFS.darshan" answer.bytes_read),$(figure "$golden/ior-DFS.darshan" sharing.pattern)" 16777216,N:1 \
    'DFS is counted like POSIX, and DAOS below it is not counted again'
# Commands that a script runs one after the other divide no work: none of them is to blame for what the others did not do.
fresh_logs
DARSHAN_ENABLE_NONMPI=1 run_preload 0 sh -c 'for i in 1 2 3 4 5; do cat "$0" >/dev/null; done
    dd if=/dev/zero of=dd bs=1024k count=64 oflag=dsync; head -c 1 dd' "$DSN_SRC/README.md" >/dev/null 2>&1
is "$("$summary" "$(latest_log)" | sed -n '1s/.* run time in the/the/;1s/,.*//p')" 'the busiest of 8 processes' \
    'a script: its processes are no ranks'
"$summary" --json "$(latest_log)" | grep -oE '"(one-rank|uneven-data|straggler|own-aggregation)"' >found
is "$(cat found)" '' 'none of which is to blame'
is "$("$summary" "$(latest_log)" | grep -c 'rank')" 0 'and of which nothing is said'
# Nor is a sum one over ranks, in its evidence; the lines of what happens to names do not fit into 66 columns.
fresh_logs
DARSHAN_ENABLE_NONMPI=1 run_preload 0 sh -c 'dd if=/dev/zero of=pieces bs=10 count=200000; touch $(seq 1 300)
    for n in 1 2 3 4 5 6 7 8 9 10; do mv $n old-$n; done; rm [12]*' >/dev/null 2>&1
"$summary" --verbose "$(latest_log)" >screen
is "$(sed -n 's/.*  seconds writing/seconds writing/p' screen | head -n 1)" 'seconds writing, all processes' 'seconds of processes are no ranks'
is "$(sed -n '/^Names/ { N; s/.*all processes;\n *//p; }' screen)" 'not in the rate' 'what does not fit on a line goes on in the next'
is "$(LC_ALL=C.UTF-8 grep -cE '^.{81}' screen),$(grep -c 'seconds writing, all' screen)" 0,1 '--verbose fits, too'
# A process that is killed is one, though it has a line for each program that it was; of one whose last program is not recorded the
# log knows.
fresh_logs
DARSHAN_ENABLE_NONMPI=1 run_preload 0 sh -c '(echo a >own; exec sh -c "echo b >own; kill -9 \$\$"); cat own' >/dev/null 2>&1
log=$(latest_log)
is "$("$summary" "$log" | sed -n 's/^Workers  *1 of \([0-9]*\) processes.*/\1/p')" "$(figure "$log" job.ranks)" \
    'processes are counted once, whatever they executed'
is "$("$summary" "$log" | grep -c ^Partial)" 0 'a program that was killed is in the log'
fresh_logs
DARSHAN_ENABLE_NONMPI=1 run_preload 0 sh -c '(echo a >own; exec env -u LD_PRELOAD cat own); cat own' >/dev/null 2>&1
log=$(latest_log)
is "$("$summary" "$log" | sed -n 's/^Partial *//p'),$("$summary" "$log" | grep -c Healthy),$(figure "$log" answer.healthy)" \
    '1 of 3 processes executed a program that is not recorded,0,False' 'what a process became is not recorded: not healthy'
"$summary" --json "$log" >partial.json
check 'which the schema knows' "$PYTHON3" "$DSN_SRC/test/decode/schema.py" "$DSN_PREFIX/share/darshan/job-summary.schema.json" partial.json
forge one-of-four <<'END'
job nprocs=4 start=1000 end=1100
metadata ranks=1 of 4
mount ext4 /
record POSIX 0 /data/0 POSIX_OPENS=1 POSIX_WRITES=10 POSIX_BYTES_WRITTEN=41943040 POSIX_MAX_BYTE_WRITTEN=41943039 POSIX_SIZE_WRITE_1M_4M=10 POSIX_F_WRITE_TIME=2
END
is "$("$summary" one-of-four | sed -n 's/^Partial *//p'),$(figure one-of-four answer.healthy)" \
    'no records of 3 of 4 ranks: part of a run,False' 'the log of one rank of four is not healthy'

# The answer says what the rank that it is about spent its time with: 10 of 10 s on writing, though all together spent more on
# reading. Of a shared record only sums are known.
forge writer <<'END'
job nprocs=4 start=1000 end=1020
mount ext4 /
record POSIX 0 /data/0 POSIX_OPENS=1 POSIX_WRITES=10 POSIX_BYTES_WRITTEN=41943040 POSIX_MAX_BYTE_WRITTEN=41943039 POSIX_SIZE_WRITE_1M_4M=10 POSIX_F_WRITE_TIME=10
record POSIX 1 /data/1 POSIX_OPENS=1 POSIX_READS=10 POSIX_BYTES_READ=41943040 POSIX_MAX_BYTE_READ=41943039 POSIX_SIZE_READ_1M_4M=10 POSIX_F_READ_TIME=5
record POSIX 2 /data/2 POSIX_OPENS=1 POSIX_READS=10 POSIX_BYTES_READ=41943040 POSIX_MAX_BYTE_READ=41943039 POSIX_SIZE_READ_1M_4M=10 POSIX_F_READ_TIME=5
record POSIX 3 /data/3 POSIX_OPENS=1 POSIX_READS=10 POSIX_BYTES_READ=41943040 POSIX_MAX_BYTE_READ=41943039 POSIX_SIZE_READ_1M_4M=10 POSIX_F_READ_TIME=5
END
is "$("$summary" writer | head -n 1)" "I/O took 50 % of the slowest rank's time (mean 31 %), mostly writing." 'mostly: of the slowest rank'
forge writers <<'END'
job nprocs=4 start=1000 end=1020
mount ext4 /
record POSIX -1 /data/0 POSIX_OPENS=4 POSIX_WRITES=10 POSIX_BYTES_WRITTEN=41943040 POSIX_MAX_BYTE_WRITTEN=41943039 POSIX_SIZE_WRITE_1M_4M=10 POSIX_F_WRITE_TIME=25 POSIX_SLOWEST_RANK=0 POSIX_FASTEST_RANK=1 POSIX_F_SLOWEST_RANK_TIME=10 POSIX_F_FASTEST_RANK_TIME=5
END
is "$("$summary" writers | head -n 1)" "I/O took 50 % of the slowest rank's time (mean 31 %, mostly writing)." 'mostly: of all, if that is all there is'
forge streams <<'END'
job nprocs=1 start=1000 end=1020
mount ext4 /
record STDIO 0 <STDIN> STDIO_OPENS=1 STDIO_READS=10 STDIO_BYTES_READ=1000 STDIO_MAX_BYTE_READ=999
END
is "$("$summary" streams | sed -n 1p)" 'No I/O: the job opened no file, only pipes, terminals or standard streams.' 'an answer is whole'

is "$(figure "$golden/mpi-io-test-ppc64-3.1.8.darshan" blue_gene_q)" \
    "{'nodes': 128, 'ranks_per_node': 16, 'node_mib': 16384, 'io_nodes': 1, 'torus': [2, 2, 4, 4, 2]}" 'the partition of a Blue Gene/Q'
is "$("$summary" "$golden/mpi-io-test-ppc64-3.1.8.darshan" | sed -n 's/^Blue Gene.Q *//p')" \
    '128 nodes of 16.0 GiB, 16 ranks each, 1 I/O node, torus 2x2x4x4x2' 'is shown'
# What is waited for at a FIFO, or in a container's /dev, is no I/O time; the file is.
forge channels <<'END'
job nprocs=1 start=1000 end=1010
mount ext4 /
mount devtmpfs /containers/7/dev
record POSIX 0 /data/commands.fifo POSIX_OPENS=1 POSIX_READS=2000 POSIX_BYTES_READ=20000 POSIX_MAX_BYTE_READ=19999 POSIX_SIZE_READ_0_100=2000 POSIX_F_READ_TIME=7
record POSIX 0 /containers/7/dev/accelerator POSIX_OPENS=1 POSIX_READS=2000 POSIX_BYTES_READ=20000 POSIX_MAX_BYTE_READ=19999 POSIX_SIZE_READ_0_100=2000 POSIX_F_READ_TIME=2
record POSIX 0 /data/device POSIX_OPENS=1 POSIX_READS=10 POSIX_SEQ_READS=9 POSIX_CONSEC_READS=9 POSIX_BYTES_READ=41943040 POSIX_MAX_BYTE_READ=41943039 POSIX_SIZE_READ_1M_4M=10 POSIX_F_READ_TIME=0.4
END
is "$(figure channels answer.seconds.slowest),$(cost channels small-reads)" 0.4, 'FIFOs and devices, by their names and their mounts'

# 40 MiB in 2 s; before that 30 s for 1 MiB that another program wrote into a pipe: nobody waits for storage there.
forge input <<'END'
job nprocs=1 start=1000 end=1100
mount ext4 /
record POSIX 0 /data/0 POSIX_OPENS=1 POSIX_WRITES=10 POSIX_BYTES_WRITTEN=41943040 POSIX_MAX_BYTE_WRITTEN=41943039 POSIX_SIZE_WRITE_1M_4M=10 POSIX_F_WRITE_TIME=2
record STDIO 0 <STDIN> STDIO_OPENS=1 STDIO_READS=256 STDIO_BYTES_READ=1048576 STDIO_MAX_BYTE_READ=1048575 STDIO_F_READ_TIME=30
END
is "$(figure input answer.seconds.slowest),$(figure input answer.mib_per_second)" 2,20 \
    'standard input is not waited for storage'
is "$("$summary" input | sed -n 's/^Not I.O *//p')" '30.00 s: standard streams, pipes and devices' 'and what it took is said'
# A process that was killed leaves a log that says so first, and is not healthy.
forge killed <<'END'
job nprocs=1 start=1000 end=1100
metadata recovered=1 process, killed
mount ext4 /
partial 0x200
record STDIO 0 /data/out STDIO_OPENS=1 STDIO_WRITES=10 STDIO_BYTES_WRITTEN=1000 STDIO_F_WRITE_TIME=0.001
END
is "$("$summary" killed | sed -n '1s/ .*//p'),$("$summary" killed | grep -c Healthy),$(figure killed quality.warnings.0.what)" \
    Recovered,0,Recovered 'what is missing is said first'

# Runs of a folder are put in order by their start, whatever their names, and other programs' logs are left out.
mkdir runs
for run in '2 app 3000' '9 app 1000' '1 other 5000' '5 app 2000' '0 app 6000'; do
    # shellcheck disable=SC2086
    set -- $run
    printf 'job nprocs=1 start=%d end=%d\nexe ./%s\nmount ext4 /\nrecord POSIX 0 /data/x POSIX_OPENS=1 POSIX_WRITES=%d\n' \
        "$3" $(($3 + 100)) "$2" "$1" | forge "runs/$1.darshan"
done
"$summary" --json --compare runs >compared
is "$("$PYTHON3" -c '
import json
all = json.load(open("compared"))
print([log["file"][-9] for log in all["logs"]], all["comparison"]["left_out"])')" "['9', '5', '2', '0'] 1" \
    'a folder is compared in the order of starts, one program'

# -- documents ---------------------------------------------------------------------------------------------------------

mkdir documents
for log in "$golden"/*.darshan uneven small same each slow random; do
    "$summary" --json "$log" >"documents/${log##*/}" 2>said || cat said
done
check 'documents are as their schema says' "$PYTHON3" "$DSN_SRC/test/decode/schema.py" \
    "$DSN_PREFIX/share/darshan/job-summary.schema.json" documents/*
sed 's/"sentence"/"sentense"/' documents/small >documents/wrong
check 'a member that is called otherwise is seen' status 1 "$PYTHON3" "$DSN_SRC/test/decode/schema.py" \
    "$DSN_PREFIX/share/darshan/job-summary.schema.json" documents/wrong

# what the document has of the whole job is what darshan-parser prints
for log in "$golden"/*.darshan; do
    "$DSN_PREFIX/bin/darshan-parser" --total "$log" 2>said |
        awk -F': ' '/^total_(POSIX|STDIO|DFS)_BYTES_(READ|WRITTEN)/ { split($1, w, "_"); sum[w[4]] += $2 }
            END { printf "%d,%d\n", sum["READ"], sum["WRITTEN"] }' >want
    is "$(figure "$log" answer.bytes_read),$(figure "$log" answer.bytes_written)" "$(cat want)" "${log##*/}: bytes"
done

# -- several logs ------------------------------------------------------------------------------------------------------

mkdir -p folder/below
for log in uneven small same; do cp $log folder/below/$log.darshan; done
cp "$DSN_SRC/test/golden/README.md" folder
"$summary" folder >ranked
is "$(awk '{ print $NF }' ranked | tail -n 3 | tr '\n' ' ')" 'small.darshan uneven.darshan same.darshan ' \
    'a folder: what could be saved most comes first'
is "$("$summary" --json folder | "$PYTHON3" -c 'import json, sys; print([l["worst"] for l in json.load(sys.stdin)["logs"]])')" \
    "['small-writes', 'uneven-data', 'same-data']" 'a folder, for programs'
"$summary" --compare small uneven >compared
is "$(grep -c '^  went    Small writes: 19.98 s$' compared),$(grep -c '^  came    Data is unevenly distributed' compared)" 1,1 \
    '--compare: findings come and go'
is "$(awk '/^I.O time, slowest rank/ { print $5, $7, $9 }' compared)" '20.64 10.00 -52' '--compare: figures'
"$summary" --json folder >many
"$summary" --json --compare small uneven same >three
check 'documents of several logs are as their schema says' "$PYTHON3" "$DSN_SRC/test/decode/schema.py" \
    "$DSN_PREFIX/share/darshan/job-summaries.schema.json" many three

# Pages of several logs: one each, whatever their names hold, and a list that links to them.
mkdir -p named/below
cp small 'named/<b>&"'"'"' .darshan'
cp small named/index.darshan
cp same named/below/index.darshan
"$summary" -o pages named 2>said
is "$?,$(cat said),$(ls pages | tr '\n' ' ')" '0,,_b_____.html index-2.html index-3.html index.html ' '-o: a page of each log, none in place of another'
is "$(sed -n 's/.*<a href="\([^"]*\)">.*/\1/p' pages/index.html | sort | tr '\n' ' ')" '_b_____.html index-2.html index-3.html ' \
    'and a list that links to them'
is "$(grep -c '&#60;b&#62;&#38;&#34;&#39; .darshan' pages/index.html),$(grep -c '<b>' pages/index.html)" 1,0 'names are no markup'
is "$(grep -o '<title>[^<]*' pages/index-2.html)" '<title>I/O report' 'a page of the list is a report'
"$summary" -o pages --compare runs 2>said
is "$?,$(grep -c '<a href=' pages/index.html),$(grep -c 'other programs are left out: 1' pages/index.html)" 0,4,1 \
    '-o --compare: pages of the runs that are compared'
"$summary" -o pages small 2>said
is "$?,$(test -s pages/small.html && grep -c '<a href=' pages/index.html)" 0,1 '-o of a folder that is there: the page goes into it'
check '-o of a file for several logs' status 1 "$summary" -o small small uneven
check 'which stays as it is' cmp small 'named/index.darshan'

# What an interpreter runs is a part of the program's name.
mkdir scripts
for run in '1 train.py 1000' '2 show.py 2000' '3 train.py 3000'; do
    # shellcheck disable=SC2086
    set -- $run
    printf 'job nprocs=1 start=%d end=%d\nexe /usr/bin/python3.11 /home/x/%s --fast\nmount ext4 /\nrecord POSIX 0 /data/x POSIX_OPENS=1\n' \
        "$3" $(($3 + 100)) "$2" | forge "scripts/$1.darshan"
done
is "$("$summary" --compare scripts | head -n 2)" '2 runs of python3.11 train.py.
1 log of other programs is left out.' '--compare: scripts of an interpreter are programs of their own'

# A stream that is synchronized by its descriptor has a record of POSIX without data, and is a stream's file still. What a
# buffer of 4 KiB answers for small calls it does not for large ones.
while read -r size said; do
    forge streams.darshan <<END
job nprocs=1 start=1000 end=1100
exe /bin/md
mount ext4 /
record POSIX 0 /data/md.log POSIX_FSYNCS=10 POSIX_F_WRITE_TIME=0.5
record STDIO 0 /data/md.log STDIO_OPENS=1 STDIO_WRITES=444 STDIO_BYTES_WRITTEN=$((444 * size)) STDIO_F_WRITE_TIME=0.5
END
    is "$("$summary" streams.darshan | sed -n 's/^Sizes *//p')" "stdio: 444 calls, $said" "a synchronized stream, calls of $size bytes"
done <<'END'
21 9.11 KiB, mean 21 B, most from the buffer
8192 3.47 MiB, mean 8.00 KiB
END

# Shared memory of MPI, in which most time was spent, is no file whose speed matters.
for file in /tmp/ompi.n1.0/pid.7/shmem /tmp/prterun.n1.7.0/1/shmem /tmp/spmix_appdir_0_7.0/shmem /data/in.locktest.0 /data/shmem; do
    forge memory.darshan <<END
job nprocs=1 start=1000 end=1100
mount ext4 /
record POSIX 0 $file POSIX_OPENS=1 POSIX_WRITES=1 POSIX_BYTES_WRITTEN=4096 POSIX_F_META_TIME=5
record POSIX 0 /data/out POSIX_OPENS=1 POSIX_WRITES=1 POSIX_BYTES_WRITTEN=4096 POSIX_F_WRITE_TIME=1
END
    "$summary" memory.darshan | sed -n 's/^Slowest file *//p'
done >said
is "$(tr '\n' ' ' <said)" '/data/out /data/out /data/out /data/out /data/shmem ' \
    "what an MPI library makes for itself is not named the slowest file, but the slowest of the program's"

# HDF5 does not say how much of a shared file's time is the slowest rank's: half of it, or all.
forge bounds.darshan <<END
job nprocs=2 start=1000 end=1100
record POSIX -1 /data/out POSIX_OPENS=2 POSIX_WRITES=2 POSIX_BYTES_WRITTEN=2097152 POSIX_F_WRITE_TIME=1 POSIX_F_SLOWEST_RANK_TIME=0.5
record H5F -1 /data/out H5F_OPENS=2 H5F_F_META_TIME=60
END
"$summary" bounds.darshan >out
is "$(sed -n 's/^ *rank 0  *//p' out)" '30-60 s 30-60 %       -       -       -         -' \
    'where the log has only bounds of the slowest rank, neither is shown as its time'
is "$(sed -n 's/^ *\(.*\) as the program sees it.*/\1/p' out)" '0.03-0.07' 'nor as the time of the rate'

# Columns of a dataset without chunks: HDF5 reads 64 KiB for each piece of 1,600 bytes.
forge sieved.darshan <<END
job nprocs=1 start=1000 end=1001
record POSIX 0 /data/z.nc POSIX_OPENS=1 POSIX_READS=12000 POSIX_BYTES_READ=785000000 POSIX_MAX_BYTE_READ=19208191 POSIX_SIZE_READ_10K_100K=12000 POSIX_SEQ_READS=11800 POSIX_F_READ_TIME=0.9
record H5F 0 /data/z.nc H5F_OPENS=1
END
"$summary" sieved.darshan >out
is "$(grep -cE 'The same data is read repeatedly|H5Pset_sieve_buf_size' out)" 2 'HDF5 may read the same data repeatedly without chunks, too'

is "$("$summary" --verbose sieved.darshan | grep -c '^Layer  *read')" 1 'the table of layers speaks of no ranks if there is one process'

# As long as such a line may be, it is not cut at 80 columns.
forge long.darshan <<END
job nprocs=1048576 start=1000 end=1001
record POSIX 1000000 /data/own POSIX_OPENS=1 POSIX_WRITES=2 POSIX_BYTES_WRITTEN=8192 POSIX_F_WRITE_TIME=0.031
record POSIX -1 /data/a POSIX_OPENS=1048576 POSIX_STATS=1
record H5F -1 /data/a H5F_OPENS=1048576 H5F_F_META_TIME=0.1
END
is "$("$summary" long.darshan | sed -n 's/^ *rank 1000000 //p')" '0.031-0.13 s  3-13 %      -       -       -         -' \
    'bounds of a rank with a long number'

# What Open MPI makes for itself at an open through MPI-IO: a file of each rank to test locks, and shared memory.
forge opened.darshan <<END
job nprocs=2 start=1000 end=1100
mount ext4 /
record POSIX -1 /data/out POSIX_OPENS=2 POSIX_WRITES=2 POSIX_BYTES_WRITTEN=8192 POSIX_F_WRITE_TIME=1
record POSIX 0 /data/out.locktest.0 POSIX_OPENS=1 POSIX_F_META_TIME=0.1
record POSIX 1 /data/out.locktest.1 POSIX_OPENS=1 POSIX_F_META_TIME=0.1
record POSIX 1 /data/my.locktest.txt POSIX_OPENS=1 POSIX_READS=1 POSIX_BYTES_READ=10
record POSIX -1 /tmp/ompi.n1.0/pid.7/1/out_cid-4-7.sm POSIX_OPENS=2 POSIX_WRITES=1 POSIX_BYTES_WRITTEN=8
END
"$summary" --verbose opened.darshan >out
is "$(sed -n '/^Files/,/shared by/s/^\(Files\)\{0,1\} *//p' out)" "2: 1 only read, 1 only written, 0 both, 0 without data
1 shared by all ranks, 0 by some: > 99 % of bytes; 1 of one rank" 'files that an MPI library makes for itself are not counted'
is "$(sed -n 's,^/ ext4 *\([0-9]*\) .*,\1,p' out)" 2 'nor of the mount'
is "$("$summary" --json opened.darshan | "$PYTHON3" -c 'import json, sys
files = json.load(sys.stdin)["files"]
print(*(row[files["columns"].index("name")] for row in files["rows"]))')" \
    '/data/out /data/my.locktest.txt /data/out.locktest.0 /data/out.locktest.1 /tmp/ompi.n1.0/pid.7/1/out_cid-4-7.sm' 'they come last in lists'
forge staged.darshan <<END
job nprocs=1 start=1000 end=1100
record POSIX 0 /dev/shm/batch POSIX_OPENS=1 POSIX_READS=1 POSIX_BYTES_READ=4096 POSIX_F_READ_TIME=1
record POSIX 0 /dev/shm/vader_segment.n1.0 POSIX_OPENS=1
END
is "$("$summary" staged.darshan | sed -n 's/^Files  *//p')" '1: 1 only read, 0 only written, 0 both, 0 without data' \
    'one in memory that the program reads is'

echo 'no log' >folder/text.darshan
"$summary" folder >out 2>said
is "$?,$(grep -c '^darshan-job-summary: folder/text.darshan: ' said),$(wc -l <said | tr -d ' ')" 1,1,1 'one that cannot be read'
check 'the others are shown' cmp out ranked
check 'no such job' status 1 "$summary" --job 77 folder/below
check 'nothing to compare with' status 1 "$summary" --compare small
for bad in x -1 ''; do
    check "--job '$bad'" status 2 "$summary" --job "$bad" folder
done
for job in 1 2; do
    printf 'job nprocs=1 jobid=%d start=%d end=2000\n' $job $((1100 - job)) | forge folder/below/job$job.darshan
    printf 'job nprocs=1 jobid=%d start=%d end=2000\n' $job $((1000 - job)) | forge folder/below/jobb$job.darshan
done
is "$("$summary" --job 2 folder/below | awk 'NR > 3 { print $NF }' | tr '\n' ' ')" 'jobb2.darshan job2.darshan ' \
    '--job: its logs, the first that began comes first'
finish
