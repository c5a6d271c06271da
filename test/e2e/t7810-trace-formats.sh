# t7810-trace-formats.sh - darshan-trace: other formats, read from files created here, and written
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"
[ -n "$PYTHON3" ] || skip_all 'package python3'
trace=$DSN_PREFIX/bin/darshan-trace
blocks=$DSN_SRC/test/decode/block_trace.py

# events TRACE [OPTION]...: start, duration, operation, class, flags, process, file, offset, length of each, in one line
events() {
    events_of=$1
    shift
    "$trace" export --to csv "$@" "$events_of" 2>err | sed 1d | cut -d, -f1-9 | tr '\n' ' '
}

# -- fio, versions 3 and 2
printf 'fio version 3 iolog\n27 /d/a b add\n152 /d/a b open\n157 /d/a b read 0 4096\n401 /d/a b write 45056 512\n500 /d/a b trim 0 8192\n629 /d/a b close\n' >fio3
is "$(events fio3)" '0.000152000,0.000000000,open,data,-,0,1,0,0 0.000157000,0.000000000,read,data,-,0,1,0,4096 0.000401000,0.000000000,write,data,-,0,1,45056,512 0.000500000,0.000000000,discard,data,-,0,1,0,8192 0.000629000,0.000000000,close,data,-,0,1,0,0 ' 'fio 3'
printf 'fio version 2 iolog\n/d/a add\n/d/a open\n/d/a read 0 4096\nwait 1000 0\n/d/a datasync\n/d/a close\n' >fio2
is "$(events fio2)" '0.000000000,0.000000000,open,data,-,0,1,0,0 0.000000000,0.000000000,read,data,-,0,1,0,4096 0.001000000,0.000000000,sync,data,-,0,1,0,0 0.001000000,0.000000000,close,data,-,0,1,0,0 ' 'fio 2, which has waits'
printf 'fio version 3 iolog\n27 /d/a steal 0 1\n' >fio.bad
check 'another action' status 1 "$trace" import fio.bad
check 'is told with its line' grep -q 'line 2 is not a file with an action' err
cat fio3 fio3 >fio.joined
check 'logs that were joined' status 1 "$trace" import fio.joined
check 'are to be merged instead' grep -q 'line 8 begins another trace: .* give each of them to darshan-trace merge' err
check 'which reads them' status 0 "$trace" merge fio3 fio3
is "$(grep -vc ^ff out)" 4 'two requests of each'
"$trace" gen --copies 3 --scale 100 venus >three
"$trace" export --to fio three >one 2>err
is "$? $(cat err)" '1 darshan-trace: the output has several processes, and fio needs a file for each: use --output PREFIX' 'fio has one process a file'
check 'a file a process' status 0 "$trace" export --to fio --output part three
is "$(cat part.1 part.2 part.3 | grep -cE ' (read|write) ')" "$(wc -l <three)" 'with all requests'
"$trace" export --to csv three | awk -F, '$6 == 2 { print $3, $8, $9 }' >want
sed -nE 's/.* (read|write) ([0-9]+) ([0-9]+)$/\1 \2 \3/p' part.2 >got
check 'each in its own' alike want got

