# t9290-live.sh - logs of running jobs: a consistent snapshot, without any effect on the job
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"
. "$DSN_SRC/test/e2e/known.sh"

recover=$DSN_PREFIX/bin/darshan-recover
survival=$DARSHAN_MMAP_LOGPATH/darshan-$(id -u)
: "${SNAPSHOTS:=15}" # of each kind of program; `make snapshots` takes more
long=$((SNAPSHOTS * 3 > 600 ? SNAPSHOTS * 3 : 600)) # seconds that a program runs at most
of_ranks=$((SNAPSHOTS / 2 < 200 ? SNAPSHOTS / 2 + 1 : 200))
ranks_run=$((of_ranks * 3 / 2 < 190 ? of_ranks * 3 / 2 : 190))

check 'compiles' compile nonmpi ./ledger ledger.c

# value LOG COUNTER FILE
value() {
    "$DSN_PREFIX/bin/darshan-parser" --show-incomplete "$1" | awk -v want="$2" -v name="/$3\$" '$4 == want && $6 ~ name { print int($5) }'
}

# begin PROCESSES: a program in `data`, of which `pid` is the first process
begin() {
    rm -rf data && mkdir data
    env DARSHAN_ENABLE_NONMPI=1 DARSHAN_LOGFILE="$PWD/final.darshan" "LD_PRELOAD=$preload" ./ledger "$PWD/data" $long "$1" &
    pid=$!
    wait_until test -s data/ledger
    wait_until test -s "data/data.$(($1 - 1))"
}

# ---- one process, and many
for n in 1 8; do
    begin $n
    is "$(python3 "$work/ledger.py" "$DSN_PREFIX/bin" "$PWD/data" $pid $SNAPSHOTS $n)" exact "$n processes: $SNAPSHOTS snapshots"
    check "$n processes: a snapshot keeps the rules" decode data/snapshot.darshan --strict
    is "$("$DSN_PREFIX/bin/darshan-parser" data/snapshot.darshan | sed -n 's/^# metadata: running = //p')" $n "$n processes: so many run"
    ls "$survival" >before
    is "$(grep -c survival before)" $n "$n processes: so many survival files"
    "$recover" --live $pid -o data >path
    check "$n processes: into a directory" test -s "$(cat path)"
    ls "$survival" >after
    check "$n processes: nothing is removed" cmp before after
    pkill -9 -P $pid
    kill -9 $pid
    wait $pid 2>/dev/null
    wait_until_ended
    "$recover" --live $pid -o data/none.darshan 2>error
    is "$?" 1 "$n processes: of one that was killed there is no such log"
    is "$(wc -l <error)" 1 'one line says so'
    check 'no log is left' test ! -e data/none.darshan
    "$recover" -q -o data >path
    log=$(cat path)
    [ "$(value "$log" POSIX_WRITES data.0)" -ge "$(value data/snapshot.darshan POSIX_WRITES data.0)" ]
    is $? 0 "$n processes: what was counted later is recovered"
done

# ---- the log of a job that was looked at is what it would have been
rm -rf data && mkdir data
env DARSHAN_ENABLE_NONMPI=1 DARSHAN_LOGFILE="$PWD/final.darshan" "LD_PRELOAD=$preload" ./ledger "$PWD/data" 2 1 &
pid=$!
wait_until test -s data/data.0
"$recover" --mine >made 2>said
is "$? $(cat made)$(cat said)" '0 darshan-recover: left alone job '"$pid"', for processes of it are still running or ending; try again later' \
    'recovering while it runs: that it is left alone is said'
env DARSHAN_ENABLE_NONMPI=1 DARSHAN_LOGFILE="$PWD/second.darshan" "LD_PRELOAD=$preload" sleep 20 &
second=$!
wait_until sh -c '"$1" --dry-run | grep -q "^job $2:"' sh "$recover" $second
"$recover" --mine >made 2>said
case $(cat said) in
"darshan-recover: left alone job $pid and 1 more, "* | "darshan-recover: left alone job $second and 1 more, "*) ok 'and of two' ;;
*) not_ok 'and of two' "$(cat said)" ;;
esac
kill $second
wait $second
for i in 1 2 3 4 5; do "$recover" --live $pid -o data/snapshot.darshan >/dev/null; done
wait $pid
is "$(value final.darshan POSIX_WRITES data.0)" "$(od -An -t d8 -N 8 data/ledger | tr -d ' ')" 'its own log has all calls'
is "$("$DSN_PREFIX/bin/darshan-parser" final.darshan | grep -c '^# metadata: running')" 0 'and does not say that it runs'

