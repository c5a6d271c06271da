# t0140-processes.sh - without MPI a program has one log, which includes its forked children and the program it executes
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"
. "$DSN_SRC/test/e2e/known.sh"

mkdir data
check 'compiles' compile nonmpi ./processes processes.c
execute nonmpi 0 ./processes "$PWD/data" >out 2>err
is $? 0 'exit status'
check 'nothing on stderr' test ! -s err
is "$(count_logs)" 1 'one log'
check 'counters' decode "$(latest_log)" --strict --want "$work/processes.want"

# -- locks of the C library that a forked child finds taken
writes() { # COUNTER: its sum
    "$DSN_PREFIX/bin/darshan-parser" --base --extra "$(latest_log)" | awk -v c="$1" '$4 == c { n += $5 } END { print n + 0 }'
}
check 'compiles with busy threads' compile nonmpi ./fork-busy fork-busy.c -pthread -ldl
for sites in 0 1; do
    fresh_logs
    [ $sites = 0 ] || export DARSHAN_CALLSITES=1
    TZ=America/St_Johns execute nonmpi 0 ./fork-busy "$PWD/data" >out 2>err
    is "$? $(cat err) $(writes POSIX_WRITES) $(writes SITE_WRITES)" "0  100 $((100 * sites))" \
        "forks while threads use the time zone and the list of libraries, call sites $sites"
done
unset DARSHAN_CALLSITES

# -- a forked child begins to record with its first call that counts
fresh_logs
rm -rf data shm && mkdir data shm
check 'compiles what forks' compile nonmpi ./forked forked.c -pthread
DARSHAN_MMAP_LOGPATH=$PWD/shm execute nonmpi 0 ./forked "$PWD/data" >out 2>err
is "$? $(cat err) $(count_logs)" '0  1' 'forked'
check 'counters of forked children' decode "$(latest_log)" --strict --want "$work/forked.want"
is "$(python3 "$DSN_SRC/test/decode/processes.py" "$(latest_log)" | awk -F'\t' '$1 == 10 { print ($5 - $4 >= 1 && $5 - $4 < 5) }')" \
    1 'it has run since it was forked'

# -- time zero is when the program that counts begins, not that which has only executed it
fresh_logs
check 'compiles what executes later' compile nonmpi ./later later.c
execute nonmpi 0 ./later "$PWD/processes" "$PWD/data" >out 2>err
is "$? $(cat err)" '0 ' 'executed later'
check 'times are within the run' decode "$(latest_log)" --strict --want "$work/processes.want"
finish