# -- strace: positions are followed; calls that end on another line; failures; forks; appending
cat >strace.1 <<'END'
100 1000.000000 openat(AT_FDCWD</d>, "/d/a", O_RDWR|O_CREAT|O_TRUNC, 0666) = 3</d/a> <0.000010>
100 1000.000100 write(3</d/a>, "(\"), = 7"..., 4096) = 4096 <0.000020>
100 1000.000200 lseek(3</d/a>, 0, SEEK_SET) = 0 <0.000001>
100 1000.000300 read(3</d/a>,  <unfinished ...>
101 1000.000310 write(1<pipe:[7]>, "x", 1) = 1 <0.000002>
100 1000.000400 <... read resumed>"abc", 3) = 3 <0.000110>
100 1000.000500 dup(3</d/a>) = 4</d/a> <0.000001>
100 1000.000600 read(4</d/a>, "d", 1) = 1 <0.000001>
100 1000.000700 pwrite64(3</d/a>, "zz", 2, 100) = 2 <0.000001>
100 1000.000800 read(3</d/a>, 0x1, 4096) = -1 EFAULT (Bad address) <0.000001>
100 1000.000900 clone(child_stack=NULL, flags=CLONE_CHILD_CLEARTID|SIGCHLD) = 102 <0.000050>
102 1000.001000 read(3</d/a>, "e", 1) = 1 <0.000001>
102 1000.001100 +++ exited with 0 +++
100 1000.001200 openat(AT_FDCWD</d>, "/d/l", O_WRONLY|O_CREAT|O_EXCL|O_APPEND, 0666) = 5</d/l> <0.000010>
100 1000.001300 write(5</d/l>, "12345", 5) = 5 <0.000001>
100 1000.001400 lseek(5</d/l>, 0, SEEK_SET) = 0 <0.000001>
100 1000.001500 writev(5</d/l>, [{iov_base="67", iov_len=2}, {iov_base="8", iov_len=1}], 2) = 3 <0.000001>
100 1000.001600 copy_file_range(3</d/a>, [10], 5</d/l>, NULL, 20, 0) = 20 <0.000003>
100 1000.001700 ftruncate(5</d/l>, 4) = 0 <0.000001>
100 1000.001800 fsync(5</d/l>) = 0 <0.002000>
100 1000.001900 --- SIGCHLD {si_signo=SIGCHLD} ---
100 1000.002000 close(5</d/l>) = 0 <0.000001>
100 1000.002100 truncate("/d/a", 7) = 0 <0.000001>
END
"$trace" export --to csv strace.1 2>err | awk -F, 'NR > 1 { printf "%s %s %s %s %s %s\n", $3, $5, $6, $8, $9, $12 }' | tr -d '"' >got
cat >want <<'END'
open - 100 0 0 /d/a
write - 100 0 4096 /d/a
seek - 100 0 0 /d/a
read - 100 0 3 /d/a
write no-offset 101 0 1 pipe:[7]
read - 100 3 1 /d/a
write - 100 100 2 /d/a
read failed 100 4 0 /d/a
read - 102 4 1 /d/a
open - 100 0 0 /d/l
write - 100 0 5 /d/l
seek - 100 0 0 /d/l
write - 100 5 3 /d/l
read - 100 10 20 /d/a
write - 100 8 20 /d/l
truncate - 100 4 0 /d/l
sync - 100 0 0 /d/l
close - 100 0 0 /d/l
truncate - 100 7 0 /d/a
END
check 'strace' alike want got
is "$("$trace" export --to csv strace.1 2>err | awk -F, '$5 == "no-offset" || $3 == "sync" { print $1, $2 }' | tr '\n' ' ')" \
    '0.000310000 0.000002000 0.001800000 0.002000000 ' 'its times'
"$trace" import strace.1 2>err >imported
is "$("$trace" export --to csv imported 2>/dev/null | cut -d, -f1-3,6-9,12 | md5sum)" \
    "$("$trace" export --to csv strace.1 2>/dev/null | cut -d, -f1-3,6-9,12 | md5sum)" 'Miller text keeps all of that, opens and names in its directives'

# -- requests to devices: four tools, the same requests
"$PYTHON3" "$blocks" make 7 3000 rec >want
"$PYTHON3" "$blocks" ftrace 7 3000 >rec.ftrace
"$PYTHON3" "$blocks" biosnoop 7 3000 >rec.biosnoop
"$PYTHON3" "$blocks" swap rec.blktrace.0 swapped.blktrace.0
"$PYTHON3" "$blocks" swap rec.blktrace.1 swapped.blktrace.1
# a recording that began 100 ns after the clock did: Miller text tells microseconds
"$PYTHON3" -c 'import sys, struct
def one(sequence, time, size, action, data=b""):
    return struct.pack("<IIQQIIIIIHH", 0x65617407, sequence, time, 0, size, action, 42, 7 << 20, 0, 0, len(data)) + data
sys.stdout.buffer.write(one(1, 0, 0, 0x04000001, struct.pack("<II", 0, 100)) + one(2, 100, 4096, 0x00420007) + one(3, 900, 4096, 0x00820008))' >early.blktrace.0
"$trace" import early.blktrace.0 2>/dev/null >early.once
"$trace" import early.once 2>/dev/null >early.twice
check 'Miller text of a recording that begins with the clock is the same again' cmp early.once early.twice
is "$(grep -vc '^ff' early.once)" 1 'and has its request'
# requests TRACE: as block_trace.py tells them
requests() {
    "$trace" export --to csv "$1" | "$PYTHON3" -c 'import csv, sys
for r in csv.DictReader(sys.stdin):
    ns = lambda t: int(t.split(".")[0]) * 10 ** 9 + int(t.split(".")[1])
    print(ns(r["start"]), ns(r["duration"]), r["operation"][0].upper(), r["offset"], r["length"], r["process"])'
}
requests rec.blktrace.0 >got
check 'blktrace: issue to completion, over processors' alike want got
requests swapped.blktrace.0 >got
check 'of the other byte order' alike want got
is "$("$trace" merge rec.blktrace.0 rec.blktrace.1 2>/dev/null | grep -vc ^ff)" 3000 'all files of a recording are each request once'
check 'when it was recorded' sh -c '"$0" stat --json rec.blktrace.0 | grep -qF "\"epoch\": 1700000000.000000123,"' "$trace"
if command -v blkparse >/dev/null; then
    blkparse -q -i rec -d rec.all >rec.text
    requests rec.text >got
    check 'text of blkparse' alike want got
    requests rec.all >got
    check 'binary of blkparse, of all processors' alike want got
