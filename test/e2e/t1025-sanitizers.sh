# t1025-sanitizers.sh - programs built with -fsanitize=thread or address: no false reports, and all I/O is counted
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"

library=$DSN_PREFIX/lib/libdarshan.so
mkdir files

# counted COMMAND...: it runs, says nothing but "done", and its calls are in the log
counted() {
    rm -f log
    env DARSHAN_ENABLE_NONMPI=1 DARSHAN_EXCLUDE_DIRS=none DARSHAN_LOGFILE="$PWD/log" "$@" "$PWD/files" >out 2>err || {
        echo "exit status $?"
        head -n 40 err
        return 1
    }
    [ "$(cat out err)" = 'done' ] || { cat out err; return 1; }
    # what the sanitizer itself asks of streams is a fileno call, which counts as an open; so does a dup
    "$DSN_PREFIX/bin/darshan-parser" --total log | awk '
        { n[$1] = $2 }
        END { print n["total_POSIX_OPENS:"] - n["total_POSIX_FILENOS:"] - n["total_POSIX_DUPS:"], n["total_POSIX_READS:"], n["total_POSIX_WRITES:"],
              n["total_POSIX_STATS:"], n["total_POSIX_BYTES_WRITTEN:"], n["total_POSIX_DUPS:"], n["total_POSIX_MMAPS:"] }' >got
    [ "$(cat got)" = '400 400 200 200 20000 200 200' ] || { echo "opens, reads, writes, stats, bytes, dups, mmaps: $(cat got)"; return 1; }
}

# sanitized NAME LIBRARY: builds the program of that name, which runs; $runtime is the sanitizer's library
sanitized() {
    runtime=$(cc -print-file-name=lib$2.so)
    [ -e "$runtime" ] && cc -g -O1 "-fsanitize=$1" -o "$1" "$DSN_SRC/test/work/races.c" -lpthread 2>why &&
        "./$1" "$PWD/files" >why 2>&1
}

if sanitized thread tsan; then
    check 'thread, the tool alone is preloaded' counted env LD_PRELOAD="$library" ./thread
    check 'thread, the sanitizer before the tool' counted env LD_PRELOAD="$runtime:$library" ./thread
    check 'thread, linked' sh -c 'cc -g -O1 -fsanitize=thread -o linked "$1" -lpthread $("$2" --dyn-ld-flags)' - \
        "$DSN_SRC/test/work/races.c" "$DSN_PREFIX/bin/darshan-config"
    check 'thread, linked: counted' counted ./linked
else
    skip 'thread' 'ThreadSanitizer of the compiler, that works here'
fi
if sanitized address asan; then # as darshan(7) says
    check 'address, the sanitizer before the tool' counted env LD_PRELOAD="$runtime:$library" ./address
    check 'address, the order is not looked at' counted env LD_PRELOAD="$library" ASAN_OPTIONS=verify_asan_link_order=0 ./address
else
    skip 'address' 'AddressSanitizer of the compiler, that works here'
fi
finish
