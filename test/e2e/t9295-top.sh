# t9295-top.sh - darshan-top: activity of processes that start, fork, exec and end; merged output; hostile files
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"
. "$DSN_SRC/test/e2e/known.sh"

top=$DSN_PREFIX/bin/darshan-top
survival=$DARSHAN_MMAP_LOGPATH/darshan-$(id -u)

# began ARGUMENT...: the program runs, and has opened its file; `pid` is the process
began() {
    rm -f file
    env DARSHAN_ENABLE_NONMPI=1 DARSHAN_LOGFILE="$PWD/log.darshan" "LD_PRELOAD=$preload" ./schedule "$PWD/file" "$@" &
    pid=$!
    wait_until test -e file
}

# stop: it runs no more, and nothing is left
stop() {
    kill -9 "$pid" 2>/dev/null
    wait "$pid" 2>/dev/null
    "$DSN_PREFIX/bin/darshan-recover" -q -o . >/dev/null
}

# says DOCUMENTS EXPRESSION: of the list d of the documents in a file
says() {
    python3 - "$1" "$2" <<'END'
import json, sys
decoder, text, d = json.JSONDecoder(), open(sys.argv[1]).read().strip(), []
while text:
    document, end = decoder.raw_decode(text)
    d.append(document)
    text = text[end:].strip()
print(eval(sys.argv[2]))
END
}

check 'compiles' compile nonmpi ./schedule schedule.c

# ---- a known schedule: 10,000,000 bytes/s, nothing, 500 stats/s
began w 10000 1000 5.6 p 2.2 s 500 4.4
timeout -s INT 15 "$top" --json --interval 1 >looks
wait $pid
about='lambda list, want, within: sum(abs(x / want - 1) <= within for x in list)'
is "$(says looks "($about)([p['write_bytes_per_second'] for e in d for p in e['processes']], 1e7, 0.02) >= 1")" True \
    'a second of writing, within 2 %'
is "$(says looks "($about)([p['metadata_per_second'] for e in d for p in e['processes']], 500, 0.02) >= 1")" True \
    'a second of stats, within 2 %'
is "$(says looks "any(p['state'] == 'running' and p['write_bytes_per_second'] == p['metadata_per_second'] == p['processes_in_io'] == 0 for e in d for p in e['processes'])")" \
    True 'a second of nothing'
is "$(says looks "max(p['bytes_written'] for e in d for p in e['processes'])")" 56000000 'all bytes in the end'
is "$(says looks "[g['state'] for e in d for g in e['gone']]")" "['ended']" 'it has ended'
is "$(says looks "min([0] + [v for e in d for p in e['processes'] for k, v in p.items() if k.endswith('second')]) >= 0 and max(p['processes_in_io'] for e in d for p in e['processes']) <= 1")" \
    True 'no rate is negative, no share above 1'

# ---- a process that executes itself, forks, and is killed
began w 100 100 0.6 e w 100 100 0.6 f w 100 100 60
timeout -s INT 3 "$top" --json --interval 0.3 >looks
pkill -9 -P $pid
stop
is "$(says looks "[g['state'] for e in d for g in e['gone']]")" "['executed']" 'another life of the same process'
is "$(says looks "len(d[-1]['processes'])")" 2 'a child is a process of its own'
is "$(says looks "max(p['write_bytes_per_second'] for e in d for p in e['processes']) < 20000")" True 'no rate is larger than what was done'

# ---- between two programs: the file of the first is gone, the second has none for longer than a sample
cat >late.c <<'END'
#include <unistd.h>
__attribute__((constructor)) static void begin_late(void) { usleep(500000); }
END
check 'compiles: a library that is slow to begin' cc -shared -fPIC -o late.so late.c
preload="$preload $PWD/late.so" began w 100 100 1 e w 100 100 60
timeout -s INT 4 "$top" --json --interval 0.4 >looks
stop
is "$(says looks "[g['state'] for e in d for g in e['gone']]")" "['executed']" 'a program that begins late'