# ---- by its number, its name replaced, usage
begin 1
is "$("$recover" --live --job="$pid" -o data/by-job.darshan)" "$PWD/data/by-job.darshan" 'by the number of the job'
"$recover" --live $pid 2>error
is "$? $(cat error)" "2 darshan-recover: --live needs --output: a file, or a directory, for the log; see 'darshan-recover --help'" 'without a place for the log'
"$recover" --live -o data/x 2>error
is "$?" 2 'without a process'
"$recover" $pid 2>error
is "$?" 2 'a process without --live'
"$recover" --live 1 -o data/x 2>error
is "$? $(cat error)" "1 darshan-recover: no such job is running and recorded in $DARSHAN_MMAP_LOGPATH" 'a process that is not recorded'
"$recover" --live $pid -o nowhere/x 2>error
is "$? $(cat error)" '1 darshan-recover: nowhere/x: No such file or directory' 'a directory that is not there'
kill -9 $pid
wait $pid 2>/dev/null
"$recover" -q -o data >/dev/null

# ---- processes that come and go meanwhile: a log of what there is, or one line
check 'compiles' compile nonmpi ./schedule schedule.c

# busy_begins, busy_ends: a job whose processes fork, execute and end without a pause
busy_begins() {
    rm -f busy
    env DARSHAN_ENABLE_NONMPI=1 DARSHAN_LOGFILE="$PWD/busy.darshan" "LD_PRELOAD=$preload" sh -c 'while :; do
        ./schedule "$0" w 10 1000 0.05 e w 10 1000 0.05 f w 10 1000 0.05
        cat "$0" >/dev/null
    done' "$PWD/busy" &
    pid=$!
    wait_until test -s busy
}

busy_ends() {
    kill $pid
    wait $pid 2>/dev/null
    wait_until sh -c "! pgrep -f '^./schedule $PWD/busy' >/dev/null"
    "$recover" -q -o . >/dev/null
    rm -f busy.darshan
}

made=0 refused=0 bad=0
busy_begins
for i in $(seq $((2 * SNAPSHOTS))); do
    # A new job now and then: one that never ends has more processes in each snapshot than in the last.
    [ $((i % 30)) != 0 ] || { busy_ends; busy_begins; }
    rm -f snapshot.darshan
    if "$recover" --live $pid -o snapshot.darshan >path 2>error; then
        made=$((made + 1))
        decode snapshot.darshan --strict >>wrong 2>&1 || bad=$((bad + 1))
        [ ! -s error ] || bad=$((bad + 1))
    else
        refused=$((refused + 1))
        [ "$(wc -l <error)" = 1 ] && [ ! -e snapshot.darshan ] || { bad=$((bad + 1)); cat error >>wrong; }
    fi
done
is "$bad $((made + refused)) $((made > SNAPSHOTS))" "0 $((2 * SNAPSHOTS)) 1" 'while processes fork, execute and end: a log, or one line'
[ "$bad" = 0 ] || sed 's/^/# /' wrong | head -20
busy_ends

# ---- ranks of MPI
ranks() {
    rm -rf data && mkdir data
    check "compiles, $MPI" compile preload ./ledger ledger.c -DMPI
    fresh_logs
    execute preload 4 ./ledger "$PWD/data" $ranks_run &
    launcher=$!
    wait_until test -s data/data.3
    pid=$(pgrep -f "^./ledger $PWD/data $ranks_run" | head -1)
    is "$(python3 "$work/ledger.py" "$DSN_PREFIX/bin" "$PWD/data" "$pid" $of_ranks 4)" exact "$MPI: $of_ranks snapshots of 4 ranks"
    is "$("$DSN_PREFIX/bin/darshan-parser" data/snapshot.darshan | sed -n 's/^# nprocs: //p')" 4 "$MPI: they are its ranks"
    wait $launcher
    is $? 0 "$MPI: ends as ever"
    is "$(value "$(latest_log)" POSIX_WRITES data.3)" "$(od -An -t d8 -j 72 -N 8 data/ledger | tr -d ' ')" "$MPI: its own log has all calls"
}
each_mpi ranks
finish
