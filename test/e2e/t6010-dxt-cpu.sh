# t6010-dxt-cpu.sh - CPU times beside traces: the same as read by the program, with fork, kill, MPI and rewriting
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"
. "$DSN_SRC/test/e2e/known.sh"
[ -n "$PYTHON3" ] || skip_all 'package python3'
unset DARSHAN_CONFIG_PATH DARSHAN_MOD_ENABLE
trace=$DSN_PREFIX/bin/darshan-trace
cycles=$DSN_PREFIX/bin/darshan-cycles
DXT_ENABLE_IO_TRACE=1
export DXT_ENABLE_IO_TRACE
mkdir data

# cpu_of LOG: what `stat` says of CPU times
cpu_of() {
    "$trace" stat "$1" 2>notes | grep -oE 'CPU times[^,;)]*' | head -n 1
}

# as_read WANT LOG WHAT: the trace's CPU times at the bursts' beginnings are those that the program has read itself, as
# far as reading them and the burst's own writes take; WANT: process and microseconds, a line each
as_read() {
    "$trace" export --to csv "$2" >events.csv 2>notes
    check "$3" "$PYTHON3" -c '
import csv, os, sys
want = {}
for line in open(sys.argv[1]):
    name, used = line.split()
    want.setdefault(name, []).append(float(used) / 1e6)
got = {}
for e in csv.DictReader(open(sys.argv[2])):
    got.setdefault(os.path.basename(e["path"]), []).append((float(e["start"]), float(e["cpu"])))
before, wrong = 0, []
for name in sorted(want):
    events = sorted(got[name])
    if len(events) != 3 * len(want[name]):
        wrong.append("%s: %d events for %d bursts" % (name, len(events), len(want[name])))
    for i, used in enumerate(want[name]):
        for start, cpu in events[3 * i:3 * i + 3]:
            if not -1e-4 <= cpu - before - used <= .004:
                wrong.append("%s burst %d at %g: %g, wanted %g" % (name, i, start, cpu, before + used))
    if len(sys.argv) > 3: # one process after the other, as one
        before += want[name][-1]
sys.exit("\n".join(wrong[:5]) if wrong else 0)' "$1" events.csv ${4:+"$4"}
}

check 'compiles' compile nonmpi ./cpu cpu.c
fresh_logs
execute nonmpi 0 ./cpu "$PWD/data" 20 >want
log=$(latest_log)
is "$(cpu_of "$log")" 'CPU times as recorded' 'a program: recorded'
is "$(cat notes)" '' 'a program: nothing is to be told of it'
as_read want "$log" 'a program: as it has read them'
check 'a program: keeps the rules' decode "$log" --strict
# where others use the processors, too, the time between two bursts may differ so much that it has no rhythm
is "$("$cycles" "$log" | sed -n 's/^Clock *//p' | sed -E 's/^run time \(CPU time is [0-9.]+ % of it\)$/run time/
    s/^CPU time, as recorded \([0-9.]+ % of the run time\), because run time shows no rhythm$/run time/')" 'run time' \
    'a program that waits most of the time: the clock that is tried first is run time'
is "$("$cycles" --json --clock cpu "$log" | "$PYTHON3" -c 'import json, sys
d = json.load(sys.stdin)
c = d["job"]["cycles"][0]
print(d["clock"], d["cpu"], c["repeats"] >= 18, .009 < c["mean"] < .015, c["made_of"][0]["operations"])')" 'cpu recorded True True 3' \
    'a program: its rhythm over CPU time is what it computes between bursts'

# -- rewritten
check 'converted' status 0 "$DSN_PREFIX/bin/darshan-convert" "$log" converted.darshan
as_read want converted.darshan 'converted: the same'
check 'hidden' status 0 "$DSN_PREFIX/bin/darshan-convert" --obfuscate --key 1 "$log" hidden.darshan
is "$(cpu_of hidden.darshan)" 'CPU times as recorded' 'without names: still there'
check 'merged' status 0 "$DSN_PREFIX/bin/darshan-merge" --output merged.darshan "$log"
as_read want merged.darshan 'merged: the same'

# -- children are ranks of their own where there is no MPI
for how in '' at-once; do
    fresh_logs
    execute nonmpi 0 ./cpu "$PWD/data" 8 3 $how >want
    is "$(cpu_of "$(latest_log)")" 'CPU times as recorded' "children ${how:-one after the other}: recorded"
    as_read want "$(latest_log)" "children ${how:-one after the other}: each one's"
done

# -- a process that is killed
fresh_logs
rm data/rank0
(DARSHAN_ENABLE_NONMPI=1 LD_PRELOAD=$preload exec ./cpu "$PWD/data" 200) >/dev/null &
wait_until eval '[ "$(stat -c %s data/rank0 || echo 0)" -ge 3000 ]'
kill -9 $!
wait $! 2>/dev/null
rm data/rank0
check 'killed: recovered' status 0 "$DSN_PREFIX/bin/darshan-recover" --mine
killed=$(latest_log)
is "$(cpu_of "$killed")" 'CPU times as recorded' 'killed: recorded'
"$trace" export --to csv "$killed" 2>/dev/null | "$PYTHON3" -c 'import csv, sys
e = [float(x["cpu"]) for x in csv.DictReader(sys.stdin)][::3]
print(len(e) >= 9 and all(.009 < b - a < .02 for a, b in zip(e, e[1:])))' >got
is "$(cat got)" True 'killed: what it computed between bursts'

ranks() {
    check "$MPI: compiles" compile preload ./cpu-mpi cpu.c
    fresh_logs
    execute preload 3 ./cpu-mpi "$PWD/data" 10 >want
    is "$(cpu_of "$(latest_log)")" 'CPU times as recorded' "$MPI: recorded"
    as_read want "$(latest_log)" "$MPI: each rank's as it has read them"
    fresh_logs
    (DARSHAN_GATHERMEM=0 && export DARSHAN_GATHERMEM && execute preload 3 ./cpu-mpi "$PWD/data" 10 >want)
    as_read want "$(latest_log)" "$MPI, each rank writes its own part: the same"
    # what the children of a rank did is that rank's; their threads have the same numbers in the trace
    fresh_logs
    execute preload 1 ./cpu-mpi "$PWD/data" 8 3 >want
    is "$(cpu_of "$(latest_log)")" 'CPU times as recorded' "$MPI, children one after the other: recorded"
    as_read want "$(latest_log)" "$MPI, children one after the other: the sum of what they used" sum
    fresh_logs
    execute preload 1 ./cpu-mpi "$PWD/data" 8 3 at-once >want
    is "$(cpu_of "$(latest_log)")" 'CPU times estimated: the time between calls' "$MPI, children at once: not told"
    is "$(grep -c 'several processes have the same thread ids' notes)" 1 "$MPI, children at once: and it is said why"
}
each_mpi ranks
finish
