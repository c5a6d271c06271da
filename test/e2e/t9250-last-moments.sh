# t9250-last-moments.sh - exits on tiny stacks, without descriptors, memory or privileges, of many threads, after the
# first one
# SPDX-License-Identifier: BSD-3-Clause
# long: it waits for many programs, one after the other
. "$DSN_SRC/test/lib/lib.sh"
. "$DSN_SRC/test/e2e/known.sh"

# where another user can come to
open=$(mktemp -d) && cd "$open" && chmod 1777 . || exit 1
trap 'cd / && rm -rf "$open"' EXIT
DSN_SCRATCH=$open DARSHAN_MMAP_LOGPATH=$open
export DARSHAN_MMAP_LOGPATH

check 'compiles' cc -g -Wall -pthread -o last-moments "$work/last-moments.c"

# all_is_counted: as many bytes were written to the files as all logs together say
all_is_counted() {
    for log in $(find "$DARSHAN_LOGPATH" -name '*.darshan'); do
        decode "$log" --text || return 1
    done | awk '/\tPOSIX_BYTES_WRITTEN\t.*\/data\// { n += $5 } END { print n + 0 }' >counted
    cat data/* | wc -c | tr -d ' ' >written
    cmp -s counted written || { echo "counted $(cat counted) of $(cat written)"; return 1; }
}

# nothing_left: in the end, for processes that have outlived the first one
nothing_left() {
    wait_until eval '[ -z "$(find darshan-* -type f)" ]' && return
    find darshan-* -type f
    return 1
}

# ends WAY STATUS LOGS RANKS [recover | outlives]: ranks of all logs, ascending. With "recover" darshan-recover makes what
# is missing; with "outlives" processes go on when the first one has ended.
ends() {
    rm -rf data darshan-*
    mkdir data
    fresh_logs
    find "$DARSHAN_LOGPATH" -type d -exec chmod 1777 {} +
    (ulimit -c 0; exec timeout 200 env DARSHAN_ENABLE_NONMPI=1 "LD_PRELOAD=$preload${behind:+:$behind}" ./last-moments "$PWD/data" "$1") \
        >out 2>err
    is $? "$2" "$1: exit status"
    [ "${5:-}" != outlives ] || sleep 0.8
    [ "${5:-}" != recover ] || { wait_until_ended; check "$1: darshan-recover" "$DSN_PREFIX/bin/darshan-recover" --all; }
    check "$1: nothing is left behind" nothing_left
    is "$(count_logs)" "$3" "$1: logs"
    for log in $(find "$DARSHAN_LOGPATH" -name '*.darshan'); do
        decode "$log" --text | sed -n 's/^# nprocs: //p'
    done | sort -n | tr '\n' ' ' >ranks
    is "$(cat ranks)" "$4 " "$1: ranks"
    check "$1: all is counted" all_is_counted
}

# -- stacks that are just large enough for what the program does itself
ends overflows 41 1 1
ends handler-forks 42 1 3
ends handler-executes 0 1 1
ends small-exit 43 1 1
ends small-_exit 44 1 1
ends small-fork 0 1 3

# -- a sanitizer says nothing of stacks that are not its program's
if cc -g -pthread -fsanitize=address -static-libasan -o sanitized "$work/last-moments.c" 2>/dev/null; then
    cp last-moments plain
    cp sanitized last-moments
    ASAN_OPTIONS=detect_leaks=0 && export ASAN_OPTIONS
    ends thread-exit 43 1 1
    check 'under the address sanitizer: nothing is said' test ! -s err
    mv plain last-moments
else
    skip 'under the address sanitizer' 'libasan.a of the compiler'
fi

# -- what a log needs is not there: the survival file stays as it is
ends no-descriptors 0 1 1 recover
ends no-memory 0 1 1 recover
ends child-without-memory 0 1 1 recover
ends one-descriptor 0 1 2 recover
if [ "$(id -u)" = 0 ] && setpriv --reuid 65534 --regid 65534 --clear-groups test -w "$PWD" 2>/dev/null; then
    ends another-root 0 1 1 recover
    ends another-user 0 1 1 recover
    ends child-another-user 0 1 2
    ends child-another-user-executes 0 2 '1 2' recover
    ends daemon-fails 0 2 '1 1' recover
else
    skip 'another root directory, another user' 'rights of root'
fi

# -- the process gives up its rights to calls, or its clock
ends strict 12 1 1
if [ "$(uname -m)" = x86_64 ]; then
    ends no-clock 0 1 1
else
    skip 'no-clock' 'processor: x86_64'
fi

# -- ways to make processes, and to end them
ends daemon 0 2 '1 1' outlives
ends clone 0 1 2
ends clone-as-vfork 0 1 1
for i in 1 2 3 4 5; do
    ends many-exit 10 1 1
    ends one-exits 10 1 1
done
ends cancelled-exits 15 1 1
check 'compiles a library that makes logs slow' cc -shared -fPIC -o slow.so "$work/slow-log.c" -ldl
behind=$PWD/slow.so SLOW_LOG=4 && export SLOW_LOG
ends forks-at-the-end 10 2 '1 1'
behind='' && unset SLOW_LOG

# -- process trees whose first process has ended, or whose environment is gone
ends outlives 0 2 '1 5' outlives
ends outlive-together 0 2 '1 4' outlives
ends outlives-idly 0 1 1 outlives
ends executes-without-environment 0 1 1
ends child-executes-without-environment 0 1 2
finish
