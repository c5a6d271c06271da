# t7210-merge.sh - darshan-merge: logs of single ranks become one, their records of a file one shared record
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"
. "$DSN_SRC/test/e2e/known.sh"

merge=$DSN_PREFIX/bin/darshan-merge
convert=$DSN_PREFIX/bin/darshan-convert
parser=$DSN_PREFIX/bin/darshan-parser

# value MODULE RANK NAME COUNTER: what the merged log says
value() {
    "$parser" --show-incomplete merged.darshan |
        awk -F '\t' -v m="$1" -v r="$2" -v f="$3" -v c="$4" '$1 == m && $2 == r && $6 == f && $4 == c { print $5 }'
}

# counts MODULE RANK NAME COUNTER=VALUE...
counts() {
    counts_of="$1 $2 $3"
    for pair; do
        case $pair in
        *=*) is "$(value $counts_of "${pair%%=*}")" "${pair#*=}" "$counts_of ${pair%%=*}" ;;
        esac
    done
}

# ranks MODULE: ranks of its records, in order
ranks() {
    "$parser" --show-incomplete merged.darshan | awk -F '\t' -v m="$1" '$1 == m && $4 ~ /_BYTES_READ$/ { print $2 }' | tr '\n' ' '
}

# -- two ranks --

forge 0.darshan <<'END'
job uid=7 jobid=99 nprocs=2 start=1000 end=1010
exe ./app -x
metadata lib_ver=3.5.0
mount ext4 /
record POSIX 0 /s/shared POSIX_OPENS=1 POSIX_READS=4 POSIX_BYTES_READ=400 POSIX_MAX_BYTE_READ=399 POSIX_MODE=420 POSIX_ACCESS1_ACCESS=100 POSIX_ACCESS1_COUNT=4 POSIX_SIZE_READ_0_100=4 POSIX_MAX_READ_TIME_SIZE=100 POSIX_F_MAX_READ_TIME=0.75 POSIX_F_OPEN_START_TIMESTAMP=0.5 POSIX_F_OPEN_END_TIMESTAMP=0.75 POSIX_F_READ_TIME=1.5 POSIX_F_META_TIME=0.25 POSIX_MMAPS=-1
record POSIX 0 /s/own0 POSIX_OPENS=1
record STDIO 0 /s/text STDIO_OPENS=1 STDIO_WRITES=10 STDIO_BYTES_WRITTEN=1000 STDIO_F_WRITE_TIME=0.5
END
forge 1.darshan <<'END'
job uid=7 jobid=99 nprocs=2 start=999 end=1020
exe ./other
metadata lib_ver=3.4.0
record POSIX 1 /s/own1 POSIX_OPENS=1
record POSIX 1 /s/shared POSIX_OPENS=2 POSIX_WRITES=3 POSIX_BYTES_WRITTEN=600 POSIX_MAX_BYTE_WRITTEN=999 POSIX_MODE=384 POSIX_ACCESS1_ACCESS=200 POSIX_ACCESS1_COUNT=3 POSIX_SIZE_WRITE_100_1K=3 POSIX_MAX_WRITE_TIME_SIZE=200 POSIX_F_MAX_WRITE_TIME=0.875 POSIX_F_OPEN_START_TIMESTAMP=0.25 POSIX_F_OPEN_END_TIMESTAMP=0.375 POSIX_F_WRITE_TIME=2.0 POSIX_F_META_TIME=0.5 POSIX_MMAPS=-1
END

rm -f merged.darshan
check 'two logs' status 0 "$merge" --output merged.darshan 0.darshan 1.darshan
is "$(cat out err)" '' 'without a word'
is "$(ranks POSIX)" '0 0 1 1 ' 'records keep their order'
is "$(stat -c %a merged.darshan)" 400 'mode'
is "$("$parser" --show-incomplete merged.darshan | grep -E '^# (exe|uid|jobid|start_time|end_time|nprocs|metadata|mount entry):' | tr '\n' ';')" \
    '# exe: ./app -x;# uid: 7;# jobid: 99;# start_time: 999;# end_time: 1020;# nprocs: 2;# metadata: lib_ver = 3.5.0;# mount entry:	/	ext4;' \
    'the job is that of the first log, its times are those of all'
