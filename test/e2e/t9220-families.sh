# t9220-families.sh - a program and all its descendants have one log
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"
. "$DSN_SRC/test/e2e/known.sh"

survival=darshan-$(id -u)

# nothing_left: no file of a process tree is there any more
nothing_left() {
    [ -z "$(ls "$survival" 2>/dev/null)" ] || { ls "$survival"; return 1; }
}

# logs TEXT NUMBER: so many, and nothing else
logs() {
    is "$(count_logs)" "$2" "$1: $2 logs"
    check "$1: nothing is left behind" nothing_left
}

# says LOG LINE...: the log keeps all rules, and these lines are fulfilled
says() {
    says_log=$1
    shift
    printf '%s\n' "$@" >says.want
    decode "$says_log" --strict --want says.want
}

# tool COMMAND...: without MPI
tool() {
    env DARSHAN_ENABLE_NONMPI=1 "LD_PRELOAD=$preload" "$@"
}

# wait_for_nobody: until what Python has left running beside (its trackers and servers) has seen that all is over
wait_for_nobody() {
    wait_until eval 'nothing_left >/dev/null'
}

# logs_with TEXT: the logs that have a file of such a name
logs_with() {
    for with_log in $(find "$DARSHAN_LOGPATH" -name '*.darshan'); do
        decode "$with_log" --text >with.text
        grep -q "/$1" with.text && echo "$with_log"
    done
}

anew() {
    rm -rf data
    mkdir data
    fresh_logs
}

# -- ways to make a process
check 'compiles' cc -g -Wall -o family "$work/family.c"

# way NAME PROCESSES [LINE]...
way() {
    way_name=$1 way_n=$2
    shift 2
    anew
    check "$way_name: runs" status 0 tool ./family "$PWD/data" "$way_name"
    check "$way_name: nothing on stderr" test ! -s err
    logs "$way_name" 1
    check "$way_name: counters" says "$(latest_log)" "job nprocs $way_n" 'POSIX 0 */root POSIX_BYTES_WRITTEN 2' \
        'sum POSIX */two POSIX_BYTES_WRITTEN 2' 'sum POSIX */two POSIX_OPENS 1' 'records POSIX 1 */two' 'partial none' "$@"
}

way fork 2 'POSIX 1 */two POSIX_OPENS 1'
way two-forks 3 'POSIX 1 */three POSIX_BYTES_WRITTEN 3' 'POSIX 2 */two POSIX_OPENS 1'
way fork-exec 2 'POSIX 1 */three POSIX_BYTES_WRITTEN 3' 'POSIX 1 */two POSIX_OPENS 1'
way vfork 2 'POSIX 1 */two POSIX_OPENS 1'
way spawn 2 'POSIX 1 */two POSIX_OPENS 1'
way system 2
way popen 2
way bare 2 'POSIX 1 */two POSIX_OPENS 1'

# A daemon goes on when the log of its ancestors is there, and has one of its own.
anew
check 'daemon: runs' status 0 tool ./family "$PWD/data" daemon
is "$(count_logs)" 1 'daemon: its ancestors have a log while it runs'
check 'daemon: of what they have done' says "$(latest_log)" 'POSIX 0 */root POSIX_BYTES_WRITTEN 2' 'absent POSIX */two'
: >data/go
wait_until eval '[ "$(count_logs)" != 1 ]'
logs 'daemon' 2
check 'daemon: its own log' says "$(logs_with two)" 'POSIX * */two POSIX_BYTES_WRITTEN 2' 'absent POSIX */root'

# One in between that does nothing but fork has none.
anew
check 'orphans: runs' status 0 tool ./family "$PWD/data" orphans
wait_until eval '[ -n "$(logs_with two)" ]'
wait_for_nobody
logs 'orphans' 2
check 'orphans: the last one has its log' says "$(logs_with two)" 'POSIX * */two POSIX_BYTES_WRITTEN 2' 'absent POSIX */root'

# Children that end together with the root are in its log or have one of their own; never both, never none.
anew
for i in $(seq "${RACES:-20}"); do
    tool ./family "$PWD/data" race
