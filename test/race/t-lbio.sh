# t-lbio.sh - log-based I/O, built with ThreadSanitizer: threads at random calls see what they wrote, and there is no race
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"

mkdir lib
cp "$DSN_BUILD/liblbio.so.0" lib/ && ln -s liblbio.so.0 lib/liblbio.so
is $? 0 'the library is there'
# What names functions opens files by the wrappers, within a call that holds their locks: addresses, then, by addr2line.
export TSAN_OPTIONS='exitcode=66 symbolize=0'
named() {
    sed -n 's/.*(liblbio.so.0+\(0x[0-9a-f]*\)).*/\1/p' | head -n 40 | xargs -r addr2line -f -s -p -e lib/liblbio.so.0
}
check 'compiles' cc -Wall -g -O1 -fsanitize=thread -I"$DSN_SRC/runtime/lbio" -o threads "$DSN_SRC/test/work/lbio-threads.c" \
    -L"$PWD/lib" -Wl,-rpath,"$PWD/lib" -Wl,--no-as-needed -llbio -lpthread

# in_order OPTIONS ARGUMENT...: the threads end in order, and ThreadSanitizer says nothing
in_order() {
    rm -rf data logs
    mkdir data logs
    options=$1
    shift
    env LBIO_PATTERN="^$PWD/data/" LBIO_OPTS="logdir=$PWD/logs,report=$PWD/report,$options" timeout 900 \
        ./threads "$PWD/data" "$@" >out 2>err || { echo "exit status $?"; head -n 60 err; named <err; return 1; }
    ! grep -A 40 'ThreadSanitizer' err
}

# nothing_left: neither a log nor a marker
nothing_left() {
    [ -z "$(ls -A logs)" ] && [ -z "$(find data -name '*.lbio')" ]
}

seed=0
for options in threshold=0 threshold=1g threshold=100k,maxlog=1m threshold=64k,order=window,merge=64k,fsync=log \
    "threshold=16k,slots=$PWD/data/slots,tokens=2,hold=32k" visibility=drain,order=off; do
    seed=$((seed + 1))
    check "$options: no race" in_order "$options" $seed 2000
    check "$options: nothing is left" nothing_left
    check "$options, the process ends while threads are in calls: no race" in_order "$options" $seed 0 ends
done
check 'bytes went through logs' awk '/^process/ { for (i = 5; i <= NF; i++) if ($i ~ /^bytes=/) n += substr($i, 7) }
    END { exit !(n > 1000000) }' report
finish