is "$(od -An -tx8 -j24 -N8 merged.darshan | tr -d ' ')" 0000000000000001 'the mask of partial modules'
check 'names of all logs' test "$("$parser" --show-incomplete merged.darshan | cut -f6 | grep -c '/s/own1')" -gt 0

rm -f merged.darshan
check '--job-end-time' status 0 "$merge" --job-end-time 2000 --output merged.darshan 0.darshan 1.darshan
is "$("$parser" --show-incomplete merged.darshan | grep '^# end_time:')" '# end_time: 2000' 'is what it ends at'

rm -f merged.darshan
check '--shared-redux' status 0 "$merge" --shared-redux --output merged.darshan 0.darshan 1.darshan
is "$(ranks POSIX)" '-1 0 1 ' 'shared records come first, the others are as they were'
is "$(ranks STDIO)" '0 ' 'what one rank has only is not shared'
# Sums; -1 ("not available") stays; least and greatest times and offsets; the last rank's mode.
counts POSIX -1 /s/shared POSIX_OPENS=3 POSIX_READS=4 POSIX_WRITES=3 POSIX_BYTES_READ=400 POSIX_BYTES_WRITTEN=600 \
    POSIX_SIZE_READ_0_100=4 POSIX_SIZE_WRITE_100_1K=3 POSIX_MMAPS=-1 POSIX_MAX_BYTE_READ=399 POSIX_MAX_BYTE_WRITTEN=999 \
    POSIX_MODE=384 POSIX_MAX_READ_TIME_SIZE=100 POSIX_MAX_WRITE_TIME_SIZE=200 POSIX_F_MAX_READ_TIME=0.750000 \
    POSIX_F_MAX_WRITE_TIME=0.875000 POSIX_F_OPEN_START_TIMESTAMP=0.250000 POSIX_F_OPEN_END_TIMESTAMP=1.750000 \
    POSIX_F_READ_TIME=1.500000 POSIX_F_WRITE_TIME=2.000000 POSIX_F_META_TIME=0.750000
# Rank 0: 1.5 + 0.25 s for 400 bytes; rank 1: 2.0 + 0.5 s for 600.
counts POSIX -1 /s/shared POSIX_FASTEST_RANK=0 POSIX_FASTEST_RANK_BYTES=400 POSIX_F_FASTEST_RANK_TIME=1.750000 \
    POSIX_SLOWEST_RANK=1 POSIX_SLOWEST_RANK_BYTES=600 POSIX_F_SLOWEST_RANK_TIME=2.500000 \
    POSIX_ACCESS1_ACCESS=100 POSIX_ACCESS1_COUNT=4 POSIX_ACCESS2_ACCESS=200 POSIX_ACCESS2_COUNT=3 POSIX_ACCESS3_COUNT=0
counts POSIX 1 /s/own1 POSIX_OPENS=1

# By the rules of the runtime there are variances, too: of 1.75 and 2.5 s, and of 400 and 600 bytes.
rm -f merged.darshan
check '--exact' status 0 "$merge" --shared-redux --exact --output merged.darshan 0.darshan 1.darshan
counts POSIX -1 /s/shared POSIX_OPENS=3 POSIX_F_VARIANCE_RANK_TIME=0.140625 POSIX_F_VARIANCE_RANK_BYTES=10000.000000 \
    POSIX_FASTEST_RANK=0 POSIX_SLOWEST_RANK=1 POSIX_ACCESS1_ACCESS=100 POSIX_F_OPEN_START_TIMESTAMP=0.250000
# -- not all ranks --

cat >three.in <<'END'
job nprocs=3
exe x
mount ext4 /
record POSIX 0 /s/shared POSIX_OPENS=1 POSIX_BYTES_READ=1
END
forge three.darshan <three.in
rm -f merged.darshan
sed 's/1$/2/; s/POSIX 0/POSIX 1/' three.in >three1.in
forge three1.darshan <three1.in
check 'a job of three ranks, of which two are there' "$merge" --shared-redux --output merged.darshan three.darshan three1.darshan
is "$(ranks POSIX)" '0 1 ' 'has no shared record'

# -- many logs, more than stay open --

