#!/bin/sh
# check.sh - `make scale-check`: what the model predicts for this machine, beside what shutdown takes on it
# SPDX-License-Identifier: BSD-3-Clause
#
# Usage: check.sh SCALE PROGRAM LIBRARY RUN [RUNS [RANKS]...]. Measured is the time from when all ranks have come to when
# the log is there (core_shutdown of DARSHAN_INTERNAL_TIMING), the median of RUNS. More ranks than cores share them, with
# whatever else runs: within a factor of two is as good as it gets.
set -eu
scale=$1 program=$2 library=$3 mpirun=$4 runs=${5:-3}
here=$(dirname "$0")
shift $(($# < 5 ? 4 : 5))
[ $# = 0 ] && set -- 2 4 8 16 32 64 128
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
work=$(mktemp -d "${TMPDIR:-/tmp}/darshan-scale.XXXXXX")
logs=$(mktemp -d /dev/shm/darshan-log.XXXXXX 2>/dev/null || echo "$work") # where a disk that is busy does not count
trap 'rm -rf "$work" "$logs"' EXIT
trap 'exit 130' INT TERM

# measured RANKS KIND FILES: milliseconds
measured() {
    i=0
    while [ $i -lt "$runs" ]; do
        i=$((i + 1))
        rm -rf "$work/data" "$logs/log"
        mkdir "$work/data"
        "$mpirun" -n "$1" env LD_PRELOAD="$library" DARSHAN_INTERNAL_TIMING=1 DARSHAN_LOGFILE="$logs/log" \
            "$program" "$2" "$3" "$work/data" 2>&1 >"$work/out" | awk '/core_shutdown/ { print $3 * 1e3 }'
    done | sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}

"$scale" "$here/here.net" "$@" >"$work/predicted"
printf '%6s %-14s %12s %12s %8s\n' ranks files 'predicted ms' 'measured ms' ratio
for ranks; do
    for each in 'shared 1' 'shared 1024' 'own 1' 'own 1024'; do
        set -- $each
        name=$(echo "$2 $1" | sed 's/1024/1,024/')
        predicted=$(awk -v r="$ranks" -v n="$name" '$1 == r && $2 " " $3 == n { print $4 * 1e3 }' "$work/predicted")
        echo "$ranks $predicted $(measured "$ranks" "$1" "$2")" | awk -v n="$name" '{
            printf "%6d %-14s %12.1f %12.1f %8.2f\n", $1, n, $2, $3, $2 / $3 }'
    done
done
