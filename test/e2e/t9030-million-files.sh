# t9030-million-files.sh - a very large number of files in one process with the default limit: totals are exact, memory
# is bounded
# SPDX-License-Identifier: BSD-3-Clause
#
# MANY_FILES=1000000 for as many as the name says.
. "$DSN_SRC/test/lib/lib.sh"
. "$DSN_SRC/test/e2e/known.sh"

n=${MANY_FILES:-100000}
check 'compiles' compile nonmpi ./million million.c
data=$PWD/data
mkdir "$data"

# totals: of the POSIX records below the directory, and those that others are folded into
totals() {
    decode "$(latest_log)" --text | awk -F '\t' -v dir="$data/" '
        $1 == "POSIX" && (index($6, dir) == 1 || $6 ~ "/<[^/]*>$") { sum[$4] += $5 }
        END { print sum["POSIX_OPENS"] + 0, sum["POSIX_READS"] + 0, sum["POSIX_WRITES"] + 0,
                    sum["POSIX_BYTES_READ"] + 0, sum["POSIX_BYTES_WRITTEN"] + 0 }'
}
written=$(awk -v n="$n" 'BEGIN { for (i = 0; i < n; i++) sum += 1 + i % 31; print sum }')

for threads in 1 8; do
    fresh_logs
    ./million "$data" "$n" $threads >bare
    DARSHAN_ENABLE_NONMPI=1 LD_PRELOAD=$preload ./million "$data" "$n" $threads >tool 2>err
    is $? 0 "$threads threads: exit status"
    is "$(totals)" "$n $n $n $n $written" "$threads threads, $n files: opens, reads, writes, bytes read and written"
    read -r bare_kib bare_ms <bare
    read -r tool_kib tool_ms <tool
    # 40 MiB of records and names, and the library itself (`make bench-start` prints it). All files would take 170.
    check "$threads threads: memory ($bare_kib KiB bare, $tool_kib KiB)" test $((tool_kib - bare_kib)) -le 53248
    echo "# $threads threads: $bare_ms ms bare, $tool_ms ms"
done
finish
