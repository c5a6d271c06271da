# t1097-phases.sh - phases that a program names: exact in every way, in all that reads logs
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"
. "$DSN_SRC/test/e2e/known.sh"

all_ways() {
    for way in preload linked; do
        known $way 1 phases.c "-I$DSN_PREFIX/include" phases-mpi.want phases-below.want
        known $way 3 phases.c "-I$DSN_PREFIX/include" phases-mpi.want phases-below.want
    done
    known static 3 phases.c "-I$DSN_PREFIX/include" phases-mpi.want
}

known nonmpi 1 phases.c "-I$DSN_PREFIX/include" -O2 -fno-pie -no-pie
known nonmpi 1 phases.c "-I$DSN_PREFIX/include"

# -- what reads logs
bin=$DSN_PREFIX/bin
log=$(latest_log)
"$bin/darshan-job-summary" --verbose "$log" >report
is "$(sed -n '/^Phases/,/in none/p' report | awk '$1 ~ /^(outer|inner|streams|together)$/ { print $1, $(NF - 2), $(NF - 1), $NF }' | sort)" 'inner 0 B 7
outer 9.80 KiB 11
streams 1000 B 105
together 31.2 KiB 4000' 'report: a line a phase'
is "$(grep -c "^ *in none  *0 B  *18 B  *3$" report)" 1 'and what is in none'
"$bin/darshan-job-summary" --phase streams "$log" >phase
is "$(awk '$1 == "Phase" { print $2 } $1 == "STDIO" { print $2, $3, $4, $5, $6, $7, $8 } $1 == "POSIX" { print $4 }' phase | head -n 3 | tr '\n' ';')" \
    'streams;2;5 100 3 100 B 1000 B;' '--phase: calls and bytes of one'
is "$(grep -c '^When  *[.#]*#[.#]*$' phase)" 1 'and when it was'
status 1 "$bin/darshan-job-summary" --phase none "$log" >/dev/null
is "$(wc -l <err) $(grep -c 'no phase is named "none"' err)" '1 1' 'one that there is not: one line says so'
"$bin/darshan-job-summary" --json "$log" >report.json
cat >tell.py <<'END'
import json
p = json.load(open("report.json"))["named_phases"]
rows = {r["name"]: r for r in p["rows"]}
s = rows["streams"]
print(s["entered"], s["work"]["bytes_written"], {l["name"]: (l["work"]["writes"], l["metadata_calls"]) for l in s["layers"]})
print(p["outside"])
inner = rows["inner"]
print(len(inner["spans"]), all(0.03 <= to - since + 1e-3 for since, to in inner["spans"]), len(rows["outer"]["spans"]) in (2, 3))
print(rows["together"]["longest_seconds"] <= rows["together"]["seconds"], 0 < rows["together"]["io_share"] <= 1)
END
is "$("$PYTHON3" tell.py)" "1 1000 {'POSIX': (0, 2), 'STDIO': (100, 3)}
{'bytes_read': 0, 'bytes_written': 18, 'reads': 0, 'writes': 3}
1 True True
True True" 'JSON: layers, what is in none, and when'
"$bin/darshan-convert" "$log" converted.darshan
"$bin/darshan-parser" --extra "$log" | grep '^PHASE' >before
"$bin/darshan-parser" --extra converted.darshan | grep '^PHASE' >after
check 'darshan-convert keeps them' alike before after
"$bin/darshan-convert" --obfuscate "$log" hidden.darshan
is "$("$bin/darshan-parser" --extra hidden.darshan | grep '^PHASE' | cut -f 1-5 | diff - before | grep -c '^<'),$("$bin/darshan-parser" --extra hidden.darshan | grep -c 'streams\|together')" \
    "$(wc -l <before),0" 'with --obfuscate without their names'
cat >both.want <<'END'
phase * streams PHASE_STDIO_WRITES 100
END
"$bin/darshan-merge" --output merged.darshan "$log" "$log" 2>merge.err
check 'darshan-merge: both' decode merged.darshan --want both.want
is "$("$bin/darshan-job-summary" --json --files '*/file*' "$log" | grep -c '"named_phases": *null')" 1 'a report of some files tells of none'

