# t7215-merge-parts.sh - darshan-merge: which part of a job each log is; times, ranks and heat maps on one scale
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"

merge=$DSN_PREFIX/bin/darshan-merge
cat >tools.py <<'END'
"""Logs that are made and read by the tests' own code."""
import struct
import sys
sys.path.insert(0, sys.argv[1])
sys.dont_write_bytecode = True
import forge
from darshan_log import Log

HEATMAP = 15

def make(path, job, *lines, meta=(), heat=()):
    """heat: (rank, width, [bytes written in each bin])"""
    d = forge.Draft()
    for line in ("job uid=7 " + job, "exe app", *("metadata " + m for m in meta), "mount ext4 /", *lines):
        d.line(line)
    for rank, width, bins in heat:
        d.records.setdefault(HEATMAP, []).append(
            struct.pack("<Qqdq16x", d.name("heatmap:POSIX"), rank, width, len(bins)) +
            struct.pack("<%dq" % (2 * len(bins)), *bins, *[0] * len(bins)))
    d.write(path)

def heats(log):
    maps = [(r["rank"], r["counters"]) for _, records in log.others for r in records if r["module"] == "HEATMAP"]
    return [(rank, round(c["HEATMAP_F_BIN_WIDTH_SECONDS"], 6),
             [c[k] for k in sorted((k for k in c if "WRITE_BIN" in k), key=lambda k: int(k.rsplit("_", 1)[1]))])
            for rank, c in maps]

def records(log):
    """rank, name and counters of each record"""
    return [(r["rank"], log.names[r["id"]], r["counters"]) for r in log.records]
END
# py: runs the program on standard input, with these functions
py() {
    { cat tools.py; cat; } >program.py
    "$PYTHON3" program.py "$DSN_SRC/test/decode"
}
# merged LOG...: merges; what is said must be nothing
merged() {
    rm -f m
    status 0 "$merge" --output m "$@" && [ -z "$(cat out err)" ] || { cat out err; return 1; }
}
# refused WORDS LOG...: one line with these words and the names of the first two; with --force it is done
refused() {
    refused_words=$1
    shift
    rm -f m
    status 1 "$merge" --output m "$@" || return 1
    [ "$(wc -l <err)" = 1 ] && grep -q "$2: .*$refused_words $1;.*--force" err && [ ! -e m ] || { cat err; return 1; }
    status 0 "$merge" --force --output m "$@"
}

py <<'END'
for i, start in enumerate((1003, 1000, 1011)):   # ranks of one run, that began at other times
    make("r%d" % i, "jobid=77 nprocs=3 start=%d end=%d" % (start, start + 1 + 2 * i),
         "record POSIX %d /d/own.%d POSIX_OPENS=1 POSIX_F_OPEN_START_TIMESTAMP=0.5" % (i, i),
         meta=["recovered=%d" % (i + 1), "ranks=1 of 3", "node=n%d" % i, "run=00000000000000ab"],
         heat=[(i, 0.1 * 4 ** i, [10 * (i + 1)] * (20, 9, 3)[i])] if i != 1 else [(1, 0.4, [7] * 9)])
for i in range(5):                               # processes on their own, two of them without a heat map
    make("s%d" % i, "jobid=%d nprocs=1 start=%d end=%d" % (500 + i, 2000 + 7 * i, 2002 + 7 * i),
         "record POSIX 0 /d/s.%d POSIX_OPENS=1 POSIX_BYTES_WRITTEN=%d POSIX_F_WRITE_END_TIMESTAMP=1.25" % (i, i + 1),
         meta=["jobid_from=pid"], heat=[(0, 0.1, [i + 1] * (3 + 4 * i))] if i % 2 == 0 else [])
shared = ("record POSIX -1 /d/all POSIX_OPENS=%d POSIX_BYTES_WRITTEN=%d POSIX_SLOWEST_RANK=2 POSIX_SLOWEST_RANK_BYTES=5 "
          "POSIX_F_SLOWEST_RANK_TIME=%s POSIX_FASTEST_RANK=1 POSIX_F_FASTEST_RANK_TIME=%s POSIX_F_WRITE_TIME=%s "
          "POSIX_F_VARIANCE_RANK_TIME=%s POSIX_F_WRITE_START_TIMESTAMP=2.0")