else
    skip 'text of blkparse' 'package blktrace'
fi
awk '{ print $2, $3, $4, $5, $6 }' want >want.relative
requests rec.ftrace | awk '{ print $2, $3, $4, $5, $6 }' >got
check 'trace points' alike want.relative got
awk '{ print $3, $4, $5, $6 }' want | sort >want.sorted
requests rec.biosnoop | awk '{ print $3, $4, $5, $6 }' | sort >got
check 'biosnoop' alike want.sorted got
is "$(events rec.biosnoop | tr ' ' '\n' | awk -F, 'NR == 1 { print $2 }')" "$(awk 'NR == 1 { printf "%.6f000", int($2 / 1000 + .5) / 1e6 }' want)" 'how long it took'

cat rec.biosnoop rec.biosnoop >joined
check 'tables of biosnoop that were joined' status 1 "$trace" import joined
check 'are to be merged instead' grep -q "line $(($(wc -l <rec.biosnoop) + 1)) begins another trace: .* darshan-trace merge" err

# -- a text without any request is no trace
printf 'hello\nworld\n' >no.requests
for format in blkparse ftrace; do
    check "a text that is not of $format" status 1 "$trace" import --from $format no.requests
    check 'is told with what is needed' grep -Eq 'no.requests: has no (request issued .* -f|block_rq_issue .* trace-cmd report)$' err
done
grep -v block_rq_ rec.ftrace >no.requests
check 'a recording of other events' status 1 "$trace" stat --from ftrace no.requests
"$PYTHON3" "$blocks" ftrace 7 3000 | grep -v block_rq_complete >issued
is "$("$trace" export --to csv issued 2>/dev/null | sed 1d | wc -l)" "$(grep -c block_rq_issue: issued)" 'requests that were not completed are some'

# -- published collections
printf '128166372003061629,usr,0,Read,7014609920,24576,41286\n128166372016382155,usr,1,Write,2517696,4096,703402\n' >msr
is "$(events msr)" '0.000000000,0.004128600,read,data,physical,0,0,7014609920,24576 1.332052600,0.070340200,write,data,physical,0,1,2517696,4096 ' 'MSR Cambridge'
is "$("$trace" import msr | grep epoch)" 'ff !epoch_us 1172163600306162' 'its times are those of Windows'
printf '1538323200,12910952,128,0,1063\n1538323201,6338688,8,1,1627\n' >tencent
is "$(events tencent)" '0.000000000,0.000000000,read,data,physical,0,1063,6610407424,65536 1.000000000,0.000000000,write,data,physical,0,1627,3245408256,4096 ' 'Tencent'
"$PYTHON3" - <<'END'
import struct
with open("vscsi.1", "wb") as f:
    for i, (command, block, us) in enumerate(((0x28, 100, 5000), (0x2a, 200, 6000), (0x00, 0, 6500), (0x8a, 1 << 33, 7000))):
        f.write(struct.pack("<IIIHHQQ", i, 4096 * (i + 1), 1, command, 1 << 8, block, us))
with open("vscsi.2", "wb") as f:
    for i, (command, block, us, rt) in enumerate(((0x28, 100, 5000, 10), (0x2a, 200, 6000, 20))):
        f.write(struct.pack("<HHIIIQQQ", command, 2 << 8, i, 4096, 1, block, us, rt))
with open("oracle", "wb") as f:
    for row in ((1, 7, 100, 2), (1, 8, 200, -1), (3, 7, 100, -1)):
        f.write(struct.pack("<IQIq", *row))
