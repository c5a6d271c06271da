# t9000-memory.sh - more files than fit into memory: files are aggregated, totals are exact
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"
. "$DSN_SRC/test/e2e/known.sh"

DARSHAN_MODMEM=0.25
DARSHAN_NAMEMEM=0.125
export DARSHAN_MODMEM DARSHAN_NAMEMEM
known nonmpi 0 many-files.c
known preload 1 many-files.c
known static 1 many-files.c

# -- the summary names a setting that is enough, and not far too much
mkdir data
check 'compiles' compile nonmpi ./many many-files.c

# summary: of a run with the settings that there are
summary() {
    fresh_logs
    execute nonmpi 0 ./many "$PWD/data" && "$DSN_PREFIX/bin/darshan-job-summary" "$(latest_log)" >summary
}
check 'little memory' summary
check 'little memory: said so' grep -q '^Incomplete *POSIX, STDIO ran out of memory' summary
enough=$(sed -n 's/.*; enough: DARSHAN_MODMEM=\([0-9]*\)$/\1/p' summary)
check "what is said to be enough: $enough MiB" test "$enough" -gt 4 -a "$enough" -lt 10
DARSHAN_MODMEM=$enough
check 'with it' summary
is "$(grep -c '^Incomplete' summary)" 0 'with it: it is'

# the same of a number of records
DARSHAN_MODMEM=16
DARSHAN_CONFIG_PATH=$PWD/conf
export DARSHAN_CONFIG_PATH
echo 'MAX_RECORDS 100 *' >conf
check 'few records' summary
enough=$(sed -n 's/.*; enough: MAX_RECORDS of \([0-9]*\)$/\1/p' summary)
check "what is said to be enough: $enough records" test "$enough" -gt 4000 -a "$enough" -lt 6000
echo "MAX_RECORDS $enough *" >conf
check 'with them' summary
is "$(grep -c '^Incomplete' summary)" 0 'with them: it is'
unset DARSHAN_CONFIG_PATH DARSHAN_MODMEM DARSHAN_NAMEMEM

# -- 20,000 files, each written, in the memory that there is without settings
many() {
    fresh_logs
    mkdir -p files
    DARSHAN_ENABLE_NONMPI=1 LD_PRELOAD=$DSN_PREFIX/lib/libdarshan.so perl -e '
        for (1 .. 20000) { open(F, ">", "files/number.$_") or die; syswrite(F, "x") == 1 or die; close(F) }' &&
        "$DSN_PREFIX/bin/darshan-parser" "$(latest_log)" >many.out
}
check '20,000 files: every one of them' many
is "$(awk '$4 == "POSIX_BYTES_WRITTEN" && $5 == 1 && $6 ~ "/files/number[.]"' many.out | wc -l)" 20000 '20,000 files: their bytes'

# -- 5,000 files in 50 directories, in 2 MiB: the number is exact, and what is counted together
# is of one kind; of directories that are too many those that differ in numbers are one
kinds() {
    fresh_logs
    for i in $(seq 50); do mkdir -p "kinds/run.$i"; done
    DARSHAN_MODMEM=1.5 DARSHAN_NAMEMEM=0.5 DARSHAN_ENABLE_NONMPI=1 LD_PRELOAD=$DSN_PREFIX/lib/libdarshan.so perl -e '
        for (0 .. 4999) {
            my $end = $_ % 2 ? "in" : "out";
            for my $again (1 .. 2) {
                open(F, ">", "kinds/run." . (1 + int($_ / 100)) . "/$_.$end") or die;
                syswrite(F, "x") == 1 or die;
                close(F);
            }
        }' </dev/null >/dev/null 2>&1 &&
        "$DSN_PREFIX/bin/darshan-parser" --show-incomplete "$(latest_log)" >kinds.out && "$DSN_PREFIX/bin/darshan-job-summary" "$(latest_log)" >summary
}
check '5,000 files' kinds
is "$(sed -n 's/^Files *\([0-9]*\):.*/\1/p' summary)" 5000 '5,000 files: their number'
is "$(awk '$4 == "POSIX_BYTES_WRITTEN" && $6 ~ "/kinds/" { n += $5 } END { print n }' kinds.out)" 10000 '5,000 files: their bytes'
folded() {
    awk -v kind="$1" '$4 == "POSIX_BYTES_WRITTEN" && $6 ~ "/kinds/" kind { n += $5 } END { print n + 0 }' kinds.out
}
check "5,000 files: of one directory and kind $(folded 'run[.][0-9]+/<[*][.](in|out)>')" \
    test "$(folded 'run[.][0-9]+/<[*][.](in|out)>')" -gt 100
check '5,000 files: most of the others are of one kind' test "$(folded 'run[.]#/<[*][.]in>')" -gt 1000
check '5,000 files: or of the other' test "$(folded 'run[.]#/<[*][.]out>')" -gt 1000
is "$(folded '<other files>')" 0 '5,000 files: each is of a kind'

# -- a program of one file has not what many files need in memory: 36 MiB of records, 4 of names. `make bench-start` prints
# how much it has, beside its bound of a megabyte; that differs from machine to machine. With the survival file where it is without settings,
# in tmpfs.
unset DARSHAN_MODMEM DARSHAN_NAMEMEM
DARSHAN_MMAP_LOGPATH=$(mktemp -d /dev/shm/t9000.XXXXXX)
trap 'rm -rf "$DARSHAN_MMAP_LOGPATH"' EXIT
check 'compiles a program of one file' cc -O2 -Wall -o one-file "$work/one-file.c"
check 'compiles what looks at it' cc -O2 -Wall -static -o resident "$work/resident.c"
for how in plain stream; do
    fresh_logs
    rm -rf "$DARSHAN_LOGPATH"/2* # of what ran in a subshell
    bare=$(./resident 5 ./one-file $how "$PWD/line")
    ours=$(DARSHAN_ENABLE_NONMPI=1 LD_PRELOAD=$preload ./resident 5 ./one-file $how "$PWD/line")
    is "$(count_logs)" 5 "one file, $how: logs"
    check "one file, $how: $bare KiB, with the library $ours" test "${ours:-9999}" -le $((bare + 2048))
done
finish
