#!/bin/sh
# rate.sh - `make bench-rate`: bandwidth according to a benchmark and according to its log, with files deleted at the
# end
# SPDX-License-Identifier: BSD-3-Clause
#
# Usage: rate.sh PROGRAM LIBRARY PARSER RUN [RUNS [RANKS [MIB]]]. Medians of the same runs, in MiB a second, and how far the log's is
# from the benchmark's. For a quiet machine: what a rank waits for outside of its calls is the benchmark's only.
set -eu
program=$1 library=$2 parser=$3 mpirun=$4 runs=${5:-5} ranks=${6:-2} mib=${7:-256}
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
work=$(mktemp -d "${TMPDIR:-/tmp}/darshan-bench.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

# module KIND: of which the parser is asked
rate_of() {
    "$parser" --perf "$work/log" | awk -v m="$1" '/^# (.*) module data/ { at = $2 } /agg_perf_by_slowest/ && at == m { print $3 }'
}

median() {
    sort -n "$1" | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}

printf '%-8s%14s%14s%10s\n' kind benchmark log percent
for kind in n1 nn mpiio; do
    : >"$work/said"
    : >"$work/logged"
    for i in $(seq "$runs"); do
        rm -f "$work/log"
        "$mpirun" -n "$ranks" env LD_PRELOAD="$library" DARSHAN_LOGFILE="$work/log" "$program" $kind "$work" "$mib" >>"$work/said"
        rate_of "$([ $kind = mpiio ] && echo MPI-IO || echo POSIX)" >>"$work/logged"
    done
    echo "$(median "$work/said") $(median "$work/logged")" |
        awk -v k=$kind '{ printf "%-8s%14.1f%14.1f%+10.1f\n", k, $1, $2, 100 * ($2 / $1 - 1) }'
done