began w 100 100 60
timeout -s INT 2.4 "$top" --json --interval 0.4 >looks &
sleep 1.2
kill -9 $pid
wait
is "$(says looks "[g['state'] for e in d for g in e['gone']]")" "['killed']" 'one that is killed'
"$DSN_PREFIX/bin/darshan-recover" -q -o . >/dev/null

# ---- forms
began w 1000 100 60
"$top" --once --interval 0.3 >table
is "$(grep -c " $pid .*schedule$" table)" 1 'a table of processes'
"$top" --once --interval 0.3 --show files --filter file --active --sort WRITE/s >table
is "$(grep -c "POSIX .*$PWD/file$" table)" 1 'a table of files'
"$top" --once --interval 0.3 --csv --show files -o rows.csv
is "$(head -1 rows.csv | tr , '\n' | grep -cx -e file -e write_bytes_per_second) $(wc -l <rows.csv)" '2 2' 'CSV, into a file'
"$top" --once --interval 0.3 --openmetrics >metrics
is "$(grep -c "^darshan_mount_write_bytes_per_second{jobid=\"$pid\",user=\"$(id -un)\",mount=\"/[^\"]*\"} [0-9]" metrics) $(tail -1 metrics)" '1 # EOF' \
    'OpenMetrics'
if command -v promtool >/dev/null 2>&1; then
    check 'promtool accepts them' promtool check metrics <metrics
else
    skip 'promtool accepts them' 'the package prometheus'
fi
"$top" --once --interval 0.3 --json --pid $pid >one
"$top" --once --interval 0.3 --json --job $((pid + 1)) >none
is "$(says one "len(d[0]['processes'])") $(says none "len(d[0]['processes'])")" '1 0' 'one process; none of another job'

# ---- merged
"$top" --merge --json one one none >merged
is "$(says merged "(d[0]['nodes'], len(d[0]['processes']), len(d[0]['files']), d[0]['files'][0]['processes'])")" '(3, 2, 1, 2)' 'merged: a file of two nodes'
is "$(says merged "d[0]['jobs'][0]['bytes_written']")" "$(says one "2 * d[0]['jobs'][0]['bytes_written']")" 'merged: sums'
cat one none | "$top" --merge --json - | "$top" --merge --show jobs - >table
is "$(grep -c ' schedule$' table)" 1 'merged twice, from standard input'
sed 's/"time":[0-9.]*/"time":1.8e123/' one >endless
"$top" --merge --json one endless >merged
is "$(says merged "d[0]['time']")" "$(says one "d[0]['time']")" 'merged: a time that is none'
for bad in '' '{' '[]' '{"format":"darshan-top","version":1}' '{"format":"darshan-top","version":1,"nodes":1,"processes":[{"pid":"x"}],"files":[],"mounts":[],"jobs":[],"gone":[]}'; do
    printf '%s' "$bad" >bad
    "$top" --merge bad 2>error >/dev/null
    is "$? $(wc -l <error) $(cut -c 1-17 error)" '1 1 darshan-top: bad:' "merged: none of ours: $bad"
done

# ---- files that are none: a link, a fifo, noise, one that is cut off again and again
own=$(ls "$survival"/k*-$pid.survival)
ln -s "$own" "$survival/k0000000000000001-1.survival"
mkfifo "$survival/k0000000000000002-2.survival"
head -c 300000 /dev/urandom >"$survival/k0000000000000003-3.survival"
cp "$own" "$survival/k0000000000000004-$pid.survival"
(while :; do
    : >"$survival/k0000000000000004-$pid.survival"
    cat "$own" >"$survival/k0000000000000004-$pid.survival"
done) 2>/dev/null &
cutter=$!
timeout -s INT 3 "$top" --json --interval 0.1 >looks 2>error
is "$? $(wc -c <error)" '124 0' 'it goes on, and says nothing'
is "$(says looks "all(any(p['pid'] == $pid and p['write_bytes_per_second'] > 0 for p in e['processes']) for e in d[1:])")" True 'the process is seen all the time'
kill $cutter
wait $cutter 2>/dev/null
rm -f "$survival"/k000000000000000*

