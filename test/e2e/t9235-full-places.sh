# t9235-full-places.sh - the file system of the survival files is full: the log of a process that exits is complete,
# that of a killed one has what the file system had space for and says how much is missing, and nothing is left behind
# SPDX-License-Identifier: BSD-3-Clause
# long: it waits for many programs, one after the other
. "$DSN_SRC/test/lib/lib.sh"
. "$DSN_SRC/test/e2e/known.sh"

if [ -z "${PRIVATE-}" ] && [ "$(id -u)" = 0 ] && unshare -m true 2>/dev/null; then
    PRIVATE=yes exec unshare -m sh "$0"
fi
mkdir small
{ [ -n "${PRIVATE-}" ] && mount -t tmpfs -o size=64k none small 2>/dev/null; } || skip_all 'right to mount'
umount small
check 'compiles' cc -g -Wall -o full "$work/full.c"
check 'compiles what refuses calls' cc -g -Wall -o refuse "$work/refuse.c"
under= # a command that the program is run by
printf '\001\002 no program' >nothing
chmod +x nothing
DARSHAN_MMAP_LOGPATH=$PWD/small
survival=small/darshan-$(id -u)

# counted STATUS SIZE STEP...: full(STEP...) ends so, with survival files on a file system of SIZE; what it leaves is recovered. In
# `records` is a line for each record of POSIX below the directory of data, of all logs: file, opens, bytes, writes, count of
# the most frequent size, times below 0 or above a minute; $missed and $untraced are sums over all, and $taken is what the
# survival files took, in KiB.
counted() {
    counted_text="$*"
    counted_want=$1
    mount -t tmpfs -o "size=$2" none small
    shift 2
    rm -rf data
    mkdir data
    fresh_logs
    timeout 200 $under env DARSHAN_ENABLE_NONMPI=1 "LD_PRELOAD=$preload" ./full "$PWD/data" small "$@" >out 2>err
    is $? "$counted_want" "$counted_text: exit status"
    is "$(grep -v Killed err)" '' "$counted_text: nothing on stderr"
    is "$(ls "$survival" | grep -c survival)" "$([ "$counted_want" = 137 ] && echo 1 || echo 0)" "$counted_text: survival files are left"
    taken=$(du -k small | tail -n 1 | cut -f1)
    check "$counted_text: darshan-recover" timeout 200 "$DSN_PREFIX/bin/darshan-recover" --mine
    is "$(ls "$survival")" '' "$counted_text: nothing is left behind"
    umount small
    : >records
    missed=0 untraced=0 logs=0
    for log in $(find "$DARSHAN_LOGPATH" -name '*.darshan'); do
        check "$counted_text: keeps all rules" "$PYTHON3" "$DSN_SRC/test/decode/strict.py" "$log"
        decode "$log" >decoded
        missed=$((missed + $(sed -n 's/.*"RANK_MISSED": \([0-9]*\).*/\1/p' decoded | paste -sd+ - | sed 's/^$/0/')))
        untraced=$((untraced + $(sed -n 's/.*"RANK_UNTRACED": \([0-9]*\).*/\1/p' decoded | paste -sd+ - | sed 's/^$/0/')))
        logs=$((logs + 1))
        decode "$log" --text | awk -F '\t' '
            $1 == "POSIX" && $6 ~ /\/data\// { name[$3] = $6; v[$3, $4] = $5 }
            $1 == "POSIX" && $6 ~ /\/data\// && $4 ~ /_TIME(STAMP)?$/ && ($5 < 0 || $5 > 60) { odd[$3]++ }
            END {
                for (id in name)
                    print name[id], v[id, "POSIX_OPENS"], v[id, "POSIX_BYTES_WRITTEN"], v[id, "POSIX_WRITES"],
                        v[id, "POSIX_ACCESS1_COUNT"], odd[id] + 0
            }' >>records
    done
}

# kept PATTERN: records of files of that name
kept() {
    grep -c "/data/$1 " records
}

# exact: every record of a file.N is what each file is: opened once, 10 bytes written at once, in plausible times
exact() {
    grep '/data/file' records | grep -vc '/data/file\.[0-9]* 1 10 1 1 0$'
}

# ended ALL: nothing is missing of so many files
ended() {
    is "$(kept 'file.*')" "$1" "$counted_text: all files are in the log"
    is "$(exact)" 0 "$counted_text: as they were"
    is "$missed" 0 "$counted_text: nothing is said to be missing"
}

# killed ALL LEAST: of so many records there are at least so many, exact, and the others are known to be missing
killed() {
    is "$(exact)" 0 "$counted_text: what is in the log is exact"
    is $(($(wc -l <records) + missed)) "$1" "$counted_text: what is not is counted"
    [ "$(wc -l <records)" -ge "$2" ] && [ "$missed" -gt 0 ]
    is $? 0 "$counted_text: $(wc -l <records) of $1 records are left, $2 at least"
}

