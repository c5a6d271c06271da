#!/bin/sh
# check.sh - `make scale-check`: what the model predicts for this machine, beside what shutdown takes on it
# SPDX-License-Identifier: BSD-3-Clause
#
# Usage: check.sh SCALE PROGRAM LIBRARY RUN [RUNS [RANKS]...]. Measured is what the tool adds to the slowest rank's
# MPI_Finalize: the best of RUNS with it less the best of as many without, which take turns. "spread" is how far the
# median without it lies above the best: of what is smaller than that nothing can be said. Ranks that are more than
# processors share them, with whatever else runs.
set -eu
scale=$1 program=$2 library=$3 mpirun=$4 runs=${5:-5}
here=$(dirname "$0")
shift $(($# < 5 ? 4 : 5))
[ $# = 0 ] && set -- 2 4 8 16 32 64 128
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe
work=$(mktemp -d "${TMPDIR:-/tmp}/darshan-scale.XXXXXX")
logs=$(mktemp -d /dev/shm/darshan-log.XXXXXX 2>/dev/null || echo "$work") # where a disk that is busy does not count
trap 'rm -rf "$work" "$logs"' EXIT
trap 'exit 130' INT TERM

# once RANKS KIND FILES LIBRARY: milliseconds of the slowest rank
once() {
    rm -rf "$work/data" "$logs/log"
    mkdir "$work/data"
    "$mpirun" -n "$1" env LD_PRELOAD="$4" DARSHAN_LOGFILE="$logs/log" "$program" "$2" "$3" "$work/data" |
        awk '$1 == "finalize" && $2 > most { most = $2 } END { print most * 1e3 }'
}

# measured RANKS KIND FILES: milliseconds that are added, and the spread
measured() {
    rm -f "$work/bare" "$work/ours"
    i=0
    while [ $i -lt "$runs" ]; do
        i=$((i + 1))
        once "$1" "$2" "$3" '' >>"$work/bare"
        once "$1" "$2" "$3" "$library" >>"$work/ours"
    done
    sort -n "$work/bare" | awk -v ours="$(sort -n "$work/ours" | head -n 1)" '
        { v[NR] = $1 } END { print ours - v[1], v[int((NR + 1) / 2)] - v[1] }'
}

"$scale" "$here/here.net" "$@" >"$work/predicted"
printf '%6s %-14s %12s %12s %9s %6s\n' ranks files 'predicted ms' 'measured ms' 'spread' ratio
for ranks; do
    for each in 'shared 1' 'shared 1024' 'own 1' 'own 1024'; do
        set -- $each
        name=$(echo "$2 $1" | sed 's/1024/1,024/')
        predicted=$(awk -v r="$ranks" -v n="$name" '$1 == r && $2 " " $3 == n { print $4 * 1e3 }' "$work/predicted")
        echo "$ranks $predicted $(measured "$ranks" "$1" "$2")" | awk -v n="$name" '{
            printf "%6d %-14s %12.1f %12.1f %9.1f", $1, n, $2, $3, $4
            if ($3 <= $4) print "        too small to measure"
            else printf " %6.2f%s\n", $2 / $3, ($2 / $3 > 2 || $2 / $3 < 0.5) ? "  MORE THAN A FACTOR OF TWO" : "" }'
    done
done | tee "$work/table"
awk '/told$/ { few++ } /TWO$/ { off++ } END {
    printf "%d of %d within a factor of two, %d beyond it, %d too small to measure\n", NR - few - off, NR, off, few }' \
    "$work/table"
