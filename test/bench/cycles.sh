#!/bin/sh
# cycles.sh - `make bench-cycles`: the cost of finding the rhythm of a million operations, compared with its bound
# SPDX-License-Identifier: BSD-3-Clause
#
# Usage: cycles.sh BUILD [RUNS]. Seconds are processor time, the least of RUNS: of the command, and of reading the trace only (cut, which
# lets nothing pass). Bound: 0.5 s a million operations for what is between them.
set -eu
build=$1 runs=${2:-5}
src=$(cd "$(dirname "$0")/../.." && pwd)
work=$build/test/bench/cycles
mkdir -p "$work"
[ -s "$work/rhythm" ] || python3 "$src/test/decode/rhythms.py" checkpoints --n 50000 --jitter 5 >"$work/rhythm"
[ -s "$work/ranks" ] || python3 "$src/test/decode/rhythms.py" checkpoints --n 500 --ranks 100 --jitter 5 >"$work/ranks"
[ -s "$work/random" ] || python3 "$src/test/decode/rhythms.py" poisson --n 1000000 >"$work/random"
[ -s "$work/stream" ] || python3 "$src/test/decode/rhythms.py" stream --n 1000000 >"$work/stream"
[ -s "$work/bvi" ] || "$build/util/darshan-trace" gen bvi >"$work/bvi"

# row WHAT TRACE
row() {
    records=$(grep -vc '^ff' "$work/$2")
    read=$("$build/test/bench/measure" "$runs" "$build/util/darshan-trace" cut --op open "$work/$2" | head -n 1)
    "$build/test/bench/measure" "$runs" "$build/util/darshan-cycles" "$work/$2" | tr '\n' ' ' |
        awk -v what="$1" -v n="$records" -v read="$read" '{
            printf "%-46s %9d %8.3f %8.3f %8.1f  %s\n", what, n, $1, read, $3 / 1024, (($1 - read) * 1e6 / n <= 0.5 ? "bound " : "OVER the bound ") 0.5
        }'
}

printf '%-46s %9s %8s %8s %8s\n' '' operations 'CPU s' 'reading' 'MiB max'
row '50,000 bursts of 20 writes' rhythm
row '100 ranks, each by itself' ranks
row 'at random' random
row 'a steady stream' stream
row 'bvi of the 1992 study' bvi
