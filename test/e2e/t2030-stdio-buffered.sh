# t2030-stdio-buffered.sh - calls served by a stream's buffer are counted, but their times are not taken for times of
# I/O
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"
. "$DSN_SRC/test/e2e/known.sh"

check 'compiles' compile nonmpi ./buffered buffered.c

# value COUNTER
value() {
    "$DSN_PREFIX/bin/darshan-parser" "$log" | awk -v want="$1" '$1 == "STDIO" && $4 == want && $6 ~ /data$/ { print $5 }'
}

# between COUNTER LEAST MOST: seconds from the first write on
between() {
    at=$(value "$1") from=$(value STDIO_F_WRITE_START_TIMESTAMP)
    awk -v at="$at" -v from="$from" -v least="$2" -v most="$3" \
        'BEGIN { exit !(at != "" && from != "" && at - from >= least && at - from <= most) }'
}

# second_bin LEAST MOST: of the file `written`, in tenths of a second
second_bin() {
    awk -v least="$1" -v most="$2" '{ split($2, at, ":"); exit !(at[1] >= least && at[1] <= most) }' written
}

# bins DIRECTION: seconds since the first write, in tenths, and bytes of each bin that has some
bins() {
    "$DSN_PREFIX/bin/darshan-parser" "$log" | awk -v from="$(value STDIO_F_WRITE_START_TIMESTAMP)" -v begin="HEATMAP_$1_BIN_" '
        $1 == "HEATMAP" && $6 == "heatmap:STDIO" && $4 == "HEATMAP_F_BIN_WIDTH_SECONDS" { width = $5 }
        $1 == "HEATMAP" && $6 == "heatmap:STDIO" && index($4, begin) == 1 && $5 > 0 { sub(begin, "", $4); bytes[$4] = $5 }
        END { for (i = 0; i < 200; i++) if (i in bytes) printf "%d:%d ", int((i * width - from) / width + 0.999), bytes[i] }'
}

execute nonmpi 0 ./buffered "$PWD/data"
log=$(latest_log)
is "$(value STDIO_WRITES) $(value STDIO_BYTES_WRITTEN)" '7 11' 'all writes are counted'
is "$(value STDIO_READS) $(value STDIO_BYTES_READ)" '7 11' 'all reads are counted'
is "$(value STDIO_MAX_BYTE_WRITTEN) $(value STDIO_MAX_BYTE_READ)" '10 10' 'the highest bytes'
check 'writing ends when the file is closed' between STDIO_F_WRITE_END_TIMESTAMP 0.89 1.2
check 'reading begins when the buffer is filled' between STDIO_F_READ_START_TIMESTAMP 1.29 1.5
is "$(bins READ | wc -w)" 1 'what is read is read when the buffer is filled'
bins WRITE >written
is "$(sed 's/[0-9]*://g' written)" '1 10 ' 'what is written is written when it leaves the buffer'
check 'which is when the file is closed' second_bin 8 11

# where each call is kept each is timed
mkdir calls
DARSHAN_TRACE="$PWD/calls" execute nonmpi 0 ./buffered "$PWD/data"
log=$(latest_log)
is "$(bins WRITE | wc -w)" 2 'with calls collected, the second write has its own time'
bins WRITE >written
check 'which is when it was made' second_bin 2 5
finish