END
is "$(events vscsi.1)" '0.000000000,0.000000000,read,data,physical,0,0,51200,4096 0.001000000,0.000000000,write,data,physical,0,0,102400,8192 0.002000000,0.000000000,write,data,physical,0,0,4398046511104,16384 ' 'vscsi 1'
is "$(events vscsi.2)" '0.000000000,0.000010000,read,data,physical,0,0,51200,4096 0.001000000,0.000020000,write,data,physical,0,0,102400,4096 ' 'vscsi 2'
is "$(events oracle)" '1.000000000,0.000000000,read,data,-,0,7,0,100 1.000000000,0.000000000,read,data,-,0,8,0,200 3.000000000,0.000000000,read,data,-,0,7,0,100 ' 'oracleGeneral'
cat oracle oracle >joined
check 'those that were joined' status 1 "$trace" import joined
check 'are to be merged instead' grep -q 'at byte 72 begins another trace: .* darshan-trace merge' err
is "$("$trace" import joined 2>/dev/null | grep -vc ^ff)" 3 'what comes before is read'
head -c 60 oracle >cut
check 'a record that is cut off' status 1 "$trace" import --from oracle cut
"$trace" export --to oracle three >oracle.out 2>err
is "$("$PYTHON3" - <<'END'
import csv, struct, subprocess
data = open("oracle.out", "rb").read()
rows = [struct.unpack_from("<IQIq", data, at) for at in range(0, len(data), 24)]
places, want = {}, []
import os
out = subprocess.run([os.environ["DSN_PREFIX"] + "/bin/darshan-trace", "export", "--to", "csv", "three"], stdout=subprocess.PIPE, text=True, check=True).stdout
events = [(int(float(r["start"])), (r["process"], r["file"], r["offset"]), int(r["length"])) for r in csv.DictReader(out.splitlines())]
following = {}
for i in range(len(events) - 1, -1, -1):
    want.append((events[i][0], events[i][2], following.get(events[i][1], -1)))
    following[events[i][1]] = i
want.reverse()
print([(r[0], r[2], r[3]) for r in rows] == want, len({r[1] for r in rows}) == len(following))
END
)" 'True True' 'oracleGeneral is written with when an object is asked for again'

# -- JSON for viewers
"$trace" export --to chrome strace.1 >chrome 2>err
is "$("$PYTHON3" -c 'import json
e = json.load(open("chrome"))["traceEvents"]
print(len(e), e[1]["name"], e[1]["ts"], e[1]["dur"], e[1]["args"])')" "19 write 100.0 20.0 {'file': 1, 'offset': 0, 'length': 4096, 'path': '/d/a'}" 'Chrome'
"$trace" export --to ftio venus 2>/dev/null || "$trace" gen venus >venus
"$trace" export --to ftio venus >ftio
is "$("$PYTHON3" -c 'import json
n = bytes = 0
for line in open("ftio"):
    for name, d in json.loads(line).items():
        b = d["bandwidth"]
        n += d["total_io_ops"]
        bytes += sum(w * (e - s) for w, s, e in zip(b["b_rank_avr"], b["t_rank_s"], b["t_rank_e"]))
print(n, round(bytes / 16350281728, 6))')" '34904 1.0' 'FTIO: bandwidth times time is the bytes'

# -- traces of our own runtime, and of real logs
DARSHAN_ENABLE_NONMPI=1 DXT_ENABLE_IO_TRACE=1
export DARSHAN_ENABLE_NONMPI DXT_ENABLE_IO_TRACE
run preload 0 dd if=/dev/zero of=made bs=10000 count=50 2>/dev/null
log=$(latest_log)
is "$("$trace" export --to csv "$log" | grep -c ",write,.*/made\"")" 50 'a trace of our runtime'
is "$("$trace" import - <"$log" | md5sum)" "$("$trace" import "$log" | md5sum)" 'of a log through a pipe'
unset DXT_ENABLE_IO_TRACE
run preload 0 dd if=/dev/zero of=made bs=10000 count=50 2>/dev/null
"$trace" stat "$(latest_log)" >out 2>err
is "$?" 1 'a log without traces'
check 'says how to get them' grep -q DXT_ENABLE_IO_TRACE err
if real_logs 'traces of real logs'; then
    for log in "$real"/*dxt*.darshan; do
        "$trace" export --to csv "$log" 2>/dev/null | awk -F, 'NR > 1 { n[$3]++; b[$3] += $9 } END { print n["read"] + 0, b["read"] + 0, n["write"] + 0, b["write"] + 0 }' >got
        "$DSN_PREFIX/bin/darshan-dxt-parser" --show-incomplete "$log" 2>/dev/null | awk '
            /^# DXT, file_id/ { id = $4 }
            / X_POSIX / { posix[id] = 1; n[$3]++; b[$3] += $6 }
            / X_MPIIO / { if (!(id in posix)) { m[id " " $3]++; mb[id " " $3] += $6 } }
            END {
                for (k in m) { split(k, p, " "); if (!(p[1] in posix)) { n[p[2]] += m[k]; b[p[2]] += mb[k] } }
                print n["read"] + 0, b["read"] + 0, n["write"] + 0, b["write"] + 0
            }' >want
        check "as darshan-dxt-parser: ${log##*/}" alike want got
    done
fi
finish
