#!/bin/sh
# collect.sh - `make bench-collect`: the cost of DARSHAN_TRACE, compared with its bounds
# SPDX-License-Identifier: BSD-3-Clause
#
# Usage: collect.sh BUILD [SECONDS]. Instructions a call (valgrind), ns of CPU time a call, the share of the time in calls of
# a loop like IOR's, a million calls a second for SECONDS (60), and bytes a call: as collected, as Miller text, and by zstd. The
# files of calls are below $BENCH_DIR (default: $TMPDIR or /tmp); the program's own are on a tmpfs, where we may mount one (root).
set -eu
build=$(cd "$1" && pwd) seconds=${2:-60}
if [ "$(id -u)" = 0 ] && [ -z "${BENCH_MOUNTED:-}" ] && unshare -m true 2>/dev/null; then
    exec env BENCH_MOUNTED=yes unshare -m sh "$0" "$build" "$seconds"
fi
work=$(mktemp -d "${BENCH_DIR:-${TMPDIR:-/tmp}}/bench.XXXXXX")
trap '[ -z "${BENCH_MOUNTED:-}" ] || umount "$work/files"; rm -rf "$work"' EXIT
mkdir "$work/files"
[ -z "${BENCH_MOUNTED:-}" ] || mount -t tmpfs tmpfs "$work/files"
data=$work/files/data
unset DARSHAN_DISABLE DARSHAN_CONFIG_PATH DARSHAN_MODMEM DARSHAN_TRACE
program=$build/test/bench/collect
trace=$build/util/darshan-trace

# counted, collected COMMAND...: with the tool, which counts only, or collects, too
counted() {
    rm -rf "$work/log"
    env DARSHAN_ENABLE_NONMPI=1 DARSHAN_LOGFILE="$work/log" DARSHAN_MMAP_LOGPATH="$work" LD_PRELOAD="$build/libdarshan.so.0" "$@"
}
collected() {
    rm -rf "$work/calls"
    mkdir "$work/calls"
    counted env DARSHAN_TRACE="$work/calls" DARSHAN_TRACE_MAX=4096 "$@"
}

# instructions WAY CASE: of a call
instructions() {
    for n in 10000 20000; do
        "$1" valgrind --tool=callgrind --callgrind-out-file=/dev/null "$program" "$data" calls "$2" "$n" 2>&1 | sed -n 's/.*Collected : //p'
    done | awk 'NR == 1 { a = $1 } END { printf "%.1f", ($1 - a) / 10000 }'
}

if command -v valgrind >/dev/null; then
    printf '%-40s %9s %9s %9s\n' 'instructions a call' counted collected added
    for what in write read seek fputc; do
        a=$(instructions counted $what) b=$(instructions collected $what)
        printf '%-40s %9s %9s %9s\n' $what "$a" "$b" "$(awk "BEGIN { printf \"%.1f\", $b - $a }")"
    done
fi
printf '%-40s %9s %9s %9s %9s\n' 'ns a call' counted collected added bound
for what in write read seek fputc; do
    a=$(counted "$program" "$data" times $what) b=$(collected "$program" "$data" times $what)
    printf '%-40s %9s %9s %9s %9s\n' $what "$a" "$b" "$(awk "BEGIN { printf \"%.1f\", $b - $a }")" 60
done
printf '%-40s %9s %9s %9s %9s\n' 's in calls of a loop like IOR, best of 9' alone collected % bound
for size in 4096 65536 1048576; do
    for turn in 1 2 3 4 5 6 7 8 9; do
        echo "$("$program" "$data" ior $size $((134217728 / size))) $(collected "$program" "$data" ior $size $((134217728 / size)))"
    done | awk -v size=$size 'NR == 1 || $1 < a { a = $1 } NR == 1 || $2 < b { b = $2 }
        END { printf "%-40s %9.4f %9.4f %9.2f %9d\n", size " bytes", a, b, (b / a - 1) * 100, 20 }'
done
rm -f "$data"
read -r calls took alone <<END
$(counted "$program" "$data" rate 2 1000000)
END
read -r calls took most <<END
$(collected "$program" "$data" rate "$seconds" 1000000)
END
echo "a million calls a second: $calls in $took s; memory at most $most KiB, without collecting $alone KiB"
size=$(du -k "$work"/calls/*.calls | cut -f1)
"$trace" merge "$work"/calls/*.calls 2>"$work/told" | head -n 4000000 >"$work/miller"
left_out=$(sed -n 's/.* lacks \([0-9]*\) .*/\1/p' "$work/told")
echo "left out: ${left_out:-0}; bytes a call: $(awk "BEGIN { printf \"%.2f\", $size * 1024 / $calls }") as collected"
echo "as Miller text $(wc -lc <"$work/miller" | awk '{ printf "%.2f", $2 / $1 }') (bound 15 to 18), by zstd $(
    zstd -qc "$work/miller" | wc -c | awk -v n="$(wc -l <"$work/miller")" '{ printf "%.2f", $1 / n }') (bound 6)"