done
wait_for_nobody
for log in $(find "$DARSHAN_LOGPATH" -name '*.darshan'); do
    decode "$log" --text
done | awk '/POSIX_BYTES_WRITTEN.*\/two/ { two += $5 } /POSIX_BYTES_WRITTEN.*\/root/ { root += $5 } END { print two, root }' >sums
is "$(cat sums)" "$((${RACES:-20} * 8)) $((${RACES:-20} * 2))" 'children that end together with the root: each counted once'
check 'children that end together with the root: nothing is left behind' nothing_left

# -- programs of every day
anew
printf 'some text\n' >data/small
check 'a loop of a shell: runs' status 0 tool sh -c 'i=0; while [ $i -lt 300 ]; do cat "$0" >/dev/null; i=$((i + 1)); done' \
    "$PWD/data/small"
logs 'a loop of a shell' 1
check 'a loop of a shell: counters' says "$(latest_log)" 'job nprocs 301' 'sum POSIX */small POSIX_BYTES_READ 3000' \
    'sum POSIX */small POSIX_OPENS 300'

anew
export DARSHAN_LOG_PER_PROCESS=1
check 'DARSHAN_LOG_PER_PROCESS: runs' status 0 tool ./family "$PWD/data" fork-exec
unset DARSHAN_LOG_PER_PROCESS
logs 'DARSHAN_LOG_PER_PROCESS (the root, its child, and the program that the child executes)' 3
for log in $(find "$DARSHAN_LOGPATH" -name '*.darshan'); do
    check 'DARSHAN_LOG_PER_PROCESS: one process in each' says "$log" 'job nprocs 1' 'records POSIX 1 */data/*'
done
anew
check 'DARSHAN_LOG_PER_PROCESS: a child that counts nothing before its exec' status 0 env DARSHAN_LOG_PER_PROCESS=1 DARSHAN_ENABLE_NONMPI=1 \
    "LD_PRELOAD=$preload" bash -c '/bin/true; /bin/true; :'
check 'DARSHAN_LOG_PER_PROCESS: leaves nothing' nothing_left

# -- Python
python=/usr/bin/python3
if "$python" -c 'import numpy' 2>/dev/null; then
    for method in fork spawn forkserver; do
        anew
        "$python" -c 'import numpy, sys
for i in range(40): numpy.save("%s/sample.%d.npy" % (sys.argv[1], i), numpy.full(1000, i / 2))' "$PWD/data"
        check "Python's multiprocessing, $method: runs" status 0 tool "$python" "$work/loader.py" "$PWD/data" $method 8 40
        is "$(cat out)" 390000.0 "Python's multiprocessing, $method: result"
        wait_for_nobody
        check "Python's multiprocessing, $method: nothing is left behind" nothing_left
        is "$(logs_with sample | wc -l)" 1 "Python's multiprocessing, $method: one log has all samples"
        # the first bytes by Python's open(), the array by fread() of a copy of the descriptor
        check "Python's multiprocessing, $method: all reads" says "$(logs_with sample)" 'job nprocs >=9' \
            'records POSIX 40 */sample.*' 'POSIX * */sample.* POSIX_READS 1' 'records STDIO 40 */sample.*' \
            'STDIO * */sample.* STDIO_BYTES_READ 8000'
    done
    anew
    check "Python's subprocess: runs" status 0 tool "$python" -c 'import subprocess, sys
subprocess.run([sys.argv[1], sys.argv[2], "child", "two", "2"], check=True)
subprocess.Popen([sys.argv[1], sys.argv[2], "child", "three", "3"], start_new_session=True).wait()' "$PWD/family" "$PWD/data"
    logs "Python's subprocess" 1
    check "Python's subprocess: counters" says "$(latest_log)" 'job nprocs 3' 'POSIX 1 */two POSIX_BYTES_WRITTEN 2' \
        'POSIX 2 */three POSIX_BYTES_WRITTEN 3'
else
    skip "Python's multiprocessing" 'package python3-numpy'
fi

