# t7832-cycles-kinds.sh - darshan-cycles: periods by bytes, on programs of twelve kinds with noise, beside a frequency method
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"
[ -n "$PYTHON3" ] || skip_all 'package python3'
cycles=$DSN_PREFIX/bin/darshan-cycles
study=$DSN_SRC/test/decode/rhythm_study.py

# -- of each kind two programs: the period is right where the frequency method has it, and nothing is found where nothing is
"$PYTHON3" "$study" --cycles "$cycles" --each 2 --list >table
is "$?" 0 'as often right as the frequency method on every kind, and no rhythm in random bursts'
is "$(awk '$1 == "all" { print $2, $3, $5 }' table)" '24 24 24' 'all periods are right, and all shares of bytes' || cat table

# one KIND: a program of a kind, in the file `trace`
one() {
    "$PYTHON3" "$study" --cycles "$cycles" --each 1 --kind "$1" --write . >/dev/null
    mv "$1-0" trace
    "$cycles" --clock wall trace >said
}

# -- the words of the first line
one log_and_checkpoint
check 'lines nest in checkpoints' grep -Eq '^The I/O recurs every .* each time 32 MiB written of /run/chk-#; besides, [0-9]+ times within each, ' said
check 'so says the cycle' grep -Eq '^Cycle .*, [0-9]+ times within each cycle 1$' said
one two_periods
check 'two periods at once: the one with most bytes first' grep -Eq '^[0-9]+ % of the bytes recur every .* At the same time 10 MiB written every ' said
one drift
check 'a period that grows' grep -Eq '^The I/O recurs every .* of run time, growing from .* to .* s ' said
is "$("$PYTHON3" - <<'EOF'
import json, subprocess, os
d = json.loads(subprocess.run([os.environ["DSN_PREFIX"] + "/bin/darshan-cycles", "--clock", "wall", "--json", "trace"], capture_output=True).stdout)
c = d["job"]["cycles"][0]
last = max(b["start"] for b in d["job"]["bursts"] if b["cycle"] == 1)
print(c["trend"][1] > 1.2 * c["trend"][0], abs(d["job"]["next"]["time"] - last - c["trend"][1]) < 0.05 * c["trend"][1])
EOF
)" 'True True' 'the next burst is due where the trend has it'

# -- the other clock: every 450 ms of run time, with CPU time of several threads that is at random
awk 'BEGIN { x = 7; print "ff !iotrace 1\nff !base 10\nff !tick_us 1"
    for (i = 0; i < 20; i++) {
        x = x * 16807 % 2147483647 # the same numbers with every awk
        print 192, 32, 0, 1048576, 450000, 100, 5, 1, int(-400000 * log(x / 2147483647))
    } }' >waits
"$cycles" waits >said
check 'if one clock finds nothing, the other is tried' grep -q '^The I/O recurs every 450 ms of run time ' said
check 'and said' grep -q '^Clock  .*because CPU time shows no rhythm$' said

# -- a program that waits two thirds of its time: both clocks have a rhythm, and its own is run time
for used in 150000 400000; do
    awk -v used="$used" 'BEGIN { print "ff !iotrace 1\nff !base 10\nff !tick_us 1"
        for (i = 0; i < 20; i++)
            print 192, 32, 0, 1048576, 450000, 100, 5, 1, used }' >"of-$used"
done
is "$("$cycles" of-150000 | sed -n 's/^Clock *//p' | cut -d' ' -f1)" run 'it waits most of the time: run time'
is "$("$cycles" of-400000 | sed -n 's/^Clock *//p' | cut -d' ' -f1)" CPU 'it computes most of the time: CPU time'

# -- transactions of a database, as SQLite makes them: 400, of which some have a page more; the disk takes its time, of which the
#    argument is the scatter. Pauses of many lengths are in each, from 2 us up.
cat >transactions.py <<'PY'
import random, sys
spread = float(sys.argv[1])
r = random.Random(5)
print("ff !iotrace 1\nff !tick_us 1\nff !cpu none\nff !file 1 0 /run/t.db\nff !file 2 0 /run/t.db-journal")
now = last = 0
def op(write, file, size, pause, spread):
    global now, last
    now += max(1, round(r.lognormvariate(0, spread) * pause))
    print("%x 20 0 %x %x 3 %x 1 0" % (0xc0 if write else 0x80, size, now - last, file))
    last = now
    now += 3
for i in range(400):
    more = r.random() < 1 / 31
    op(0, 1, 16, 4000, spread)
    op(1, 2, 512, 70, 0.15)
    for k in range(1 + more):
        op(1, 2, 4, 2, 0.4), op(1, 2, 4096, 2, 0.4), op(1, 2, 4, 2, 0.4)
    op(1, 2, 12, 5000, spread)
    op(1, 1, 4096, 3000, spread)
    for k in range(1 + more):
        op(1, 1, 4096, 4, 0.5)
PY
for spread in 0.1 0.3 0.6 0.9; do
    "$PYTHON3" transactions.py $spread >transactions
    "$cycles" transactions | head -n 1 >said
    case $spread in
    0.[13]) check "scatter $spread: it is a rhythm, of the transaction" \
        grep -Eq '^The I/O recurs every 12\..* ms of run time .*, 380 times .*, each time 16 B read and 12.5 KiB written of /run/t.db and /run/t.db-journal\.' said ;;
    *) check "scatter $spread: what recurs is said, though no rhythm" \
        grep -Eq '^No rhythm, but [34] bursts recur in the same order 380 times, each time 16 B read and 12.5 KiB written: at irregular intervals, 1[59]\..* ms on average\.$' said ;;
    esac
done

# -- a checkpoint with every tenth line, of which no two are equally long: the line says which file has the bytes
awk 'BEGIN { print "ff !iotrace 1\nff !base 10\nff !tick_us 1\nff !cpu none\nff !file 1 0 /run/run.log"
    for (c = 0; c < 8; c++)
        print "ff !file " c + 2 " 0 /run/chk-" c
    for (i = 0; i < 80; i++) {
        print 192, 32, 0, 22 + i * 7 % 3, 40000 + i * 31 % 7 * 300, 10, 1, 1, 0
        for (k = 0; k < 8 && i % 10 == 9; k++)
            print 192, 32, 0, 1048576, 2000, 900, (i + 1) / 10 + 1, 1, 0
    } }' >lines
"$cycles" lines | head -n 1 >said
check 'the files of a cycle are named, by bytes' grep -Eq '^The I/O recurs every .* each time 8.00 MiB written(, mostly)? of /run/chk-#[.;]' said

# -- what a program prints is no I/O of files
awk 'BEGIN { print "ff !iotrace 1\nff !base 10\nff !tick_us 1\nff !file 1 0 /dev/pts/3\nff !file 2 0 pipe:[4711]"
    for (i = 0; i < 40; i++) print 192, 32, 0, 80, 500000, 10, 1 + i % 2, 1, 400000 }' >prints
is "$("$cycles" prints | head -n 1)" 'No rhythm: there are no reads and writes.' 'lines to a terminal or a pipe have no rhythm'
finish
