#!/bin/sh
# threads.sh - `make bench-threads`: calls of many threads at a time, without and with the library in turns
# SPDX-License-Identifier: BSD-3-Clause
#
# Usage: threads.sh PROGRAM LIBRARY. The least of five runs each. The bound, 1.1 times bare, is for a quiet machine with as
# many processors as threads; with fewer, threads seldom meet.
set -eu
program=$1 library=$2
work=$(mktemp -d "${BENCH_DIR:-${TMPDIR:-/tmp}}/threads.XXXXXX")
trap 'rm -rf "$work"' EXIT
printf '%s processors\n%-44s %8s %9s %9s %6s %6s\n' "$(nproc)" 'ns a call' threads bare with ratio bound
for how in one same own stream; do
    for n in ${THREADS_OF:-2 4 8 16 32}; do
        for turn in 1 2 3 4 5; do
            printf 'bare '
            "$program" "$n" "$how" "$work"
            printf 'with '
            env LD_PRELOAD="$library" DARSHAN_ENABLE_NONMPI=1 DARSHAN_LOGFILE="$work/log" "$program" "$n" "$how" "$work"
            rm -f "$work/log"
        done | awk -v how="$how" -v n="$n" '
            BEGIN {
                title["one"] = "pwrite, one descriptor"; title["same"] = "pwrite, own descriptors of one file"
                title["own"] = "pwrite, own files"; title["stream"] = "fwrite, own streams of one file"
            }
            !least[$1] || $2 < least[$1] { least[$1] = $2 }
            END { printf "%-44s %8d %9d %9d %6.2f %6.1f\n", title[how], n, least["bare"], least["with"], least["with"] / least["bare"], 1.1 }'
    done
done