# times of ranks 1, 1, 3, 3 s (variance 1), and 4, 4, 4 (variance 0)
make("a", "jobid=9 nprocs=4 start=3000 end=3010", shared % (4, 400, 3, 1, 8, 1), meta=["step=0", "run=1"])
make("b", "jobid=9 nprocs=3 start=3020 end=3030", shared % (3, 300, 4, 4, 12, 0), meta=["step=1", "run=2"])
make("c", "jobid=9 nprocs=1 start=3005 end=3006", "record POSIX 0 /d/c POSIX_OPENS=1")
make("other", "jobid=10 nprocs=1 start=3005 end=3006", "record POSIX 0 /d/c POSIX_OPENS=1")
make("login", "jobid=9 nprocs=1 start=3005 end=3006", "record POSIX 0 /d/c POSIX_OPENS=1", meta=["jobid_from=pid"])
make("again", "jobid=9 nprocs=1 start=4005 end=4006", "record POSIX 0 /d/c POSIX_OPENS=1", meta=["restart=1"])
make("r0.again", "jobid=77 nprocs=3 start=1500 end=1501", "record POSIX 0 /d/own.0 POSIX_OPENS=1",
     meta=["ranks=1 of 3", "run=00000000000000ab"])
END

# -- ranks of one run --
check 'three ranks of a run' merged r0 r1 r2
py >got <<'END'
m = Log("m")
print(m.job["nprocs"], m.job["start_time"], m.job["end_time"], dict(m.metadata))
for rank, name, c in records(m):
    print(rank, name, c["POSIX_F_OPEN_START_TIMESTAMP"])
h = heats(m)
print([rank for rank, _, _ in h], {width for _, width, _ in h}, {len(b) for _, _, b in h}, [sum(b) for _, _, b in h])
for rank, width, bins in h:
    print(rank, [round(k * width, 1) for k, n in enumerate(bins) if n])
END
# Bins of 1.6 s. Rank 0 is at work from 3.0 to 5.0 s, rank 1 from 0 to 3.6, rank 2 from 11.0 to 15.8.
cat >want <<'END'
3 1000 1016 {'recovered': '6', 'run': '00000000000000ab'}
0 /d/own.0 3.5
1 /d/own.1 0.5
2 /d/own.2 11.5
[0, 1, 2] {1.6} {10} [200, 63, 90]
0 [1.6, 3.2, 4.8]
1 [0.0, 1.6, 3.2]
2 [11.2, 12.8, 14.4]
END
check 'ranks, times from the start of the first, heat maps of one width and length, sums' alike want got
check 'two of them' merged r0 r2
is "$("$DSN_PREFIX/bin/darshan-parser" --show-incomplete m | grep -E '^# (nprocs|metadata: (ranks|node|recovered))' | tr '\n' ';')" \
    '# nprocs: 3;# metadata: recovered = 4;# metadata: ranks = 2 of 3;' 'are said to be two of three'

# -- processes on their own --
check 'five processes on their own' merged s0 s1 s2 s3 s4
py >got <<'END'
m = Log("m")
print(m.job["nprocs"], [(rank, c["POSIX_BYTES_WRITTEN"], c["POSIX_F_WRITE_END_TIMESTAMP"]) for rank, _, c in records(m)])
h = heats(m)
print([rank for rank, _, _ in h], len({(width, len(b)) for _, width, b in h}), [sum(b) for _, _, b in h])
END
cat >want <<'END'
5 [(0, 1, 1.25), (1, 2, 8.25), (2, 3, 15.25), (3, 4, 22.25), (4, 5, 29.25)]
[0, 2, 4] 1 [3, 33, 95]
END
check 'are ranks 0 to 4; two have no heat map' alike want got

# -- programs of MPI, and one without --
check 'two programs of MPI that share a file, and one without MPI' merged a c b
py >got <<'END'
m = Log("m")
print(m.job["nprocs"], [(rank, name) for rank, name, _ in records(m)])
r = records(m)[0][2]
print(*[r["POSIX_" + k] for k in ("OPENS", "BYTES_WRITTEN", "FASTEST_RANK", "SLOWEST_RANK", "F_FASTEST_RANK_TIME",
                                  "F_SLOWEST_RANK_TIME", "F_WRITE_START_TIMESTAMP")], round(r["POSIX_F_VARIANCE_RANK_TIME"], 4))
END
# 1, 1, 3, 3, 4, 4, 4: mean 20 / 7, mean of squares 68 / 7
cat >want <<'END'
8 [(-1, '/d/all'), (1, '/d/c')]
7 700 1 7 1.0 4.0 2.0 1.551
END
sed -i "s/(1, '\/d\/c')/(4, '\/d\/c')/" want
check 'have one record of it' alike want got

# -- logs that do not belong together --
check 'logs of two jobs' refused 'is of another job than' a other
check 'a job and a program outside of it' refused 'is of another job than' a login
check 'two runs of a requeued job' refused 'is of another run of the same job than' c again
check 'two runs of the same ranks' refused 'is of another run of the same job than' r0 r0.again
check 'are other ranks, if one insists' sh -c '"$1" --show-incomplete m | grep -q "^# nprocs: 6$"' sh "$DSN_PREFIX/bin/darshan-parser"

