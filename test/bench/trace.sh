#!/bin/sh
# trace.sh - `make bench-trace`: the cost of reading, writing, merging and counting traces, compared with its bounds
# SPDX-License-Identifier: BSD-3-Clause
#
# Usage: trace.sh BUILD [RUNS]. Seconds are processor time, the least of RUNS. Bounds: decoding 5 million records a second, 15 to 18
# bytes a record of Miller text (of bvi, which has half of all records), recordings of blktrace three times as fast as blkparse.
set -eu
build=$1 runs=${2:-5}
src=$(cd "$(dirname "$0")/../.." && pwd)
work=$build/test/bench/traces
trace=$build/util/darshan-trace
mkdir -p "$work"
[ -s "$work/bvi" ] || "$trace" gen bvi >"$work/bvi"
for pid in 1 2 3 4; do
    [ -s "$work/forma.$pid" ] || "$trace" gen --pid "$pid" forma >"$work/forma.$pid"
done
[ -s "$work/recorded.blktrace.0" ] || python3 "$src/test/decode/block_trace.py" make 7 300000 "$work/recorded" >/dev/null
records=$(wc -l <"$work/bvi")

# row WHAT RECORDS BOUND COMMAND...: BOUND in records a second, or -
row() {
    row_what=$1 row_records=$2 row_bound=$3
    shift 3
    row_figures=$("$build/test/bench/measure" "$runs" "$@" | tr '\n' ' ')
    echo "$row_figures" | awk -v what="$row_what" -v n="$row_records" -v bound="$row_bound" \
        '{
            says = bound == "-" ? "" : (n / $1 >= bound + 0 ? "bound " : "UNDER the bound ") bound
            printf "%-46s %8.3f %12.0f %8.1f  %s\n", what, $1, n / $1, $3 / 1024, says
        }'
}

printf '%-46s %8s %12s %8s\n' '' 'CPU s' records/s 'MiB max'
row 'Miller text read and written again' "$records" 5000000 "$trace" import "$work/bvi"
row 'read and counted: stat' "$records" - "$trace" stat "$work/bvi"
row 'as CSV' "$records" - "$trace" export --to csv "$work/bvi"
row 'generated' "$records" - "$trace" gen bvi
row 'four processes merged' 1903304 - "$trace" merge "$work/forma.1" "$work/forma.2" "$work/forma.3" "$work/forma.4"
row 'the same in 4 MiB' 1903304 - "$trace" merge --memory 4 "$work/forma.1" "$work/forma.2" "$work/forma.3" "$work/forma.4"
awk -v n="$records" -v bytes="$(wc -c <"$work/bvi")" 'BEGIN { printf "bytes a record of Miller text: %.2f, bound 15 to 18\n", bytes / n }'
if command -v blkparse >/dev/null; then
    row 'recording of blktrace' 300000 - "$trace" import "$work/recorded.blktrace.0"
    ours=$(echo "$row_figures" | cut -d' ' -f1)
    row 'the same by blkparse' 300000 - blkparse -q -i "$work/recorded"
    theirs=$(echo "$row_figures" | cut -d' ' -f1)
    awk -v a="$ours" -v b="$theirs" 'BEGIN { printf "times as fast as blkparse: %.1f, bound 3\n", b / a }'
fi
