# t8220-block.sh - darshan-block: known results of the study, live recordings of loop devices compared with blkparse
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"
block=$DSN_PREFIX/bin/darshan-block

# says FILE EXPRESSION: of the JSON document d
says() {
    "$PYTHON3" -c "import json, sys; d = json.load(open(sys.argv[1]))
print($2)" "$1"
}

# -- ten bands: 10,000 requests in 700 s, 4,200 on one sector, 4,800 on 1,499 others of its band, 1,000 on the other nine
cat >make.py <<'PY'
import sys

def line(i, t, action, what, sector, n):
    return "  8,0    0 %8d %12.9f   77  %s   %s %d + %d [x]\n" % (i, t, action, what, sector, n)

def request(out, t, what, sector, n):
    out.write(line(request.i, t, "D", what, sector, n) + line(request.i + 1, t + 1e-4, "C", what, sector, n))
    request.i += 2
request.i = 1

with open("ten", "w") as out:
    places = [45000] * 4200 + [60 * (i % 1499) + 2 for i in range(4800)] + [100000 * (1 + i % 9) + 7 * i for i in range(1000)]
    order = sorted(range(10000), key=lambda i: (i * 7919) % 10000)
    for k, i in enumerate(order):
        request(out, k * 0.07, "W" if i % 2 else "R", places[i], 2 if i % 4 else 32)

# the study's table: requests of one disk, their share of reads, requests a second
for name, n, reads, rate in ("idle", 1782, 0, 0.891), ("ppm", 358, 4, 1.4), ("wavelet", 88342, 49, 294.473), ("nbody", 638, 13, 1.0):
    seconds = n / rate
    with open(name, "w") as out:
        written = n - round(n * reads / 100)
        for i in range(n):
            is_write = (i + 1) * written // n - i * written // n
            request(out, i * seconds / n, "W" if is_write else "R", 8 * i, 2)
PY
"$PYTHON3" make.py
"$block" report --json --duration 700 --sectors 1000000 ten >ten.json
is "$(says ten.json "[(c['bands'], round(c['of_disk'], 6)) for c in d['places']['concentration']]")" \
    '[(1, 0.1), (1, 0.1), (1, 0.1), (10, 1.0)]' 'one band of ten holds 50, 80 and 90 % of the requests'
is "$(says ten.json "(d['places']['hottest'][0]['sector'], d['places']['hottest'][0]['per_second'], d['places']['hottest'][0]['accesses'])")" \
    '(45000, 6.0, 4200)' 'the hottest sector is 45,000, 6 times a second'
is "$(says ten.json "(d['read']['classes']['small']['requests'] + d['write']['classes']['small']['requests'], d['read']['classes']['large']['bytes'])")" \
    '(7500, 40960000)' 'sizes: 7,500 of 1 KiB, 2,500 of 16 KiB'
is "$(says ten.json "(d['read']['requests'], d['write']['requests'], d['depth']['most'], round(d['read']['latency_seconds']['50'], 5))")" \
    '(5000, 5000, 1, 0.0001)' 'reads, writes, depth, and the latency of 100 us'
check 'as text' status 0 "$block" report --duration 700 --sectors 1000000 ten
is "$(grep -c '90 % of the requests are in 1, 10.00 % of the disk' out)" 1 'too'

# -- beyond the baseline: the figures that the published rates imply
beyond() {
    "$block" report --json --baseline idle --duration "$2" "$1" >net.json
    # the baseline's own length is that of its requests: one interval less than 2,000 s
    says net.json "[round(x, 1) for x in (d['read']['beyond_baseline']['raw'] + d['write']['beyond_baseline']['raw'],
        d['write']['beyond_baseline']['raw'], d['write']['beyond_baseline']['net'])]"
}
is "$(beyond ppm 255.714)" '[130.0, 116.0, 116.0]' 'PPM: 130 requests, 116 writes'
is "$(beyond wavelet 300)" '[88074.5, 44786.5, 44786.5]' 'wavelet: 88,074 requests, 44,787 writes'
is "$(beyond nbody 638)" '[69.2, -13.8, 0.0]' 'N-body: 69 requests; its writes are fewer than idle ones, which is clamped'
is "$(says net.json "round(d['write']['beyond_baseline']['error'], 1)")" 47.1 'two standard deviations of 555 are 47.1'
"$block" report --baseline idle --duration 638 nbody >out
is "$(grep '^  write all ' out)" '  write all             555          0.0       47.1        -13.8  within two standard deviations of the baseline' \
    'which the text says'