# -- damaged ones --
py <<'END'
one = "record POSIX 0 /d/f POSIX_OPENS=1"
make("good", "jobid=12 nprocs=1 start=100 end=110", one, heat=[(0, 0.1, [1] * 200)])
make("nsec", "jobid=12 nprocs=1 start=101 start_nsec=-9000000000000000000 end=110", one, heat=[(0, 0.1, [1] * 200)])
make("wide", "jobid=12 nprocs=1 start=101 end=110", one, heat=[(0, 1e308, [1] * 200)])
END
rm -f m
status 1 "$merge" --force --output m good nsec
is "$(cat err)" "darshan-merge: nsec: has a damaged job region; nothing was written" 'a log whose start is no time is refused'
check 'nothing was written' [ ! -e m ]
check 'bins that are wider than any run' merged good wide
py >got <<'END'
print([(round(width, 2), len(bins), sum(bins), max(bins)) for _, width, bins in heats(Log("m"))])
END
is "$(cat got)" '[(0.1, 200, 200, 1), (0.1, 200, 200, 200)]' 'tell no time: all is at the start of their log'

# -- real ones: ranks of a launcher, whose names, nodes and steps the runtime writes --
cat >part.c <<'END'
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>
int main(int n, char **argument)
{
    int fd;

    usleep((useconds_t)atoi(argument[n - 1]) * 1000);
    fd = open(argument[1], O_CREAT | O_WRONLY, 0644);
    return fd < 0 || write(fd, argument[1], 4) != 4;
}
END
check 'compiles' cc -o part part.c
for rank in 0 1; do
    env -u SLURM_RESTART_COUNT SLURM_JOB_ID=4711 SLURM_STEP_ID=2 SLURM_PROCID=$rank SLURM_STEP_NUM_TASKS=3 DARSHAN_ENABLE_NONMPI=1 \
        DARSHAN_MOD_ENABLE=DXT_POSIX DARSHAN_LOGFILE="$PWD/t$rank" LD_PRELOAD="$DSN_PREFIX/lib/libdarshan.so" ./part own.$rank 300
done
is "$(decode t1 --text | grep -E '^# (jobid|nprocs|metadata: (step|ranks|node|restart|scheduler))' | tr '\n' ';')" \
    "# jobid: 4711;# nprocs: 3;# metadata: step = 2;# metadata: ranks = 1 of 3;# metadata: node = $(uname -n);" \
    'a task says which step it is of, how many ranks it has, and where'
is "$(decode t0 --text | grep 'metadata: run')" "$(decode t1 --text | grep 'metadata: run')" 'and has the same number of the run'
# The site's accounting counts the process that is in the log, not all of the step.
"$DSN_PREFIX/bin/darshan-accounting" --db site.db init >/dev/null && "$DSN_PREFIX/bin/darshan-accounting" --db site.db ingest t0 >/dev/null
is "$("$PYTHON3" -c 'import sqlite3
print(*sqlite3.connect("site.db").execute("SELECT nprocs, width, process_seconds < 1.5 * run_time FROM log").fetchall())')" \
    '(3, 1, 1)' 'a log of one of three tasks is one process of the site'
check 'two tasks' merged t1 t0
py >got <<'END'
logs = [Log("t0"), Log("t1"), Log("m")]
start = [log.job["start_time"] + log.job["start_nsec"] * 1e-9 for log in logs]
for rank in 0, 1:
    def of(log):
        return [(number, c) for number, name, c in records(log) if name.endswith("own.%d" % rank)][0]
    def traced(log):
        return [w for _, _, records in log.traces for h in records for w in h[-2] if h[1] == rank][0]
    own, new, later = logs[rank], logs[2], start[rank] - start[2]
    opened = [of(log)[1]["POSIX_F_OPEN_START_TIMESTAMP"] for log in (own, new)]
    print(of(new)[0], abs(opened[0] + later - opened[1]) < 1e-6,
          abs(traced(own)[2] + later - traced(new)[2]) < 1e-6)
print(max(start[0], start[1]) - start[2] > 0.29)
END
is "$(cat got)" "0 True True
1 True True
True" 'keep their numbers; records and traces are moved'
env DARSHAN_ENABLE_NONMPI=1 DARSHAN_LOGFILE="$PWD/alone" LD_PRELOAD="$DSN_PREFIX/lib/libdarshan.so" ./part own.2 0
is "$(decode alone --text | grep -cE '^# metadata: (jobid_from = pid|ranks|run|node|step)')" 1 \
    'a program outside of jobs says that no scheduler gave its number, and nothing of parts'
finish
