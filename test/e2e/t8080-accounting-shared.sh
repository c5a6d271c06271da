# t8080-accounting-shared.sh - ingest by several processes at once, as mpirun and srun start them
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"
. "$DSN_SRC/test/e2e/accounting.sh"

logs=2000
mkdir logs
"$DSN_BUILD/test/bench/make-log" small logs $logs
for copy in 1 2 3 4 5 6; do # whichever ranks take them
    cp logs/0/job7.darshan logs/same$copy.darshan
done
head -c 2000 logs/1/job1007.darshan >logs/cut.darshan
"$accounting" --db whole.db init
"$accounting" --db whole.db --jobs 1 ingest logs >/dev/null 2>&1
"$accounting" --db whole.db export whole

# equal NAME: its tables are those of one process, but for the numbers of logs and records
equal() {
    "$accounting" --db "$1.db" check >checked && grep -q "^$logs logs, all in order" checked || return 1
    "$accounting" --db "$1.db" export "$1"
    "$PYTHON3" -c 'import os, sys
def rows(name, first, last):
    return sorted(line.rstrip(b"\n").split(b",")[first:last] for line in open(name, "rb"))
for table in sorted(os.listdir("whole")):
    first, last = 0, None
    if table in ("log.csv", "log_use.csv") or table.endswith("_total.csv"):
        first = 1
    elif table.endswith("_record.csv") or table in ("file_pattern.csv", "phase.csv", "call_site.csv"):  # ids of rows, of logs
        first = 2
    elif table == "source.csv":
        last = 3
    assert rows("whole/" + table, first, last) == rows(sys.argv[1] + "/" + table, first, last), table
assert os.listdir("whole")' "$1"
}
# rank DATABASE RANK SIZE RUN: as srun would start it
rank() {
    SLURM_PROCID=$2 SLURM_STEP_NUM_TASKS=$3 SLURM_JOB_ID=$4 SLURM_STEP_ID=0 exec "$accounting" --db "$1" --jobs 1 ingest logs
}

# -- all is well
"$accounting" --db srun.db init
(rank srun.db 1 3 7) >out1 2>&1 &
(rank srun.db 2 3 7) >out2 2>&1 &
(rank srun.db 0 3 7) >out0 2>err0
is "$?" 0 'three processes of srun: exit status of the first'
wait
is "$(tail -n 1 out0)" "$logs logs merged from 3 ranks" 'what it says'
is "$(cat out0 out1 out2 | sed -n 's/^rank [012]: \([0-9]*\) logs taken.*/\1/p' | awk '{ n += $1; least = NR == 1 || $1 < least ? $1 : least }
    END { print (n >= 2000 && n <= 2002), (least > 500) }')" '1 1' 'each had its share'
check 'the database is that of one process' equal srun
is "$(ls srun.db*)" srun.db 'nothing else is left'
(rank srun.db 1 2 8) >out1 2>&1 &
(rank srun.db 0 2 8) >out0 2>err0
wait
is "$(tail -n 1 out0) $(cat out0 out1 | sed -n 's/.* \([0-9]*\) known already.*/\1/p' | awk '{ n += $1 } END { print n }')" \
    "0 logs merged from 2 ranks $((logs + 7))" 'a second time all is known'
is "$(SLURM_PROCID=0 SLURM_NTASKS=4 "$accounting" --db srun.db ingest logs | cut -d, -f1 | cut -d' ' -f1-3)" '0 logs taken' \
    'in a script that sbatch has started it is by itself'

# -- a process that is killed
"$accounting" --db lost.db init
(rank lost.db 1 2 9) >out1 2>&1 &
lost=$!
(rank lost.db 0 2 9) >out0 2>err0 &
first=$!
while kill -0 $lost 2>/dev/null && [ ! -e "$(echo lost.db.share-*-1-of-2.part)" ]; do
    sleep 0.02
done
kill -KILL $lost
wait $lost 2>/dev/null
wait $first
is "$? $(grep -c 'rank 1 did not finish' err0)" '1 1' 'one is killed: exit status 1, and it is said'
is "$(ls lost.db*)" lost.db 'what it had taken is in the database'
"$accounting" --db lost.db ingest logs >/dev/null 2>&1
check 'the next one takes the rest' equal lost

# -- all of them are
"$accounting" --db killed.db init
left=0
for run in 10 11 12; do
    (rank killed.db 0 2 $run) >/dev/null 2>&1 &
    first=$!
    (rank killed.db 1 2 $run) >/dev/null 2>&1 &
    second=$!
    while kill -0 $second 2>/dev/null && [ ! -e "$(echo killed.db.share-*-1-of-2.part)" ]; do
        sleep 0.005
    done
    sleep "$(awk -v run=$run 'BEGIN { srand(); print rand() * (run - 10) / 20 }')" # the first time at once
    kill -KILL $first $second 2>/dev/null
    wait $first $second 2>/dev/null
    left=$((left + $(ls killed.db.share-* 2>/dev/null | wc -l)))
done
check "killed three times: $left files were left" test "$left" -ge 1
check 'then by itself' "$accounting" --db killed.db ingest logs
check 'nothing is lost, nothing there twice' equal killed
is "$(ls killed.db* | grep -v '\.go$')" killed.db 'no part is left'

# -- pseudonyms
echo 'a key that is as long as this line' >key
"$accounting" --db anonym.db --anonymize key init
(rank() { SLURM_PROCID=1 SLURM_STEP_NUM_TASKS=2 SLURM_JOB_ID=20 exec "$accounting" --db anonym.db --anonymize key ingest logs; }; rank) >out1 2>&1 &
SLURM_PROCID=0 SLURM_STEP_NUM_TASKS=2 SLURM_JOB_ID=20 "$accounting" --db anonym.db --anonymize key ingest logs >out0 2>err0
is "$? $(tail -n 1 out0)" "0 $logs logs merged from 2 ranks" 'with a key'
wait
check 'the database without a key has names' grep -q 'application' killed.db
check 'of directories, too' grep -q 'scratch' killed.db
is "$(grep -c 'application' anonym.db) $(grep -c 'scratch' anonym.db)" '0 0' 'no name is in the database'

# -- by the launchers that are here
for flavour in openmpi mpich; do
    mpirun=$(command -v mpirun.$flavour) || continue
    "$accounting" --db $flavour.db init
    check "$flavour: mpirun -n 3" status 0 "$mpirun" -n 3 "$accounting" --db $flavour.db --jobs 1 ingest logs
    is "$(grep -c 'merged from 3 ranks' out)" 1 "$flavour: all three have found each other"
    check "$flavour: the database is that of one process" equal $flavour
done
finish