"$PYTHON3" - "$DSN_SRC/test/decode" <<'END'
import sys
sys.path.insert(0, sys.argv[1])
sys.dont_write_bytecode = True
import forge
for i in range(100):
    d = forge.Draft()
    for line in ("job nprocs=100 start=%d end=%d" % (500 - i, 500 + i), "exe x", "mount ext4 /",
                 "record POSIX %d /s/all POSIX_OPENS=1 POSIX_READS=%d POSIX_F_READ_TIME=%d" % (i, i, i),
                 "record POSIX %d /s/own.%d POSIX_OPENS=1" % (i, i)):
        d.line(line)
    d.write("many.%02d.darshan" % i)
END
rm -f merged.darshan
check 'a hundred logs' sh -c 'ulimit -n 80; "$0" --shared-redux --output merged.darshan many.*.darshan' "$merge"
counts POSIX -1 /s/all POSIX_OPENS=100 POSIX_READS=4950 POSIX_SLOWEST_RANK=99 POSIX_FASTEST_RANK=0 POSIX_F_READ_TIME=4950.000000
is "$(ranks POSIX | wc -w)" 101 'records'
is "$("$parser" --show-incomplete merged.darshan | grep -E '^# (start|end)_time:' | tr '\n' ';')" '# start_time: 401;# end_time: 599;' 'times'

# -- what the runtime reduces, and what darshan-merge makes of the same program's unreduced records --

fresh_logs
mkdir -p data
if compile preload ./program mpi-shared.c && execute preload 4 ./program "$PWD/data" >/dev/null 2>&1; then
    reduced=$(latest_log)
    fresh_logs
    (
        export DARSHAN_DISABLE_SHARED_REDUCTION=1
        execute preload 4 ./program "$PWD/data" >/dev/null 2>&1
    )
    single=$(latest_log)
    rm -f merged.darshan
    check 'a log whose shared records were not reduced' "$merge" --shared-redux --exact --output merged.darshan "$single"
    # Times differ from run to run, and with them who was slowest, and what its slowest access was. Logs of single ranks have
    # four frequent values of each file; of below.dat these are not those of all ranks.
    stable() {
        "$parser" --show-incomplete "$1" |
            grep -avE '^#|_F_|_(FASTEST|SLOWEST)_RANK|_TIME_SIZE|^$|^HEATMAP|^LUSTRE|^DXT|_(ACCESS|STRIDE)[1-4]_.*/below\.dat' |
            cut -f 1-6 | sort
    }
    stable "$reduced" >want
    stable merged.darshan >got
    check 'has the integers of the reduced log' alike want got
    check 'of shared records among them' grep -q '	-1	' got
    "$PYTHON3" "$DSN_SRC/test/decode/decode.py" "$single" | grep -A 20 '"extension"' >want
    "$PYTHON3" "$DSN_SRC/test/decode/decode.py" merged.darshan | grep -A 20 '"extension"' >got
    check 'and the extension section of the only log' alike want got
else
    not_ok 'records of a program' 'it does not compile, or its exit status is not 0'
fi

# -- APMPI: the records of all logs, behind one header --

# Ranks with 1, 3, 5 and 7 s in MPI, of that 0.5, 0.5, 1.5 and 1.5 s waiting: variances 5 and 0.25.
"$PYTHON3" - "$DSN_SRC/test/decode" <<'END'
import struct
import sys
sys.path.insert(0, sys.argv[1])
sys.dont_write_bytecode = True
import forge
import other_modules as m

def log(path, times, sync):
    d = forge.Draft()
    for line in ("job nprocs=4", "exe x", "mount ext4 /"):
        d.line(line)
    d.records[14] = [struct.pack("<QqqIIdd", 7, 0, m.APMPI_MAGIC, sync, 0, 99.0, 99.0)]
    for rank, comm, waits in times:
        d.records[14].append(struct.pack("<Qq%dQ%dd%dd128s" % (len(m.APMPI_INTS), len(m.APMPI_FLOATS), 18), 8, rank,
                                         *[rank] * len(m.APMPI_INTS), *[0.0] * (len(m.APMPI_FLOATS) + 16), comm, waits,
                                         b"node%d" % rank))
    d.write(path)