# -- requests that are completed in pieces are one each: three pieces; one whose rest is issued again; one that ends early, and a
# neighbour of it that begins where its first piece ends; one whose rest never ends
cat >pieces <<'END'
  8,0    0        1  1.000000000   77  D   W 1000 + 64 [x]
  8,0    0        2  1.001000000   77  C   W 1000 + 16 [0]
  8,0    0        3  1.002000000   77  C   W 1016 + 16 [0]
  8,0    0        4  1.004000000   77  C   W 1032 + 32 [0]
  8,0    0        5  2.000000000   77  D   R 5000 + 8 [x]
  8,0    0        6  2.001000000   77  C   R 5000 + 2 [0]
  8,0    0        7  2.002000000   77  R   R 5002 + 6 [0]
  8,0    0        8  2.003000000   77  D   R 5002 + 6 [x]
  8,0    0        9  2.005000000   77  C   R 5002 + 6 [0]
  8,0    0       10  3.000000000   77  D   R 7000 + 8 [x]
  8,0    0       11  3.000000000   77  D   R 7004 + 8 [x]
  8,0    0       12  3.001000000   77  C   R 7000 + 4 [0]
  8,0    0       13  3.002000000   77  C   R 7004 + 8 [0]
  8,0    0       14  4.000000000   77  D   W 9000 + 16 [x]
  8,0    0       15  4.001000000   77  C   W 9000 + 8 [0]
