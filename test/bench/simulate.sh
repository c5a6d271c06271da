#!/bin/sh
# simulate.sh - `make bench-simulate`: the cost of simulations, compared with its bounds
# SPDX-License-Identifier: BSD-3-Clause
#
# Usage: simulate.sh BUILD [RUNS]. Seconds are processor time. Bounds: 5 million blocks a second of the exact curve, 2 million
# requests a second of each simulation, a million operations of a log's traces in 3 s in all.
set -eu
build=$1 runs=${2:-3}
work=$build/test/bench/simulated
simulate=$build/util/darshan-simulate
spec='bb=64GiB/node,2GB/s; drain=1GB/s'
mkdir -p "$work"
for kind in dxt1 long1; do
    [ -s "$work/$kind" ] || "$build/test/bench/make-log" "$kind" "$work/$kind"
done
[ -s "$work/bvi" ] || "$build/util/darshan-trace" gen bvi >"$work/bvi"

# row WHAT BOUND COMMAND...: BOUND in seconds, or -
row() {
    row_what=$1 row_bound=$2
    shift 2
    "$build/test/bench/measure" "$runs" "$@" | tr '\n' ' ' | awk -v what="$row_what" -v bound="$row_bound" '{
        says = bound == "-" ? "" : ($1 <= bound + 0 ? "bound " : "OVER the bound ") bound
        printf "%-46s %8.3f %12s %8.1f  %s\n", what, $1, "", $3 / 1024, says }'
}

printf '%-46s %8s %12s %8s\n' '' 'CPU s' '1/s' 'MiB max'
"$build/test/bench/simulate" 1000000 20000000
row 'a million operations of 64 ranks: --what-if' 3 "$simulate" "$work/dxt1" --what-if "$spec"
row 'of one process: --what-if' 3 "$simulate" "$work/long1" --what-if "$spec"
row 'of 64 ranks: --scan' - "$simulate" "$work/dxt1" --scan --what-if "$spec"
row 'of 64 ranks: page cache' - "$simulate" "$work/dxt1" --what-if 'cache=64GiB; read-ahead=1MiB'
row 'of 64 ranks: --curve' - "$simulate" "$work/dxt1" --curve
row 'cray-ymp-1992: 1.4 million requests of bvi' - "$simulate" --machine cray-ymp-1992 --write-behind "$work/bvi"