# ---- who may look, usage
is "$(stat -c %a "$own") $(ls "$survival" | wc -l)" '600 1' 'nothing is written there'
for wrong in '--interval 0' '--show x' '--sort x' '--json --csv' '--merge' 'x' '--job' '--unknown'; do
    "$top" --once $wrong 2>error >/dev/null
    is "$? $(wc -l <error) $(grep -c '^darshan-top: .*--help' error)" '2 1 1' "wrong: $wrong"
done
"$top" --once --json --output nowhere/x --interval 0.1 2>error
is "$? $(cat error)" '1 darshan-top: nowhere/x: No such file or directory' 'an output that cannot be'
check 'help' sh -c "'$top' --help | grep -q -- --openmetrics"
check 'version' sh -c "'$top' --version | grep -q '^darshan-top [0-9]'"
stop
"$top" --once --interval 0.1 >table
is "$? $(wc -l <table) $(grep -c 'LD_PRELOAD' table)" '0 7 1' 'where nothing runs it says what to do'
check 'a terminal that is not known is none' sh -c "script -qc 'env TERM=nonesuch timeout 2 $top --interval 0.5' /dev/null </dev/null | grep -q '^darshan-top - '"

# ---- root looks as the user
if [ "$(id -u)" = 0 ] && [ -x "$(command -v setpriv)" ]; then
    chmod 711 "$DSN_SCRATCH"
    place=$(mktemp -d /tmp/darshan-test.XXXXXX) || exit 1 # what lies in /dev is not counted
    chmod 1777 "$place"
    cp ./schedule "$place/schedule"
    export DARSHAN_MMAP_LOGPATH="$place"
    setpriv --reuid=65534 --regid=65534 --clear-groups -- env DARSHAN_ENABLE_NONMPI=1 DARSHAN_LOGFILE="$place/log.darshan" "LD_PRELOAD=$preload" "$place/schedule" "$place/file" w 1000 100 60 &
    pid=$!
    wait_until test -e "$place/file"
    timeout -s INT 20 "$top" --json --interval 0.3 >sees 2>error &
    looker=$!
    wait_until eval '[ "$(wc -l <sees)" -ge 3 ]'
    root=$(pgrep -P $looker)
    is "$(ps -o uid= --ppid "$root" | tr -d ' ')" 65534 'a process of the user reads'
    exec 9<"$place"
    is "$(ls -l /proc/$$/fd | grep -c "$place")" 1 'what somebody has open is seen'
    exec 9<&-
    is "$(ls -l /proc/"$root"/fd /proc/"$root"/map_files 2>/dev/null | grep -c "$place")" 0 'root has nothing of the user open'
    is "$(says sees "[(p['user'], p['pid'] == $pid, p['write_bytes_per_second'] > 0) for p in d[-1]['processes']]")" "[('nobody', True, True)]" 'and its processes are seen'
    setpriv --reuid=65534 --regid=65534 --clear-groups -- kill -STOP "$(pgrep -P "$root")"
    n=$(wc -l <sees)
    wait_until eval '[ "$(wc -l <sees)" -ge $((n + 3)) ]'
    is "$(says sees "(d[-1]['unreadable'], d[-1]['processes'])")" '(1, [])' 'one that is stopped by its user holds it up once'
    kill -INT $looker
    wait $looker
    is "$(wc -c <error)" 0 'nothing is said'
    "$top" --once --interval 0.3 --user nobody --show files >table
    is "$(grep -c "nobody .*$place/file$" table)" 1 'of one user'
    kill -9 $pid
    wait $pid 2>/dev/null
    rm -rf "$place"
else
    skip 'root looks as the user' 'root, and setpriv'
fi
finish
