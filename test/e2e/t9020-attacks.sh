# t9020-attacks.sh - races, longjmp and exits at critical moments: the program is not harmed, and the log is correct
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"
. "$DSN_SRC/test/e2e/known.sh"

mkdir data
check 'compiles' compile nonmpi ./attacks attacks.c

# under NAME STATUS: the program under the tool, in a log directory of its own; its exit status must be as given
under() {
    fresh_logs
    execute nonmpi 0 ./attacks "$PWD/data" "$1" >out 2>err
    is $? "$2" "$1: exit status"
    is "$(count_logs)" 1 "$1: one log"
}

# sum COUNTER NAME: over the POSIX records whose name has NAME in it, and those of mount points
sum() {
    decode "$(latest_log)" --text | awk -F '\t' -v c="$1" -v n="$2" \
        '$1 == "POSIX" && $4 == c && (index($6, n) || $6 ~ "/<[^/]*>$") { s += $5 } END { print s + 0 }'
}

missed() {
    decode "$(latest_log)" | sed -n 's/.*"RANK_MISSED": \([0-9]*\).*/\1/p' | head -n 1
}

if ./attacks "$PWD/data" held; then
    under held 0
    is "$(sum POSIX_BYTES_WRITTEN data/held)" 3000000 'held: bytes of 3,000 files held open'
    is "$(sum POSIX_WRITES data/held)" 30000 'held: writes'
    is "$(sum POSIX_OPENS data/held)" 3000 'held: opens'
else
    skip 'held' 'limit of 4,000 open files'
fi

for what in dup seek; do
    under $what 0
    is "$(missed)" 0 "$what: no call went uncounted"
    for i in 0 6 19; do
        is "$(sum POSIX_WRITES "data/after$i")" $((i + 1)) "$what: writes of a later file, $i"
    done
done

under cancel 0
under jump 0
is "$(sum POSIX_MAX_BYTE_WRITTEN data/jump0)" 1048583 'jump: what came after the last jump'

for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
    fresh_logs
    execute nonmpi 0 ./attacks "$PWD/data" leave$i >out 2>err
    echo "$? $(count_logs)"
done >statuses
is "$(sort -u statuses)" '5 1' 'exit in a signal handler inside malloc, 20 times: exit status and one log'

for i in 1 2 3 4 5; do
    fresh_logs
    execute nonmpi 0 ./attacks "$PWD/data" closed >out 2>err
    decode "$(latest_log)" --strict >/dev/null 2>&1
    echo $?
done >statuses
is "$(sort -u statuses)" 0 'standard output closed and written to, 5 times: logs are intact'

under copied 0
is "$(sum POSIX_BYTES_WRITTEN data/copied0)" 4 'copied: bytes'
under range 0
is "$(sum POSIX_BYTES_WRITTEN data/range0)" 3 'range: traffic of what took the numbers over is not the file'"'"'s'

# Rank 0 is slower than the limit: no log, but the program ends as ever on all ranks.
with_mpi() {
    check "$MPI: compiles" compile preload ./attacks-mpi attacks.c
    fresh_logs
    DARSHAN_FINALIZE_TIMEOUT=1 SLOW_LOG=3
    export DARSHAN_FINALIZE_TIMEOUT SLOW_LOG
    real_preload=$preload
    run plain 3 timeout 200 env LD_PRELOAD="$real_preload:$PWD/slow-log.so" ./attacks-mpi "$PWD/data" none >out 2>err
    is $? 0 "$MPI, writing takes longer than the limit: exit status"
    is "$(grep -c '^darshan: no log' err)" 1 "$MPI, writing takes longer than the limit: one warning"
    is "$(find "$DARSHAN_LOGPATH" -type f)" '' "$MPI, writing takes longer than the limit: no remains"
    unset DARSHAN_FINALIZE_TIMEOUT SLOW_LOG
}
check 'slow-log.so' cc -shared -fPIC -o slow-log.so "$work/slow-log.c"
each_mpi with_mpi
finish