END
"$block" report --json pieces >pieces.json
is "$(says pieces.json "[(d[w]['requests'], d[w]['bytes'] // 512, [n for _, n in d[w]['latencies']]) for w in ('read', 'write')]")" \
    '[(3, 20, [1, 1, 1]), (2, 80, [1])]' 'pieces of a request are one request, with all of its bytes'
is "$("$DSN_PREFIX/bin/darshan-trace" export --to csv pieces 2>err | sed -n '2,3p' | cut -d, -f 1-3,8,9 | tr '\n' ' ')" \
    '1.000000000,0.004000000,write,512000,32768 2.000000000,0.005000000,read,2560000,4096 ' 'from its issue to its last piece'

# -- phases: reads about 50 s, a lull, a heavier end, above a write a second to either of two disks
cat >make-phases.py <<'PY'
import random
random.seed(3)
events = []

def request(t, disk, what, sector, n):
    events.append((t, disk, "D", what, sector, n))
    events.append((t + 1e-3, disk, "C", what, sector, n))
for t in range(700):
    request(t + random.random() / 2, 8 + t % 2 * 8, "W", 45000 + t % 2 * 355000, 2)
for _ in range(4000):
    request(random.uniform(43, 55), 8, "R", random.randrange(200000, 300000), 8)
for _ in range(10000):
    request(random.uniform(497, 699), 8, "R", random.randrange(0, 990000), 32)
request(699.9, 8, "W", 45000, 2)
with open("phases", "w") as out:
    for i, (t, disk, action, what, sector, n) in enumerate(sorted(events)):
        out.write("  %d,0    0 %8d %12.9f   77  %s   %s %d + %d [x]\n" % (disk, i, t, action, what, sector, n))
PY
"$PYTHON3" make-phases.py
"$block" report --json phases >phases.json
is "$(says phases.json "[round(p['to'] / 7) for p in d['phases']]")" '[6, 8, 71, 100]' 'the rate changes where reads begin and end, and at the heavier end'
is "$(says phases.json "([p['read']['requests'] for p in d['phases']], sum(p['write']['requests'] for p in d['phases']))")" \
    '([0, 4000, 0, 10000], 701)' 'each with its requests'
is "$(says phases.json "(sum(d['read']['requests_over_time']), sum(d['write']['bytes_over_time']), round(sum(d['depth']['over_time']) * d['seconds_of_series'] / 100, 1))")" \
    '(14000, 717824, 14.7)' 'series have all requests, and the 14.7 s that they were under way'
is "$("$block" report phases | grep '^  average ' | tr -s ' ')" ' average 7000.0 350.5 85.938 0.342 10.50' 'two disks have an average'
is "$(says phases.json "(d['devices'][0]['write']['requests'], d['devices'][1]['write']['requests'])")" '(351, 350)' 'beside what each of them has'

# -- recordings of four nodes, of four disks each: the study's table is an average over 16. All have the same device numbers, and
# node n makes 100 (n + 1) requests in 20 s to each disk, of which a tenth are reads
cat >make-nodes.py <<'PY'
for node in range(4):
    with open("node%d" % node, "w") as out:
        n = 100 * (node + 1)
        for i in range(4 * n):
            t, disk, what, sector = 5 * node + i // 4 * 20 / n, i % 4, "R" if i // 4 % 10 == 0 else "W", 1000 * (i // 4) + 7 * (i % 4)
            for j, action in enumerate("DC"):
                out.write("  8,%d 0 %8d %12.9f 77 %s %s %d + %d [x]\n" % (disk, 2 * i + j, t + j * 1e-3, action, what, sector, 2 + 2 * disk))
PY
"$PYTHON3" make-nodes.py
"$block" report --json --duration 20 node0 node1 node2 node3 >nodes.json
is "$(says nodes.json "(len(d['devices']), [x['disk'] for x in d['devices'][3:5]], [x['requests'] for x in d['recordings']], d['read']['requests'], d['write']['requests'])")" \
    "(16, ['node0:8,3', 'node1:8,0'], [400, 800, 1200, 1600], 400, 3600)" 'equal numbers of devices in recordings of several nodes are several disks'
# (100 + 200 + 300 + 400) / 4 in 20 s are 12.5 a second; at 0 s each of 16 disks has its first request
is "$("$block" report --duration 20 node0 node1 node2 node3 | grep '^  average ' | tr -s ' '), $(says nodes.json "d['depth']['most']")" \
    ' average 25.0 225.0 0.061 0.549 12.50, 16' 'with the average of a disk; recordings without a date begin together'
# of node 2 and 3 each disk has 350 in 20 s in the mean, and the other two 150 in 19.85 s, as long as their requests: 198.9 are left
"$block" report --duration 20 --baseline node0 --baseline node1 node2 node3 >beyond.out
is "$(awk '$2 == "a" { sum += $5 } END { printf "%.1f", sum }' beyond.out)" 198.9 'with the baselines of two nodes'
# MSR's traces name their hosts: disk 1 of hm is the same in both files, that of px is another; 1,000 requests 10 s apart
"$PYTHON3" -c "import sys
for name, host, begin in ('hm_a', 'hm', 0), ('hm_b', 'hm', 10000), ('px_a', 'px', 0):
    with open(name, 'w') as out:
        for i in range(1000):
            out.write('%d,%s,1,%s,%d,4096,5000\n' % (128166372003061629 + (begin + 10 * i) * 10**7, host, 'Read' if i % 2 else 'Write', 8192 * i))"
"$block" report --json hm_a hm_b px_a >msr.json
is "$(says msr.json "([(x['disk'], x['host'], x['read']['requests'], x['write']['requests']) for x in d['devices']], round(d['seconds_of_series']))")" \
    "([('hm:0,1', 'hm', 1000, 1000), ('px:0,1', 'px', 500, 500)], 19990)" 'recordings with a date are on one clock, and hosts tell disks apart'
: >nothing-at-all
"$block" report node0 nothing-at-all 2>err
is "$?, $(cat err)" '1, darshan-block: nothing-at-all: is empty' 'one of them that is empty is named'

"$block" report --duration 700 --sectors 1000000 --json -o ten.html ten >both.json
check 'JSON is printed beside the page' alike ten.json both.json
# pictured EXPRESSION: of the document in the page, its pictures p and its first disk
pictured() {
    "$PYTHON3" -c "import json, re, sys
d = json.loads(re.search('<script type=\"application/json\" id=\"block\">(.*?)</script>', open(sys.argv[1]).read(), re.S).group(1))
p, disk = d['pictures'], d['pictures']['disks'][0]
print($2)" "$1"
}
is "$(pictured ten.html "(sum(c[2] for c in disk['points']), sum(c[3] for c in p['sizes']), {c[1] for c in p['sizes']})")" '(5000, 5000, {10, 14})' \
    'the page has all requests by time and place, and by time and size'
is "$(pictured ten.html "([c[1] for c in disk['columns'][:3]], disk['columns'][0][2:], disk['column_sectors'])")" '([9000, 112, 111], [45000, 4200], 100000)' \
    'its bands, with their hottest sectors'
check 'a page that cannot be written' status 1 "$block" report -o nowhere/page.html ten

# -- a recording of blktrace, in two files: as many requests and bytes, of the same latency, as blkparse and btt say
"$PYTHON3" "$DSN_SRC/test/decode/block_trace.py" make 5 3000 made >made.rows
"$block" report --json made.blktrace.0 >made.json
mean_latency="round(d['depth']['mean'] * d['seconds_of_series'] / (d['read']['requests'] + d['write']['requests']), 9)"
is "$(says made.json "(d['read']['requests'], d['read']['bytes'], d['write']['requests'], d['write']['bytes'], $mean_latency)")" \
    "$(awk '{ n[$3]++; bytes[$3] += $5; all += $2 } END { printf "(%d, %d, %d, %d, %.9f)", n["R"], bytes["R"], n["W"], bytes["W"], all / NR / 1e9 }' made.rows)" \
    'what the generator made'
if command -v btt >/dev/null; then
    blkparse -q -i made -d made.bin >made.txt 2>&1
    btt -i made.bin >made.btt 2>/dev/null
    "$block" report --json made.bin >bin.json
    is "$(awk '$1 == "D2C" { print $5, $3 }' made.btt)" "$(says bin.json "d['read']['requests'] + d['write']['requests'], '%.9f' % $mean_latency" | tr -d "(',)")" \
        'as many requests as btt has, and as long'
    is "$(sed -n '/Merge/,/Seek/s/^ ( *7, *3) |.* //p' made.btt)" "$(says bin.json "(d['read']['bytes'] + d['write']['bytes']) // 512")" 'and as many sectors'
    is "$(awk '$6 == "D" && $7 ~ /^R/ { n++ } END { print n }' made.txt)" "$(says bin.json "d['read']['requests']")" 'as many reads as blkparse prints'
else
    skip 'the counts of blkparse and btt' 'package blktrace'
fi

# -- wrong usage and wrong files
for wrong in '' 'report' 'report --files . a b' 'record' 'record -o' 'baseline -o x -- true' 'record -o x --seconds 1 -- true' 'report --small 0 ten' \
    'look ten'; do
    check "wrong usage: $wrong" status 2 "$block" $wrong
done
check 'a file that is not there' status 1 "$block" report nowhere
echo 'not a recording' >junk
check 'a file that is none' status 1 "$block" report junk
strace -ff -ttt -T -o calls ls >/dev/null 2>&1
cat calls.* >calls
check 'calls of programs are no requests' status 1 "$block" report --from strace calls
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
    chmod 777 .
    setpriv --reuid 65534 --regid 65534 --clear-groups "$block" record -o unprivileged -- true 2>err
    is "$?, $(grep -c 'needs tracefs (/sys/kernel/tracing) and the right to use it; run it as root' err), $(ls unprivileged 2>&1 | grep -c cannot)" \
        '1, 1, 1' 'without the right it says what it needs, and writes nothing'
else
    skip 'what it says without the right to record' 'root, and setpriv'
fi

# -- live
live() {
    [ "$(id -u)" = 0 ] || { lacks='root: devices are recorded'; return 1; }
    truncate -s 64M disk
    loop=$(losetup -f --show disk 2>/dev/null) || { lacks='a loop device'; return 1; }
    "$block" record -o probe -- true 2>err || { lacks="the kernel's trace events of block devices ($(cat err))"; return 1; }
}
loop='' second=''
clean_up() {
    umount mnt 2>/dev/null
    [ -z "$loop" ] || losetup -d "$loop"
    [ -z "$second" ] || losetup -d "$second"
    umount ram 2>/dev/null
}
trap clean_up EXIT
if ! live; then
    skip 'live recordings' "$lacks"
    finish
fi
mkdir mnt ram
device=$(cat "/sys/block/${loop##*/}/dev" | tr : ,)

# pattern DEVICE: 40 writes of 4 KiB at 1 MiB intervals, 25 reads of 64 KiB in order, 10 writes of 1 KiB to one place
pattern() {
    "$PYTHON3" - "$1" <<'PY'
import mmap, os, sys
fd = os.open(sys.argv[1], os.O_RDWR | os.O_DIRECT)
b = mmap.mmap(-1, 65536)
for i in range(40):
    os.pwritev(fd, [memoryview(b)[:4096]], i << 20)
for i in range(25):
    os.preadv(fd, [b], i * 65536)
for i in range(10):
    os.pwritev(fd, [memoryview(b)[:1024]], 45000 * 512)
PY
}
check 'a run is recorded' status 0 "$block" record -o run --device "$loop" -- sh -c "$(command -v true); exit 0"
pattern_file=$PWD/pattern.sh
{
    echo "PYTHON3='$PYTHON3'"
    sed -n '/^pattern() {/,/^}/p' "$0"
    echo "pattern '$loop'"
} >"$pattern_file"
"$block" record -o run --device "$loop" -- sh "$pattern_file" 2>err
is "$?, $(sed 's/[0-9]* events/N events/' err)" '0, darshan-block: run: N events, 0 lost' 'it tells how many events there were, and were lost'
"$block" report --json run >run.json
is "$(says run.json "[(d[w]['requests'], d[w]['bytes']) for w in ('read', 'write')]")" '[(25, 1638400), (50, 174080)]' \
    'direct I/O is there to the request and byte'
is "$(says run.json "[d['write']['classes'][c]['requests'] for c in ('small', 'page', 'other', 'large')] + [d['read']['classes']['large']['requests']]")" \
    '[10, 40, 0, 0, 25]' 'in its sizes'
is "$(says run.json "(d['places']['hottest'][0]['sector'], d['places']['hottest'][0]['accesses'], d['lost'])")" '(45000, 10, 0)' \
    'at its sectors'
if command -v blkparse >/dev/null; then
    blkparse -i - -q -f '%a %d %S %n\n' <run 2>/dev/null | grep '^[DC] ' >parsed
    is "$(grep -c '^D R' parsed), $(grep -c '^D W' parsed), $(grep -c '^C ' parsed)" '25, 50, 75' 'blkparse reads the same recording'
    awk '$1 == "D" { print $3, $4 }' parsed >theirs
    { for i in $(seq 0 39); do echo "$((i * 2048)) 8"; done
      for i in $(seq 0 24); do echo "$((i * 128)) 128"; done
      for _ in 1 2 3 4 5 6 7 8 9 10; do echo '45000 2'; done; } >want
    check 'with each sector and size' alike want theirs
    blkparse -i - <run 2>/dev/null >run.txt
    "$block" report --json --sectors 131072 run.txt >text.json
    is "$(says text.json "(d['read'], d['write'], d['places']['concentration'])" | sha256sum)" \
        "$(says run.json "(d['read'], d['write'], d['places']['concentration'])" | sha256sum)" 'what it prints gives the same figures'
else
    skip 'the same recording through blkparse' 'package blktrace'
fi
"$block" record -o failed --device "$loop" -- sh -c 'exit 7' 2>err
is $? 7 'the status is that of the command'
"$block" record -o killed --device "$loop" -- sh -c 'kill -TERM $$' 2>err
is $? 143 'or tells its signal'
"$block" record -o terminated --device "$loop" -- sleep 60 2>err &
pid=$!
wait_until eval 'sleeper=$(pgrep -P $pid -x sleep)'
kill -TERM $pid
wait $pid
is "$?, $(kill -0 "$sleeper" 2>&1 | grep -c 'No such process'), $(grep -c 'events, 0 lost' err)" '143, 1, 1' 'a signal goes to the command, and its recording is whole'
"$block" record -o nowhere/x --device "$loop" -- touch started 2>err
is "$?, $(cat err), $(ls started 2>&1 | grep -c cannot)" '1, darshan-block: nowhere/x: cannot be written: No such file or directory, 1' \
    'where no recording can be, nothing is run'
"$block" record -o /dev/full --device "$loop" -- dd if="$loop" of=/dev/null bs=4096 count=9 iflag=direct status=none 2>err
is "$?, $(cat err)" '1, darshan-block: /dev/full: cannot be written: No space left on device' 'one that could not be written is no success'
"$block" record -o /dev/full --device "$loop" -- sh -c "dd if='$loop' of=/dev/null bs=4096 count=9 iflag=direct status=none; exit 3" 2>err
is $? 3 "but the command's own status comes first"
check 'a device that is none' status 1 "$block" record -o x --device disk -- true
check 'a command that is not there' status 127 "$block" record -o x --device "$loop" -- ./nothing

# -- lost events are counted: the recorder is stopped while the smallest buffers run over. Whether a page has room for the kernel's
# own mark of a loss depends on what is in it: several times
for i in 1 2 3 4; do
    "$block" record -o lossy --buffer 4 --device "$loop" -- \
        sh -c "kill -STOP \$PPID; dd if='$loop' of=/dev/null bs=4096 count=4000 iflag=direct status=none; kill -CONT \$PPID" 2>err
    events=$(sed -n 's/.*lossy: \([0-9]*\) events, .*/\1/p' err) lost=$(sed -n 's/.* events, \([0-9]*\) lost.*/\1/p' err)
    is "$((lost > 0)), $((events + lost))" '1, 8000' "of 8,000 events $lost are told as lost, and none is missing beside them, $i"
done
"$block" report --json lossy >lossy.json
is "$(says lossy.json "d['lost']")" "$lost" 'the report says so, too'
is "$("$block" report lossy | grep -c "Events lost: $lost; record with a larger --buffer")" 1 'and what to do'

# -- what the recording says of its disk: its size and name, and what of it is for paging
is "$(says run.json "(d['devices'][0]['name'], d['places']['bands'], d['read']['kinds']['paging'])")" \
    "('${loop##*/}', 2, {'requests': 0, 'bytes': 0})" 'the disk has its name and size, though only a part of it was touched'
"$PYTHON3" - run paging 8 $((64 * 128)) <<'PY'
import struct, sys
data = open(sys.argv[1], "rb").read()
# of <linux/blktrace_api.h>: a time stamp, then our notes; the device is that of a request
stamp = 48 + struct.unpack_from("=H", data, 46)[0]
note = b"darshan-block swap %s %s %s"
for at in range(stamp, len(data) - 48):
    if data[at + 48:at + 67] == b"darshan-block disk ":
        device = data[at + 67:].split(b" ")[0]
        head = data[at:at + 46]
        break
text = note % (device, sys.argv[3].encode(), sys.argv[4].encode())
open(sys.argv[2], "wb").write(data[:stamp] + head + struct.pack("=H", len(text)) + text + data[stamp:])
PY
"$block" report --json paging >paging.json
# reads are at 0, 128, ... 3072 sectors, the first 4 KiB write at 0, the next four below 8,200 at 2048, 4096, 6144, 8192
is "$(says paging.json "[d[w]['kinds']['paging']['requests'] for w in ('read', 'write')] + [d['read']['kinds']['data']['requests'], d['lost']]")" \
    '[24, 4, 1, 0]' 'requests to an area of swap are paging'
for text in 'darshan-block swap 1 2' 'darshan-block disk x y z' 'darshan-block disk 7340032 18446744073709551615 %s%n'; do
    "$PYTHON3" -c "import struct, sys
data = open('run', 'rb').read()
stamp, text = 48 + struct.unpack_from('=H', data, 46)[0], sys.argv[1].encode()
open('strange', 'wb').write(data[:stamp] + data[:28] + data[stamp + 28:stamp + 46] + struct.pack('=H', len(text)) + text + data[stamp:])" "$text"
    check "a strange note: $text" status 0 "$block" report strange
done
cat >partition.py <<'PY'
import ctypes, fcntl, os, struct, sys
fd = os.open(sys.argv[1], os.O_RDWR)
part = ctypes.create_string_buffer(struct.pack("qqi64s64s4x", 2048 * 512, 8192 * 512, 1, b"", b""), 152)
what = {"add": 1, "remove": 2}[sys.argv[2]]
fcntl.ioctl(fd, 0x1269, struct.pack("iiiiQ", what, 0, 152, 0, ctypes.addressof(part)))  # BLKPG
PY
if "$PYTHON3" partition.py "$loop" add 2>err; then
    numbers=$(tr : ' ' <"/sys/block/${loop##*/}/${loop##*/}p1/dev")
    # shellcheck disable=SC2086 # two words
    mknod part b $numbers
    "$block" record -o part.rec --device part -- sh -c "dd if=part of=/dev/null bs=4096 count=10 iflag=direct status=none
        dd if='$loop' of=/dev/null bs=4096 count=5 iflag=direct status=none" 2>err
    "$block" report --json part.rec >part.json
    is "$(says part.json "(d['read']['requests'], d['places']['concentration'][0]['bands'], d['devices'][0]['name'])")" "(10, 1, '${loop##*/}')" \
        'of a partition there is what is in it, and nothing of the rest of its disk'
    "$PYTHON3" partition.py "$loop" remove
else
    skip 'a partition' "the right to make one of a loop device ($(tail -n 1 err))"
fi
"$block" record -o nothing --device "$loop" -- true 2>err
is "$("$block" report nothing | grep -c 'nan\|Places'), $("$block" report nothing | grep -c '^nothing: 0 requests')" '0, 1' \
    'a recording without requests says that, and no more'

# -- file systems: ext4, and a loop device on tmpfs; amplification by the log of the job
if command -v mkfs.ext4 >/dev/null && mkfs.ext4 -q -F -E lazy_itable_init=0,lazy_journal_init=0 "$loop" && mount "$loop" mnt; then
    export DARSHAN_ENABLE_NONMPI=1
    "$block" record -o ext4 --device "$loop" -- \
        env LD_PRELOAD="$DSN_PREFIX/lib/libdarshan.so" dd if=/dev/zero of=mnt/x bs=1048576 count=8 conv=fsync status=none 2>err
    "$block" report --json --log "$(latest_log)" ext4 >ext4.json
    is "$(says ext4.json "(d['write']['asked_bytes'], d['write']['kinds']['data']['bytes'] >= 8 << 20, 1 <= d['write']['amplification'] < 1.5)")" \
        '(8388608.0, True, True)' 'ext4: 8 MiB of writes are a little more at the device'
    is "$(says ext4.json "(round(sum(d['write']['asked_over_time'])) <= 8 << 20, [c['bytes'] for p in d['phases'] for c in p['calls']])")" '(True, [])' \
        'without traces it is not told which calls'
    is "$(says ext4.json "d['write']['bytes'] >= d['write']['kinds']['data']['bytes'] + d['write']['kinds']['metadata']['bytes']")" True \
        'data and metadata are told apart'
    cat >hot.py <<'PY'
import mmap, os
fd = os.open("mnt/x", os.O_RDWR | os.O_DIRECT)
for i in range(9):
    os.preadv(fd, [mmap.mmap(-1, 4096)], 3 << 20)
PY
    "$block" record -o hot --device "$loop" -- "$PYTHON3" hot.py 2>err
    "$block" report --json --files mnt hot >hot.json
    is "$(says hot.json "(d['places']['hottest'][0]['accesses'], d['places']['hottest'][0]['file'])")" "(9, 'mnt/x')" \
        'the file with the hottest sector is named'
    "$block" record -o traced --device "$loop" -- env DXT_ENABLE_IO_TRACE=1 DARSHAN_LOG_DIR_PATH="$PWD" \
        LD_PRELOAD="$DSN_PREFIX/lib/libdarshan.so" dd if=mnt/x of=/dev/null bs=65536 count=100 iflag=direct status=none 2>err
    "$block" report --json --files mnt --log "$(latest_log)" -o traced.html traced >traced.json
    is "$(says traced.json "[(f['file'], f['read']['bytes'], f['read']['asked_bytes'], f['read']['amplification']) for f in d['files']]")" \
        "[('mnt/x', 6553600, 6553600.0, 1.0)]" 'each file has its bytes at the device and those that were asked for'
    is "$(says traced.json "{(c['file'][-6:], c['operation']) for p in d['phases'] for c in p['calls']}")" "{('/mnt/x', 'read')}" \
        'phases name the calls that requests came from'
    is "$(says traced.json "90 <= sum(c['calls'] for p in d['phases'] for c in p['calls']) <= 100")" True 'at their time'
    umount mnt
else
    skip 'amplification on ext4' 'package e2fsprogs, and a loop device that can be mounted'
fi
if mount -t tmpfs -o size=80m none ram 2>/dev/null && truncate -s 64M ram/disk && second=$(losetup -f --show ram/disk 2>/dev/null); then
    sed -i "s!^pattern .*!pattern '$second'!" "$pattern_file"
    "$block" record -o memory --device "$second" -- sh "$pattern_file" 2>err
    "$block" report --json memory >memory.json
    is "$(says memory.json "[(d[w]['requests'], d[w]['bytes']) for w in ('read', 'write')]")" '[(25, 1638400), (50, 174080)]' \
        'a loop device on tmpfs gives the same'
else
    skip 'a loop device on tmpfs' 'the right to mount'
fi
"$block" baseline -o idle.rec --seconds 0.5 --device "$loop" 2>err
is "$("$block" report --json --baseline idle.rec run | "$PYTHON3" -c "import json, sys; d = json.load(sys.stdin)
print(d['read']['beyond_baseline']['net'], .4 < d['baseline']['seconds'] < 20)")" '25.0 True' 'an idle device takes nothing off'
finish
