# t6310-collect-circumstances.sh - DARSHAN_TRACE: processes that are killed, fork, exec, sandbox themselves; full disks
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"

# mounts of our own, where we may make them
if [ -z "${PRIVATE-}" ] && unshare -m true 2>/dev/null; then
    PRIVATE=yes exec unshare -m sh "$0"
fi
trace=$DSN_PREFIX/bin/darshan-trace
check 'compiles' cc -g -Wall -pthread -o collected "$DSN_SRC/test/work/collected.c"
mkdir files
chmod 777 files
here=$PWD

# collect DIRECTORY COMMAND...: with the tool in it
collect() {
    collect_to=$1
    shift
    env DARSHAN_ENABLE_NONMPI=1 DARSHAN_TRACE="$collect_to" LD_PRELOAD="$DSN_PREFIX/lib/libdarshan.so" "$@"
}

# writes DIRECTORY: how many writes to files below `files` its files of calls have; the rest of what is told is in `told`
writes() {
    "$trace" export --to csv "$1"/*.calls 2>told >events.csv || { cat told; return; }
    grep -c "^[0-9.]*,[0-9.]*,write,.*\"$here/files/" events.csv
}

# total: writes that the counters of the latest log have
total() {
    "$DSN_PREFIX/bin/darshan-parser" --total "$(latest_log)" | sed -n 's/^total_POSIX_WRITES: //p'
}

# way NAME N WANT: the program's writes are all there, and its counters have as many
way() {
    rm -rf way
    mkdir way
    fresh_logs
    check "$1: the program notices nothing" status 0 collect "$here/way" ./collected "$here/files" "$1" "$2"
    is "$(writes way) $(cat told)" "$3 " "$1: all writes are there"
}
way fork 0 78
is "$(total)" 78 'fork: in the counters, too'
is "$(find way -name '*.calls' | wc -l)" 4 'fork: a file a process'
way vfork 0 60
way threads 50 20000
is "$(total)" 20000 'threads: in the counters, too'
check 'threads: chunks go from one to the next' [ "$(stat -c %s way/*.calls)" -lt 1000000 ]
way early 40 2000
check 'early: a thread takes the chunk of one that has ended' [ "$(stat -c %s way/*.calls)" -lt 5000000 ]
way first-ends 20000 60010
is "$(total)" 60010 'first-ends: in the counters, too'
way fork-in-threads 0 4560
way closefrom 100000 100010
way exec 0 30
is "$(grep -c ',write,.*/executed"' events.csv)" 33 'exec: so are those of what is executed'
way clone 0 20
way limit 100000 100010
rm -f executed

# -- what ends or interrupts a note
way_counted() {
    rm -rf way
    mkdir way
    fresh_logs
    check "$1: the program notices nothing" status 0 collect "$here/way" ./collected "$here/files" "$1" "$2"
    way_writes=$(writes way)
    is "$(cat told)" '' "$1: what there is can be read"
}
way_counted handler 300000
is "$way_writes" "$(total)" 'handler: the trace has what the counters have'
way_counted cancel 50
check "cancel: those of the threads are there ($way_writes of $(total))" [ "$way_writes" -ge "$(($(total) - 50))" -a "$way_writes" -gt 10 ]
way_counted jumps 500
check "jumps: at most one a jump is lost ($way_writes of $(total))" [ "$way_writes" -ge "$(($(total) - 500))" -a "$way_writes" -gt 1000 ]

rm -rf way
mkdir way
collect "$here/way" ./collected "$here/files" abort 77 >/dev/null 2>&1
is "$? $(writes way)" '134 77' 'abort: all is there'
rm -rf way
mkdir way
check 'daemon: the program notices nothing' status 0 collect "$here/way" ./collected "$here/files" daemon
wait_until eval '[ "$(writes way)" = 40 ]'
is "$(writes way)" 40 'daemon: what it does with all descriptors closed is there'
if [ "$(id -u)" = 0 ]; then
    way chroot 100000 100010
    way setuid 100000 100010
else
    skip 'chroot and setuid' 'the right to change root and user'
fi

# -- kill -9: what each thread has is a beginning of what it did, to the last call but one
for i in 1 2 3 4 5; do
    rm -rf killed
    mkdir killed
    collect "$here/killed" timeout -s KILL "0.$((i + 2))" ./collected "$here/files" until-killed 4 >/dev/null 2>&1
    "$trace" export --to csv killed/*.calls >events.csv 2>told
    grep ',write,' events.csv | awk -F, '
        { if ($8 + 0 != n[$12] % 1000) bad = bad " " $0; n[$12]++ }
        END { for (f in n) { files++; if (n[f] < 100) bad = bad " few in " f }; print files bad }' >got
    is "$(cat got told)" 4 "kill -9 after 0.$((i + 2)) s: each thread's calls are a beginning without a gap"
done

# -- who may read it, and what a process sees of it
rm -rf seen
mkdir seen
umask 0
collect "$here/seen" sh -c "echo x >$here/files/seen; ls -l /proc/self/fd" >listed
umask 022
is "$(stat -c %a seen/*.calls | sort -u)" 600 'files are for their owner alone'
check 'no process has one of them open' sh -c 'grep -q " -> .*/seen$\|listed$" listed && ! grep -q "\.calls" listed'

# -- places in which there can be nothing: the program does what it does
ln -s "$here/seen" link
: >plain
mkdir -m 777 others
for place in /nonexistent relative "$here/link" "$here/plain" /proc "$here/others"; do
    is "$(collect "$place" sh -c "echo hello >$here/files/said; cat $here/files/said" 2>&1)" hello "$place: the program notices nothing"
done
is "$(find others link plain | sort | tr '\n' ' ')" 'link others plain ' 'and nothing is made there'
chmod 1777 others
collect "$here/others" sh -c "echo hello >$here/files/said"
is "$(find others -name '*.calls' | wc -l)" 1 "a directory of all, in which files are their owners', will do"
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
    chmod 755 . seen
    rm -f files/said
    is "$(collect "$here/seen" setpriv --reuid 65534 --clear-groups sh -c "echo hello >$here/files/said; cat $here/files/said" 2>/dev/null)" hello 'a directory of another user: the program notices nothing'
fi

# -- limits
rm -rf limited
mkdir limited
is "$(ulimit -f 2048; collect "$here/limited" ./collected "$here/files" put 600000 2>&1; echo $?)" 0 'a limit of the size of files: no signal'
check 'and the file keeps to it' [ "$(stat -c %s limited/*.calls)" -le 1048576 ]
is "$(($(writes limited) + $(sed -n 's/.* lacks \([0-9]*\) operations.*/\1/p' told)))" 600000 'what is left out is counted to the last call'
rm -rf limited
mkdir limited
is "$(ulimit -v 100000; collect "$here/limited" ./collected "$here/files" put 1000 2>&1; echo $?)" 0 'little address space'
is "$(writes limited)" 1000 'has room for the file'
is "$(collect "$here/limited" env DARSHAN_TRACE_MAX=1 ./collected "$here/files" put 600000 2>&1; echo $?)" 0 'DARSHAN_TRACE_MAX'
writes limited >/dev/null
check 'leaves out what is beyond it' grep -q lacks told

# -- a file system that is full, or becomes so
mkdir small
if [ -n "${PRIVATE-}" ] && mount -t tmpfs -o size=2m none small 2>/dev/null; then
    is "$(collect "$here/small" ./collected "$here/files" put 600000 2>&1; echo $?)" 0 'a small file system: the program notices nothing'
    is "$(($(writes small) + $(sed -n 's/.* lacks \([0-9]*\) operations.*/\1/p' told)))" 600000 'what is left out is counted to the last call'
    check 'a part of it stays free' [ "$(stat -f -c %a small)" -gt 0 ]
    rm -f small/*.calls
    collect "$here/small" ./collected "$here/files" put 600000 >got 2>&1 &
    dd if=/dev/zero of=small/fill bs=4k >/dev/null 2>&1
    wait $!
    is "$? $(cat got)" '0 ' 'one that others fill up meanwhile: no signal'
    rm -f small/*
    dd if=/dev/zero of=small/fill bs=4k >/dev/null 2>&1
    is "$(collect "$here/small" ./collected "$here/files" put 1000 2>&1; echo $?)" 0 'one that is full'
    is "$(find small -name '*.calls')" '' 'has no file'
    umount small
else
    skip 'full file systems' 'right to mount'
fi

# -- a disk that is slow, as far as the program would notice: every page takes the kernel 50 ms
if command -v strace >/dev/null && strace -o probe.txt true 2>/dev/null; then
    rm -rf way
    mkdir way
    fresh_logs
    is "$(DARSHAN_ENABLE_NONMPI=1 DARSHAN_TRACE="$here/way" strace -qq -f --seccomp-bpf -o traced -e trace=madvise \
        -e inject=madvise:delay_enter=50000 -E LD_PRELOAD="$DSN_PREFIX/lib/libdarshan.so" ./collected "$here/files" put 3000000 2>&1; echo $?)" 0 'a slow disk'
    slow_writes=$(writes way)
    is "$((slow_writes + $(sed -n 's/.* lacks \([0-9]*\) operations.*/\1/p' told)))" 3000000 'what is left out is counted to the last call'
    check "and the program waits for a part only ($(wc -l <traced) times)" [ "$(grep -c madvise traced)" -lt 60 -a "$slow_writes" -gt 1000 ]
else
    skip 'a slow disk' 'package strace, or a kernel that lets processes be traced'
fi

# -- a kernel that has no MADV_POPULATE_WRITE
if cc -o refuse "$DSN_SRC/test/work/refuse.c" && ./refuse statx 38 true; then
    rm -rf way
    mkdir way
    check 'an old kernel: the program notices nothing' status 0 ./refuse populate-write 22 env DARSHAN_ENABLE_NONMPI=1 \
        DARSHAN_TRACE="$here/way" LD_PRELOAD="$DSN_PREFIX/lib/libdarshan.so" ./collected "$here/files" put 100000
    is "$(writes way) $(cat told)" '100000 ' 'an old kernel: all writes are there'
else
    skip 'an old kernel' 'kernel: seccomp'
fi

# -- MPI: ranks, each in a directory of its own
cat >in-own <<'END'
#!/bin/sh
mkdir -p "$2/rank.${OMPI_COMM_WORLD_RANK:-${PMI_RANK-}}" && exec "$1" "$2/rank.${OMPI_COMM_WORLD_RANK:-${PMI_RANK-}}"
END
chmod +x in-own
for way in preload static; do
    check "$way: ranks compile" build "$(echo $way | sed s/preload/plain/)" "ranks.$way" "$DSN_SRC/test/work/posix-basic.c" -DWITH_MPI
    mkdir "$way.calls"
    fresh_logs
    DARSHAN_TRACE=$here/$way.calls
    export DARSHAN_TRACE
    check "$way: ranks of MPI run" run $way 4 ./in-own "./ranks.$way" "$here/files"
    unset DARSHAN_TRACE
    "$trace" export --to csv $way.calls/*.calls >events.csv 2>told
    is "$(sed 1d events.csv | cut -d, -f6 | sort -u | tr '\n' ' ')$(cat told)" '0 1 2 3 ' "$way: processes of the trace are ranks"
    is "$(grep -c ',write,.*/files/' events.csv)" "$(total)" "$way: with as many writes as the counters have"
done

# -- HDF5 over MPI-IO: what it reads and writes below
# moved COUNTER...: sums over the POSIX records of files below `files` in the latest log
moved() {
    for counter; do
        "$DSN_PREFIX/bin/darshan-parser" "$(latest_log)" | awk -v c="$counter" -v d="$here/files/" \
            '$1 == "POSIX" && $4 == c && index($6, d) == 1 { n += $5 } END { printf "%d ", n }'
    done
}
if h5=$(pkg-config --cflags --libs "hdf5-$MPI" 2>/dev/null); then
    # shellcheck disable=SC2086 # flags are words
    check 'a program with HDF5 compiles' build plain ranks.h5 "$DSN_SRC/test/work/h5-basic.c" -DWITH_MPI $h5
    mkdir h5.calls
    fresh_logs
    DARSHAN_TRACE=$here/h5.calls
    export DARSHAN_TRACE
    check 'HDF5: ranks run' run preload 4 ./ranks.h5 "$here/files"
    unset DARSHAN_TRACE
    "$trace" export --to csv h5.calls/*.calls >events.csv 2>told
    is "$(sed 1d events.csv | cut -d, -f6 | sort -u | tr '\n' ' ')$(cat told)" '0 1 2 3 ' 'HDF5: processes of the trace are ranks'
    is "$(awk -F, -v d="\"$here/files/" 'index($12, d) == 1 { n[$3]++; b[$3] += $9 } END { printf "%d %d %d %d ", n["read"], b["read"], n["write"], b["write"] }' events.csv)" \
        "$(moved POSIX_READS POSIX_BYTES_READ POSIX_WRITES POSIX_BYTES_WRITTEN)" 'HDF5: calls and bytes are those of the counters'
    check 'HDF5: and there are some' [ "$(grep -c ',write,.*\.h5"' events.csv)" -gt 4 ]
else
    skip 'HDF5 over MPI-IO' "package libhdf5-$MPI-dev"
fi

# -- many short processes
rm -rf way
mkdir way
collect "$here/way" sh -c "i=0; while [ \$i -lt 300 ]; do echo x >$here/files/short; cat $here/files/short; i=\$((i + 1)); done" >got
is "$(wc -l <got) $(writes way)" '300 300' 'a loop of short programs'
check 'takes little room' [ "$(du -sk way | cut -f1)" -lt 6000 ]

# -- not asked for
mkdir nothing
(cd nothing && DARSHAN_ENABLE_NONMPI=1 LD_PRELOAD="$DSN_PREFIX/lib/libdarshan.so" ../collected "$here/files" put 10)
is "$(find nothing -name '*.calls')" '' 'without DARSHAN_TRACE there is no file'
finish
