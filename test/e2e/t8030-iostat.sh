# t8030-iostat.sh - darshan-iostat with a fake iostat; import of iostat's output into the database
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"
. "$DSN_SRC/test/e2e/accounting.sh"
iostat=$DSN_PREFIX/bin/darshan-iostat
db=a.db

# A document as iostat of sysstat 12.6 prints it: the first report is about the time since the machine was started.
report() { # TIME READ WRITE
    printf '{"timestamp": "%s", "disk": [
 {"disk_device": "sda", "r/s": 1.00, "w/s": 3.00, "rkB/s": %s, "wkB/s": %s, "r_await": 2.00, "w_await": 6.00, "util": 12.50},
 {"disk_device": "loop0", "r/s": 1.00, "rkB/s": 5.00, "wkB/s": 0.00, "util": 0.00}]}' "$1" "$2" "$3"
}
document() {
    printf '{"sysstat": {"hosts": [{"nodename": "oss1", "sysname": "Linux", "statistics": ['
    cat
    printf ']}]}}\n'
}
{
    report 2026-11-21T10:00:00+0000 999 999
    echo ,
    report 2026-11-21T10:01:00+0000 1024 2048
    echo ,
    report 2026-11-21T11:03:00+0100 512 0 # two minutes later, elsewhere
    echo ,
    report 2026-11-21T09:00:00+0000 77 77 # the clock was set back
} | sed 's/ #.*//' | document >reports.json

"$accounting" --db a.db init
check 'import of a day' status 0 "$accounting" --db a.db import iostat reports.json
is "$(cat out)" 'reports.json: 4 taken' 'neither the first report nor the one that lies before'
"$accounting" --db a.db export tables
is "$(sed 1d tables/device_sample.csv | tr -d '"' | grep sda)" "$(printf '%s\n' \
    '1795255260,oss1,sda,,60,61440,122880,12.5,5,0' '1795255380,oss1,sda,,120,61440,0,12.5,5,0')" 'KiB in the time between reports'
is "$(figures throughput '[(r["day"], r["peak_read"], r["peak_written"], r["minutes"]) for r in rows]')" \
    "[('2026-11-21', 1.0048828125, 2, 3)]" 'MiB/s of the day: the second sample is of two minutes'
echo '{"sysstat": {}}' >other.json
check 'another document' status 1 "$accounting" --db a.db import iostat other.json
head -c 300 reports.json >cut.json
check 'one that is cut off' status 1 "$accounting" --db a.db import iostat cut.json

# -- sysstat itself: as many devices as it sees
mkdir real
if command -v iostat >/dev/null; then
    LC_ALL=C S_TIME_FORMAT=ISO iostat -x -k -t -o JSON 1 3 >real.json
    devices=$("$PYTHON3" -c 'import json
print(len(json.load(open("real.json"))["sysstat"]["hosts"][0]["statistics"][0]["disk"]))')
    "$accounting" --db real.db init
    check 'what sysstat prints here' status 0 "$accounting" --db real.db import iostat real.json
    is "$(cat out)" "real.json: $((2 * devices)) taken" 'two reports of all devices'
    check 'samples by sysstat' "$iostat" --interval 1 --count 2 real
    is "$(cat real/*.csv 2>/dev/null | grep -c '^[0-9]*,[^,]*,[^,]*,1,[0-9.e+]*,[0-9.e+]*,[0-9.e+-]*,[0-9.e+-]*$')" $((2 * devices)) \
        'a line a device and second'
else
    skip 'samples by sysstat' 'package sysstat'
fi

# -- darshan-iostat
mkdir bin samples
{
    echo '#!/bin/sh'
    echo 'echo "$S_TIME_FORMAT $LC_ALL $*" >>calls'
    echo 'n=$(wc -l <calls)'
    echo 'cat "report.$n"'
} >bin/iostat
chmod +x bin/iostat
report 2026-11-21T23:59:30+0000 1024 2048 | document >report.1
report 2026-11-22T00:00:30+0000 10 20 | document >report.2
report 2026-11-22T00:01:30+0000 30 40 | document >report.3
PATH=$PWD/bin:$PATH
check 'two samples' "$iostat" --interval 60 --count 2 --exclude 'loop.*' samples
check 'a third, after a restart' "$iostat" --count 1 --devices 'sd.' samples
cp calls calls.first
rm calls
report 2026-11-23T00:01:00+0000 30 40 | document >report.1
report 2026-11-23T00:02:01+0000 30 40 | document >report.2 # after so many samples it has taken a second to start them
check 'two samples a second apart' "$iostat" --interval 60 --count 2 --exclude 'loop.*' samples
is "$(sed 1d samples/oss1-2026-11-23.csv)" "$(printf '%s\n' 1795392060,oss1,sda,60,1800,2400,12.5,5 1795392121,oss1,sda,61,1830,2440,12.5,5)" \
    'leave no gap between them'
cat calls calls.first >calls.all && mv calls.all calls
is "$(sort -u calls)" 'ISO C -x -k -t -y -o JSON 60 1' 'how iostat was called'
headings=time,host,device,seconds,read_kib,write_kib,busy_percent,await_ms
is "$(cat samples/oss1-2026-11-21.csv)" "$(printf '%s\n' $headings 1795305570,oss1,sda,60,61440,122880,12.5,5)" 'the first day'
is "$(cat samples/oss1-2026-11-22.csv)" "$(printf '%s\n' $headings 1795305630,oss1,sda,60,600,1200,12.5,5 \
    1795305690,oss1,sda,60,1800,2400,12.5,5)" 'the second day'
check 'both go into the database' "$accounting" --db a.db import samples samples/*.csv
check 'no report: exit status 1' status 1 "$iostat" --count 1 samples
is "$(wc -l <err | tr -d ' ')" 2 'one line, and that of cat'
check 'no directory: exit status 1' sh -c 'rm calls; "$1" --count 1 nowhere 2>err; [ $? = 1 ] && grep -q "cannot be written" err' \
    - "$iostat"
check 'a wrong expression: exit status 2' status 2 "$iostat" --devices '(' samples
finish