accounts() {
    "$bin/darshan-accounting" --db a.db init
    "$bin/darshan-accounting" --db a.db ingest "$log" >ingested 2>&1
    "$bin/darshan-accounting" --db a.db --csv query phases >queried
    is "$(grep -c , queried) $(grep '"together"' queried | cut -d , -f 3,7-9)" '21 1,0,32000,4000' 'accounting: the 20 with most time in calls'
}
if [ -x "$bin/darshan-accounting" ]; then
    accounts
else
    skip 'accounting' 'SQLite 3.37'
fi

# -- Python, and a process that is killed
if [ -x /usr/bin/python3 ]; then
    cat >named.py <<'END'
import ctypes, os, signal, sys, time
library = ctypes.CDLL(None)
library.darshan_phase_begin(b"load")
with open(__file__, "rb", 0) as f:
    f.read(10)
child = os.fork()
if child == 0: # begins without a phase
    with open(__file__, "rb", 0) as f:
        f.read(20)
    library.darshan_phase_begin(b"of the child")
    with open(__file__, "rb", 0) as f:
        f.read(30)
    os._exit(0)
os.waitpid(child, 0)
library.darshan_phase_end()
library.darshan_phase_begin(b"killed")
with open(__file__, "rb", 0) as f:
    f.read(40)
    time.sleep(0.2)
    f.read(0)
if len(sys.argv) > 1:
    os.kill(os.getpid(), signal.SIGKILL)
END
    cat >named.want <<'END'
phase 0 load PHASE_POSIX_BYTES_READ 10
phase * of?the?child PHASE_POSIX_BYTES_READ 30
phase 0 killed PHASE_POSIX_BYTES_READ 40
phase 0 killed PHASE_ENTERED 1
END
    for how in '' killed; do
        fresh_logs
        env DARSHAN_ENABLE_NONMPI=1 "LD_PRELOAD=$preload" /usr/bin/python3 named.py $how
        wait_until_ended
        "$bin/darshan-recover" --mine >recovered 2>&1
        is "$(count_logs)" 1 "Python${how:+, $how}: one log"
        is "$("$bin/darshan-job-summary" --json "$(latest_log)" | "$PYTHON3" -c 'import json, sys
print([sum(to - since for since, to in r["spans"]) > 0.15 for r in json.load(sys.stdin)["named_phases"]["rows"] if r["name"] == "killed"])')" \
            '[True]' "Python${how:+, $how}: when it was in the phase that it has not ended"
        check "Python${how:+, $how}: what it and its child have named" decode "$(latest_log)" --want named.want
    done
    cat >apart.py <<'END'
import ctypes, os, time
library = ctypes.CDLL(None)
fd = os.open(__file__, os.O_RDONLY)
time.sleep(0.1) # the interpreter has read the program just now
for name, reads in (b"few", 5), (b"more", 70), (b"few", 6):
    library.darshan_phase_begin(name)
    time.sleep(0.1)
    for i in range(reads):
        os.pread(fd, 10, i)
    time.sleep(0.1)
    library.darshan_phase_end()
END
    fresh_logs
    env DARSHAN_ENABLE_NONMPI=1 DXT_ENABLE_IO_TRACE=1 "LD_PRELOAD=$preload" /usr/bin/python3 apart.py
    traced=$(latest_log)
    for name in few more; do "$bin/darshan-cycles" --phase $name "$traced" 2>cycles.err | sed -n 's/^Source  *dxt, //p'; done >sources
    is "$(cat sources)" '11 reads and writes of 1 process
70 reads and writes of 1 process' 'darshan-cycles --phase: the operations of a phase'
    status 1 "$bin/darshan-cycles" --phase none "$traced"
    is "$(grep -c 'has no phase of that name' err)" 1 'of one that there is not'
else
    skip 'phases of Python' 'package python3'
fi
each_mpi all_ways
finish