# -- what is left to a process that is no host, for the host has ended, goes on with it, however its child was made
check 'compiles generations' cc -g -Wall -o generations "$work/generations.c"
anew
tool ./generations data/first -1500 data/second 0 data/third 0 data/fourth 5000
wait_until eval '[ "$(count_logs)" -ge 2 ]'
logs 'generations' 2
for log in $(find "$DARSHAN_LOGPATH" -name '*.darshan'); do
    "$DSN_PREFIX/bin/darshan-parser" "$log" | awk '$1 == "POSIX" && $6 ~ "/second$"' | grep -q . && second=$log
done
check 'generations: what the last one did is in the log of the one that goes on' says "$second" 'POSIX * */second POSIX_BYTES_WRITTEN 1' \
    'POSIX * */third POSIX_BYTES_WRITTEN 1' 'POSIX * */fourth POSIX_BYTES_WRITTEN 1'

# -- executions that fail, and go on; names that came with each are names no more
check 'compiles failed executions' cc -g -Wall -o failed-execs "$work/failed-execs.c" -lpthread
anew
timeout 600 env DARSHAN_ENABLE_NONMPI=1 "LD_PRELOAD=$preload" ./failed-execs data 600
is $? 0 'failed executions: runs'
logs 'failed executions' 1
is "$("$DSN_PREFIX/bin/darshan-parser" "$(latest_log)" |
    awk '$4 == "POSIX_OPENS" && $6 ~ "/file[.]" { n++; sum += $5 } END { print n, sum }')" '600 600' \
    'failed executions: every file'
is "$("$DSN_PREFIX/bin/darshan-parser" "$(latest_log)" |
    awk '$4 == "STDIO_BYTES_WRITTEN" && $6 ~ "/stream[.]" { n++; sum += $5 } END { print n, sum }')" '600 2400' \
    'failed executions: every stream'

# -- and another thread works meanwhile: it is counted to the call, and so it is when the process is executed in the end
threaded() {
    threaded_text=$1
    shift
    anew
    timeout 100 env DARSHAN_ENABLE_NONMPI=1 "LD_PRELOAD=$preload" "$@"
    is $? 0 "$threaded_text: runs"
    logs "$threaded_text" 1
    is "$("$DSN_PREFIX/bin/darshan-parser" "$(latest_log)" | awk '
        $4 == "POSIX_WRITES" && $6 ~ "/many$" { writes += $5 }
        $4 == "POSIX_OPENS" && $6 ~ "/opened[.]" { opens += $5 }
        END { print writes, opens }')" "$(cat data/count)" "$threaded_text: writes and opens"
}
threaded 'failed executions, a thread' ./failed-execs data 500 /bin/true
threaded 'failed executions, a thread of a child' sh -c './failed-execs data 500 /bin/true; true'

# -- ranks of launchers that are not MPI
launched() {
    launched_rank=$1 launched_size=$2
    anew
    for rank in 0 1; do
        env "$launched_rank=$rank" "$launched_size=2" DARSHAN_ENABLE_NONMPI=1 "LD_PRELOAD=$preload" sh -c \
            './family "$0" child own.$1 3; ./family "$0" child all $2' "$PWD/data" $rank $((rank + 4))
    done
    logs "$launched_rank" 2
    check "$launched_rank: merges" "$DSN_PREFIX/bin/darshan-merge" --shared-redux --output merged.darshan \
        $(find "$DARSHAN_LOGPATH" -name '*.darshan')
    printf '%s\n' 'job nprocs 2' 'POSIX 0 */own.0 POSIX_BYTES_WRITTEN 3' 'POSIX 1 */own.1 POSIX_BYTES_WRITTEN 3' \
        'POSIX -1 */all POSIX_BYTES_WRITTEN 9' 'records POSIX 1 */all' >merged.want
    check "$launched_rank: counters" decode merged.darshan --want merged.want
    decode merged.darshan | "$PYTHON3" -c 'import json, sys
for rank in json.load(sys.stdin)["extension"].get("ranks", []):
    print(rank["rank"], rank["RANK_FILES"], rank["RANK_BYTES_WRITTEN"])' >ranks
    is "$(cat ranks)" "0 2 7
1 2 8" "$launched_rank: totals of each rank"
    rm -f merged.darshan
}
launched RANK WORLD_SIZE
launched SLURM_PROCID SLURM_STEP_NUM_TASKS

