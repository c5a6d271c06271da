# t9040-storms.sh - handlers, cancellation, children, allocators and libraries that do I/O at critical moments
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"
. "$DSN_SRC/test/e2e/known.sh"

check 'compiles' compile nonmpi ./storms storms.c
check 'compiles an allocator' cc -shared -fPIC -fno-builtin -o malloc.so "$work/hooked-malloc.c"
check 'compiles a library' cc -shared -fPIC -o early.so "$work/early-late.c"

# sum COUNTER NAME: over all logs
sum() {
    for log in $(find "$DARSHAN_LOGPATH" -name '*.darshan'); do
        decode "$log" --strict --text
    done | awk -F '\t' -v c="$1" -v n="$2" '$4 == c && index($6, n) { s += $5 } END { print s + 0 }'
}
missed() {
    decode "$(latest_log)" | sed -n 's/.*"RANK_MISSED": \([0-9]*\).*/\1/p' | head -n 1
}
between() {
    check "$3: $1" test "$1" -ge "$2" -a "$1" -le "$4"
}

# under WHAT: with the tool, in an empty directory; its exit status must be 0
under() {
    rm -rf data
    mkdir data
    : >data/handler.dat # two that create it at once are seen failing, bare
    fresh_logs
    execute nonmpi 0 ./storms "$PWD/data" "$1" >out 2>err
    is "$? $(cat err)" '0 ' "$1: exit status, and nothing on stderr"
}

under handlers
is "$(count_logs)" 1 'handlers: one log'
for name in one two main; do # what is not the handlers' is never missed
    is "$(sum POSIX_WRITES "data/$name.dat") $(sum STDIO_READS "data/$name.dat")" '20000 200' "handlers: $name"
done
is "$(sum POSIX_FILENOS data/)" 0 'handlers: no record is mixed up'
got=$(sum POSIX_WRITES data/handler.dat)
between "$got" $(($(cat out) - $(missed))) "handlers: writes in handlers, of $(cat out)" "$(cat out)"

for type in asynchronous deferred; do
    under $type
    is "$(sum POSIX_BYTES_WRITTEN data/after.dat)" 80 "$type: bytes written after all that"
    is "$(sum POSIX_MAX_BYTE_WRITTEN data/cancelled.dat)" 1048583 "$type: the cancelled threads' file is still counted"
done

under forks
is "$(sum POSIX_WRITES data/busy.dat)" 20000 'forks: of the thread that went on writing'
got=$(sum POSIX_WRITES data/child)
check "forks: writes of children, at least of the nine that ended by exit: $got" test "$got" -ge 27

under vforks
is "$(sum POSIX_WRITES data/a.dat) $(sum POSIX_WRITES data/b.dat)" '600 300' 'vforks: writes of the parent'
under spawns
is "$(sum POSIX_WRITES data/a.dat) $(sum POSIX_WRITES data/b.dat)" '55 50' 'spawns: writes of the parent, and what children echo to the first file'

# -- stacks: what a handler needs beyond the bare calls. Usual are 0 and 400 bytes (`make bench-start` prints them); the
# first calls are the dynamic linker's, which differ from processor to processor. A path on the stack would be 4,096.
under stacks
read -r first later <out
mkdir bare
./storms "$PWD/bare" stacks >bare.out
read -r bare_first bare_later <bare.out
check "stacks: first call ($bare_first bytes bare, $first)" test $((first - bare_first)) -le 4000
check "stacks: later calls ($bare_later bytes bare, $later)" test $((later - bare_later)) -le 2048

# -- an allocator that does I/O, before and behind the tool
for order in "$PWD/malloc.so:$preload" "$preload:$PWD/malloc.so"; do
    for program in "./storms $PWD/data handlers" "sort -n $work/work.h" "$PYTHON3 -c 'print(1)'"; do
        name="allocator, $(echo "$order" | sed 's,[^:]*/,,g'), ${program%% *}"
        rm -rf data
        mkdir data
        : >data/handler.dat
        fresh_logs
        timeout 200 env DARSHAN_ENABLE_NONMPI=1 "LD_PRELOAD=$order" sh -c "exec $program" >out 2>err
        is "$? $(cat err)" '0 ' "$name: exit status"
        check "$name: a log" test "$(count_logs)" -ge 1
    done
done

# -- constructors before ours, destructors behind it, and a library that comes and goes
for order in "$PWD/early.so:$preload" "$preload:$PWD/early.so"; do
    name="library, $(echo "$order" | sed 's,[^:]*/,,g')"
    rm -f early-late.dat
    fresh_logs
    timeout 200 env DARSHAN_ENABLE_NONMPI=1 "LD_PRELOAD=$order" /bin/true >out 2>err
    is "$? $(cat err)" '0 ' "$name: exit status"
    is "$(cat early-late.dat)" exl "$name: what it did"
    is "$(count_logs)" 1 "$name: one log"
    check "$name: what it did when the program had ended" test "$(sum POSIX_WRITES early-late.dat)" -ge 2
done
fresh_logs
rm -f early-late.dat
check 'library that comes and goes' execute nonmpi 0 "$PYTHON3" -c "
import ctypes, _ctypes
for i in range(50):
    _ctypes.dlclose(ctypes.CDLL('$PWD/early.so')._handle)"
is "$(wc -c <early-late.dat | tr -d ' ')" 150 'library that comes and goes: what it did'
is "$(sum POSIX_WRITES early-late.dat)" 150 'library that comes and goes: writes'
finish
