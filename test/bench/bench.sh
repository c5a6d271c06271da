#!/bin/sh
# bench.sh - `make bench`: the cost of reading large logs, compared with the original's commands (release 3.5.0)
# SPDX-License-Identifier: BSD-3-Clause
#
# Usage: bench.sh BUILD [RUNS]. Logs are made in $BENCH_LOGS (default: BUILD/test/bench) and kept for the next run.
# Traces and the records of several ranks are compressed rank by rank, as in logs of MPI jobs; those of one rank
# ("long": one trace) are one stream. Rows come in pairs of sizes: memory is to stay what it is. Seconds are processor time. The
# original's figures (elapsed, without other load) are of another machine of this kind: ratios are good to some tens of
# percent.
set -eu
build=$1 runs=${2:-5}
logs=${BENCH_LOGS:-$build/test/bench}
for kind in files many more ranks dxt1 dxt10 long1 long10 small; do
    if [ ! -s "$logs/$kind.darshan" ]; then
        "$build/test/bench/make-log" "$kind" "$logs/$kind.tmp"
        mv "$logs/$kind.tmp" "$logs/$kind.darshan"
    fi
done

# row WHAT RECORDS SECONDS KIB COMMAND...: SECONDS and KIB are the original's, - if they are not known
row() {
    what=$1 records=$2 old_seconds=$3 old_kib=$4
    shift 4
    printf '%s ' $("$build/test/bench/measure" "$runs" "$@") | awk -v what="$what" -v records="$records" \
        -v old="$old_seconds" -v oldkib="$old_kib" '{
            printf "%-42s %8.3f %8.0f %8.0f %10.0f %7.1f", what, $1, $2 / 1e6, $2 / 1e6 / $1, records / $1, $3 / 1024
            if (old != "-") printf " %8.2f %6.1f %6.1f", old, old / $1, oldkib / $3
            printf "\n"
        }'
}

parser=$build/util/darshan-parser dxt=$build/util/darshan-dxt-parser summary=$build/util/darshan-job-summary
printf '%-42s %8s %8s %8s %10s %7s %8s %6s %6s\n' '' 'CPU s' 'MB text' MB/s records/s 'MiB max' original faster smaller
row 'files: 100,000 POSIX, 50,000 STDIO' 150000 3.25 30720 "$parser" "$logs/files.darshan"
for mode in total perf file; do
    case $mode in total) old=0.36 ;; perf) old=0.37 ;; file) old=0.36 ;; esac
    row "files, --$mode" 150000 $old 30720 "$parser" --$mode "$logs/files.darshan"
done
row 'many: 1,000,000 POSIX' 1000000 - - "$parser" "$logs/many.darshan"
for mode in total perf file; do
    row "many, --$mode" 1000000 - - "$parser" --$mode "$logs/many.darshan"
done
row 'more: 3,000,000 POSIX' 3000000 - - "$parser" "$logs/more.darshan"
row 'more, --file' 3000000 - - "$parser" --file "$logs/more.darshan"
row 'ranks: 131,072 POSIX of 128 ranks' 131072 2.9 36864 "$parser" "$logs/ranks.darshan"
row 'ranks, --perf' 131072 - - "$parser" --perf "$logs/ranks.darshan"
row 'dxt1: 1,000,000 segments' 1000000 0.79 55296 "$dxt" "$logs/dxt1.darshan"
row 'dxt10: 10,000,000 segments' 10000000 - - "$dxt" "$logs/dxt10.darshan"
row 'long1: 1,000,000 segments, one trace' 1000000 0.79 55296 "$dxt" "$logs/long1.darshan"
row 'long10: 10,000,000 segments, one trace' 10000000 - - "$dxt" "$logs/long10.darshan"

# BENCH_LONG=1: some 4 GB of logs, and some minutes more
if [ -n "${BENCH_LONG:-}" ]; then
    [ -s "$logs/deep.darshan" ] || "$build/test/bench/make-log" deep "$logs/deep.darshan"
    row 'deep: 10,000,000 POSIX of 65,536 ranks, --total' 10000000 - - "$parser" --total "$logs/deep.darshan"
    row 'deep, report as page' 10000000 - - "$summary" -o "$logs/page.html" "$logs/deep.darshan"
    for kind in dxt100 long100; do
        [ -s "$logs/$kind.darshan" ] || "$build/test/bench/make-log" "$kind" "$logs/$kind.darshan"
        row "$kind: 100,000,000 segments" 100000000 - - "$dxt" "$logs/$kind.darshan"
        row "$kind, report as page" 100000000 - - "$summary" -o "$logs/page.html" "$logs/$kind.darshan"
    done
fi

# a thousand small logs in one run; the original takes 2.7 ms a log, 1.5 ms of it to start the process
i=0
set --
while [ $i -lt 1000 ]; do
    set -- "$@" "$logs/small.darshan"
    i=$((i + 1))
done
row '1,000 small logs, --perf' 11000 2.7 - "$parser" --perf "$@" | cut -c 1-98

# reports; beside them the time of the report that is usual (PyDarshan's page) on the same logs
row 'files, report as JSON' 150000 41 1015808 "$summary" --json "$logs/files.darshan"
row 'ranks, report as JSON' 131072 39 919552 "$summary" --json "$logs/ranks.darshan"
row 'many, report as JSON' 1000000 - - "$summary" --json "$logs/many.darshan"
row 'dxt10, report as page' 10000000 - - "$summary" -o "$logs/page.html" "$logs/dxt10.darshan"
row 'long10, report as page' 10000000 - - "$summary" -o "$logs/page.html" "$logs/long10.darshan"
row 'small, report as JSON' 11 4.5 376832 "$summary" --json "$logs/small.darshan"
row '1,000 small logs, ranked' 11000 - - "$summary" "$@"
rm -f "$logs/page.html"