anew
check 'a program of a batch script: runs' env SLURM_PROCID=0 SLURM_NTASKS=4 SLURM_JOB_ID=4711 DARSHAN_ENABLE_NONMPI=1 \
    "LD_PRELOAD=$preload" ./family "$PWD/data" child own 3
is "$(decode "$(latest_log)" | "$PYTHON3" -c 'import json, sys
print(json.load(sys.stdin)["job"]["nprocs"])')" 1 'a program of a batch script: is no task of four'

# as many as nobody has started: only those of which something is known are in the table
anew
check 'two million ranks: runs' env RANK=1 WORLD_SIZE=2000000 DARSHAN_ENABLE_NONMPI=1 "LD_PRELOAD=$preload" \
    ./family "$PWD/data" child own 3
check 'two million ranks: counters' decode "$(latest_log)" --want /dev/stdin <<'END'
POSIX 1 */own POSIX_BYTES_WRITTEN 3
END
[ "$(wc -c <"$(latest_log)")" -lt 100000 ]
is $? 0 "two million ranks: a log of $(wc -c <"$(latest_log)") bytes"

# -- exit records that cannot be read, for there is no memory for so large a file: they stay until they can be
anew
tool sh -c 'sh -c "echo 1234 >\"\$0/ended\"" "$0"; sh -c "echo 1 >\"\$0/killed\"; kill -9 \$\$" "$0"; truncate -s 1G "$1"/*-$$.exit_records; ulimit -v 500000; echo 12 >"$0/own"' \
    "$PWD/data" "$PWD/$survival" >out 2>err
check 'unread exit records: the others are in the log' says "$(latest_log)" 'sum POSIX */own POSIX_BYTES_WRITTEN 3' \
    'sum POSIX */killed POSIX_BYTES_WRITTEN 2'
is "$("$DSN_PREFIX/bin/darshan-job-summary" "$(latest_log)" | grep -c '^Missed')" 1 'unread exit records: the log says that something is missing'
is "$(ls "$survival" | sed 's/.*\.//')" exit_records 'unread exit records: they are there'
truncate -s 1M "$survival"/*.exit_records
anew_log=$("$DSN_PREFIX/bin/darshan-recover" --mine)
check 'unread exit records: they are recovered when they can be read' says "$anew_log" 'sum POSIX */ended POSIX_BYTES_WRITTEN 5'
check 'unread exit records: nothing is left behind' nothing_left

# -- children of ranks
with_mpi() {
    check "$MPI: compiles" build plain "./$MPI" "$work/family.c" -DWITH_MPI
    check "$MPI: compiles what it executes" cp family "$MPI.child"
    for way in fork two-forks; do
        anew
        run preload 2 "./$MPI" "$PWD/data" $way >out 2>err
        is $? 0 "$MPI, $way: runs"
        logs "$MPI, $way" 1
        check "$MPI, $way: counted with the ranks" says "$(latest_log)" 'job nprocs 2' \
            'sum POSIX */two POSIX_BYTES_WRITTEN 4' 'sum POSIX */root POSIX_BYTES_WRITTEN 4' 'POSIX -1 */two POSIX_OPENS 2'
    done
    for way in fork-exec vfork spawn; do
        anew
        KILLED=./family run preload 2 "./$MPI" "$PWD/data" $way >out 2>err
        is $? 0 "$MPI, $way, and the child is killed: runs"
        logs "$MPI, $way, and the child is killed" 1
        check "$MPI, $way, and the child is killed: counted with the ranks" says "$(latest_log)" 'job nprocs 2' \
            'sum POSIX */two POSIX_BYTES_WRITTEN 4' 'sum POSIX */root POSIX_BYTES_WRITTEN 4'
    done
}
each_mpi with_mpi
finish
