# t1060-posix-copy.sh - copies between descriptors inside the kernel: exact counters in every way
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"
. "$DSN_SRC/test/e2e/known.sh"

all_ways() {
    for way in preload static; do
        known $way 1 posix-copy.c
    done
}

known nonmpi 0 posix-copy.c
known nonmpi 0 posix-copy.c -D_FILE_OFFSET_BITS=64
each_mpi all_ways

# -- the time of a call that reads one file and writes another is spent once; the descriptors are the shell's
io_times() {
    decode "$(latest_log)" --text | awk -F '\t' '$1 == "POSIX" && $4 ~ /_F_(READ|WRITE)_TIME$/ { print $5 }'
}
check 'given descriptors: compiles' compile nonmpi copy-given copy-given.c
head -c 100000000 /dev/zero >from
fresh_logs
(dd bs=1000 count=1 status=none >head && exec env DARSHAN_ENABLE_NONMPI=1 "LD_PRELOAD=$preload" ./copy-given >to 2>took) <from
is "$(wc -c <to)" 99999000 'given descriptors: copies'
printf '%s\n' 'POSIX 0 */from POSIX_BYTES_READ 99999000' 'POSIX 0 */from POSIX_MAX_BYTE_READ 99999999' \
    'POSIX 0 */to POSIX_BYTES_WRITTEN 99999000' 'POSIX 0 */to POSIX_MAX_BYTE_WRITTEN 99998999' >copied.want
check 'given descriptors: counters' decode "$(latest_log)" --strict --want copied.want
io_times >times
check 'reading and writing together take as long as the calls' awk -v took="$(cat took)" \
    '{ sum += $1; n++ } END { if (n < 2 || sum > 1.05 * took || sum < .5 * took) { print sum, took; exit 1 } }' times
finish
