#!/bin/sh
# block.sh - `make bench-block`: the cost of a report compared with btt, of reading with blkparse, of recording with
# blktrace
# SPDX-License-Identifier: BSD-3-Clause
#
# Usage: block.sh BUILD [RUNS]. Seconds are processor time, the least of RUNS, of 300,000 requests in 900,000 records: at increasing sectors,
# as the generator of recordings has them, and at random ones. Wanted: five times as fast as btt, three times as fast as blkparse. As root:
# what a loop of 40,000 direct writes of 4 KiB to a loop device takes alone, while darshan-block records it, and while blktrace does, in
# turns; the least of RUNS. Wanted: no more with darshan-block than with blktrace.
set -eu
build=$1 runs=${2:-5}
src=$(cd "$(dirname "$0")/../.." && pwd)
work=$build/test/bench/block
mkdir -p "$work"
[ -s "$work/recorded.blktrace.0" ] || python3 "$src/test/decode/block_trace.py" make 7 300000 "$work/recorded" >/dev/null
[ -s "$work/recorded" ] || blkparse -q -i "$work/recorded" -d "$work/recorded" >/dev/null
[ -s "$work/random" ] || python3 "$src/test/bench/block-random.py" "$work/recorded" "$work/random"

seconds() {
    (cd "$work" && "$build/test/bench/measure" "$runs" "$@") | head -n 1
}

# compare WHAT OURS THEIRS WANTED
compare() {
    awk -v what="$1" -v a="$2" -v b="$3" -v wanted="$4" 'BEGIN {
        printf "%-34s %8.3f %8.3f %8.1f  %s\n", what, a, b, b / a, (b / a >= wanted ? "as wanted, " : "UNDER ") wanted
    }'
}

printf '%-34s %8s %8s %8s\n' '' 'CPU s' theirs 'times as fast'
for file in recorded random; do
    compare "report of $file, btt" "$(seconds "$build/measure/darshan-block" report $file)" "$(seconds btt -i $file)" 5
done
compare 'reading it, blkparse' "$(seconds "$build/util/darshan-trace" import recorded)" "$(seconds blkparse -q -i recorded)" 3

[ "$(id -u)" = 0 ] || exit 0
disk=$(mktemp -p /dev/shm) loop=
trap '[ -z "$tracer" ] || kill $tracer; [ -z "$loop" ] || losetup -d "$loop"; rm -f "$disk"' EXIT
tracer=
truncate -s 256M "$disk"
loop=$(losetup -f --show "$disk")

# written: microseconds a write
written() {
    dd if=/dev/zero of="$loop" bs=4096 count=40000 oflag=direct 2>&1 | awk -F, '/copied/ { sub(/ s$/, "", $(NF - 1)); printf "%.2f\n", $(NF - 1) / 40000 * 1e6 }'
}
blktrace_works=yes
blktrace -d "$loop" -w 1 -D "$work" -o probe >"$work/blktrace.err" 2>&1 && ! grep -q FAILED "$work/blktrace.err" || blktrace_works=
: >"$work/alone" && : >"$work/ours" && : >"$work/theirs"
for _ in $(seq "$runs"); do
    written >>"$work/alone"
    "$build/measure/darshan-block" record -o "$work/live" --device "$loop" 2>/dev/null &
    tracer=$!
    sleep 0.5
    written >>"$work/ours"
    kill $tracer
    wait $tracer
    [ -n "$blktrace_works" ] || continue
    blktrace -d "$loop" -a issue -a complete -D "$work" -o live-theirs >/dev/null 2>&1 &
    tracer=$!
    sleep 0.5
    written >>"$work/theirs"
    kill -INT $tracer
    wait $tracer || true
done
tracer=
printf '\n%-34s %8s us\n' 'a direct write alone' "$(sort -n "$work/alone" | head -n 1)"
printf '%-34s %8s us\n' 'while darshan-block records' "$(sort -n "$work/ours" | head -n 1)"
if [ -n "$blktrace_works" ]; then
    printf '%-34s %8s us\n' 'while blktrace does' "$(sort -n "$work/theirs" | head -n 1)"
else
    echo "blktrace cannot record here: $(head -n 1 "$work/blktrace.err")"
fi