# -- it ends
counted 0 700k files=600
ended 600
is "$logs" 1 "$counted_text: one log"
counted 0 700k files=10 fork files=600
ended 610
is "$(kept parent)" 1 "$counted_text: and the parent's"
counted 0 700k files=540 "exec=$PWD/nothing" files=540
ended 1080

# a rank of MPI
rank() {
    mount -t tmpfs -o size=700k none small
    known preload 1 many-files.c
    is "$(ls "$survival")" '' "$MPI: nothing is left behind"
    umount small
}
each_mpi rank

# -- it is killed; a file takes some 1,700 bytes with its name, the process 60 KiB
counted 137 700k files=600 kill
killed 600 380
counted 0 700k files=10 fork files=600 kill
killed 611 380
is "$(kept parent)" 1 "$counted_text: the parent's is among them"
is "$logs" 1 "$counted_text: in one log"
# it goes on as another program, and what it leaves has no room: the same is left of it
counted 0 700k files=600 exec=/bin/true
killed 600 380
is "$logs" 1 "$counted_text: in one log"
counted 0 700k files=10 fork files=600 exec=/bin/true
killed 611 380
# once there was no room the rest is in memory for good
counted 137 1m files=100 fill files=300 free files=200 kill
killed 600 90
is "$(kept 'file\.99')$(kept 'file\.599')" 10 "$counted_text: the first hundred files are there, the last are not"
# what it left before an exec that failed is a part only of what its survival file has
counted 137 4m files=40 "exec=$PWD/nothing" files=100 fill-for-good kill
ended 140
counted 0 4m files=10 fork files=40 "exec=$PWD/nothing" files=100 fill-for-good kill
ended 150
# what a file was opened with is there, what it was written with is not
counted 137 1m open=20 fill files=200 use=20 kill
killed 220 0
is "$(grep -c '/data/open\.[0-9]* 1 0 ' records)" 0 "$counted_text: no record in part"
# sizes beyond the fourth have memory of their own
counted 137 1m write=1 write=1 fill files=200 write=2 write=3 write=4 write=5 write=6 kill
is "$(grep '/data/one ' records | cut -d' ' -f2-)" '1 22 7 0 0' "$counted_text: all but which sizes were frequent"
killed 201 1

# -- the file system is full and not, again and again
# as many files as have records in 2 MiB
counted 0 20m turns=9
ended 1080
counted 137 20m turns=9 kill
killed 1080 1

# -- programs pass data through it: beyond 2 MiB, there is a record for each file only while half of it stays free
counted 137 16m files=12000 kill
[ "$taken" -gt 6000 ] && [ "$taken" -le 8192 ]
is $? 0 "$counted_text: $taken KiB are taken, at most half"
is "$(awk '{ opens += $2 } END { print opens }' records)" 12000 "$counted_text: the others are counted by kind"

# -- traces: 24 bytes an operation
export DXT_ENABLE_IO_TRACE=1
counted 0 500k many=30000
is "$(cut -d' ' -f2-5 records) $untraced" '1 30000 30000 30000 0' "$counted_text: all is traced"
counted 137 500k many=30000 kill
is "$(cut -d' ' -f2-5 records)" '1 30000 30000 30000' "$counted_text: the record is exact"
traced=$("$DSN_PREFIX/bin/darshan-dxt-parser" --show-incomplete "$(latest_log)" | grep -c '^ X_POSIX')
is $((traced + untraced)) 30000 "$counted_text: each operation is in the trace or known to be left out"
[ "$traced" -gt 10000 ] && [ "$untraced" -gt 0 ]
is $? 0 "$counted_text: $traced are in the trace, 10000 at least"

# -- on a kernel as old as Linux 3.10, without MADV_POPULATE_WRITE, MADV_WIPEONFORK, F_OFD_SETLK and renameat2
unset DXT_ENABLE_IO_TRACE
if ./refuse flock 1 true; then
    under='./refuse new-advice 22 ./refuse ofd-locks 22 ./refuse renameat2 38'
    counted 137 4m files=600 kill
    ended 600
    counted 0 4m files=10 fork files=600 kill
    ended 610
    is "$(kept parent)" 1 "$counted_text: and the parent's"
    is "$logs" 1 "$counted_text: in one log"
    counted 137 700k files=600 kill
    killed 600 380
    counted 0 700k files=10 fork files=600 exec=/bin/true
    killed 611 380
    counted 0 700k files=10 fork files=600
    ended 610
else
    skip 'an old kernel' 'kernel: seccomp'
fi
finish