log("apmpi.0", ((0, 1.0, 0.5), (1, 3.0, 0.5)), 1)
log("apmpi.1", ((2, 5.0, 1.5), (3, 7.0, 1.5)), 1)
log("apmpi.nosync", ((2, 5.0, 0.0), (3, 7.0, 0.0)), 0)
END
# apmpi LOG...: variances, number of headers, hosts in order, and whether waiting is printed, of the merged log
apmpi() {
    rm -f merged.darshan
    status 0 "$merge" --output merged.darshan "$@" && [ ! -s err ] || { cat out err; return 1; }
    "$parser" --show-incomplete merged.darshan | awk -F '\t' '$1 == "APMPI" {
        if ($4 ~ /_VARIANCE$/) printf "%s ", $5
        if ($4 == "MPI_PROCESSOR_NAME") printf "%s=", $5
        if ($4 == "MPI_SEND_CALL_COUNT") printf "%s ", $5
        if ($4 == "MPI_TOTAL_COMM_SYNC_TIME") printf "(%s) ", $5 }'
}
is "$(apmpi apmpi.0 apmpi.1)" \
    '5.000000 0.250000 node0=0 (0.500000) node1=1 (0.500000) node2=2 (1.500000) node3=3 (1.500000) ' 'two logs with APMPI'
is "$(apmpi apmpi.0 apmpi.nosync)" '5.000000 node0=0 node1=1 node2=2 node3=3 ' 'one of which did not measure waiting'
is "$(apmpi --force apmpi.0 0.darshan)" '99.000000 99.000000 node0=0 (0.500000) node1=1 (0.500000) ' 'the header of one stays as it is'

# -- nothing is lost of any module, by convert neither --

check 'random logs' "$PYTHON3" "$DSN_SRC/test/decode/carried.py" "$DSN_PREFIX/bin" 1 60

# -- parts of one log --

log=$DSN_SRC/test/golden/mpi-io-test-x86_64-3.5.0.darshan
rm -f merged.darshan
check 'one log' "$merge" --output merged.darshan "$log"
"$parser" --show-incomplete "$log" | grep -av '^#' >want
"$parser" --show-incomplete merged.darshan | grep -av '^#' | sed '/./,$!d' >got
is "$(grep -c . got)" "$(grep -c . want)" 'all its records'
sed '/./!d' want >want.1
sed '/./!d' got >got.1
check 'as they were' cmp want.1 got.1

# -- nothing to merge --

rm -f merged.darshan
check 'no logs: exit status 2' status 2 "$merge" --output merged.darshan
check 'nothing is written' test ! -e merged.darshan

# -- usage and failures --

check 'no --output: exit status 2' status 2 "$merge" 0.darshan
check '--help' status 0 "$merge" --help
check 'no such option: exit status 2' status 2 "$merge" --nonsense --output x 0.darshan
check 'no number: exit status 2' status 2 "$merge" --job-end-time soon --output x 0.darshan

refused() {
    rm -f bad.darshan
    status 1 "$@" || return 1
    [ "$(wc -l <err)" = 1 ] && [ ! -s out ] && [ ! -e bad.darshan ] && [ -z "$(ls -A | grep '^\.darshan-')" ] ||
        { ls -A; cat out err; return 1; }
}

check 'no such log' refused "$merge" --output bad.darshan 0.darshan nowhere.darshan
check 'no such directory' refused "$merge" --output no/where/bad.darshan 0.darshan
# The same id with another name: the bytes of the name are changed.
"$PYTHON3" - "$DSN_SRC/test/decode" <<'END'
import sys
sys.path.insert(0, sys.argv[1])
sys.dont_write_bytecode = True
import forge
d = forge.Draft()
d.line("job uid=7 jobid=99 nprocs=2")
d.line("exe x")
d.line("mount ext4 /")
d.line("record POSIX 1 /s/shared POSIX_OPENS=1")
d.names = {n: "/another/name" for n in d.names}
d.write("other.darshan")
END
check 'a record id with two names' refused "$merge" --output bad.darshan 0.darshan other.darshan
cut_off() {
    size=$(stat -c %s 1.darshan)
    n=$((size - 1))
    while [ $n -gt 0 ]; do
        head -c $n 1.darshan >cut.darshan
        refused "$merge" --shared-redux --output bad.darshan 0.darshan cut.darshan || { echo "cut off at $n of $size"; return 1; }
        n=$((n - 41))
    done
}
check 'a log that is cut off' cut_off
finish
