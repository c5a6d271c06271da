#!/bin/sh
# block.sh - `make bench-block`: what a report of a recording costs beside btt, and reading it beside blkparse
# SPDX-License-Identifier: BSD-3-Clause
#
# Usage: block.sh BUILD [RUNS]. Seconds are processor time, the least of RUNS, of 300,000 requests in 900,000 records: at increasing sectors,
# as the generator of recordings has them, and at random ones. Wanted: five times as fast as btt, three times as fast as blkparse.
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
    compare "report of $file, btt" "$(seconds "$build/util/darshan-block" report $file)" "$(seconds btt -i $file)" 5
done
compare 'reading it, blkparse' "$(seconds "$build/util/darshan-trace" import recorded)" "$(seconds blkparse -q -i recorded)" 3
