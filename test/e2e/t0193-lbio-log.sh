# t0193-lbio-log.sh - what log-based I/O did, in the log of the job: per rank, summed, read, converted, merged, reported
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"
bin=$DSN_PREFIX/bin
mkdir logs files
slots=$PWD/slots
export LBIO_OPTS="logdir=$PWD/logs,slots=$slots,tokens=1"

# Replay waits for the only token, which this holds until the files are there.
cat >hold.py <<'END'
import fcntl, os, struct, sys, time
f = os.open(sys.argv[1], os.O_RDWR | os.O_CREAT, 0o666)
fcntl.fcntl(f, 37, struct.pack('hhqqi4x', fcntl.F_WRLCK, 0, 0, 1, 0)) # F_OFD_SETLK
open('held', 'w').close()
end = time.time() + 100
while time.time() < end and not all(os.path.exists(p) for p in sys.argv[2:]):
    time.sleep(0.02)
END
hold() {
    rm -f held files/* "$slots"
    python3 hold.py "$slots" "$@" &
    holder=$!
    wait_until test -e held
}

# figures LOG: what --extra prints of the part, as RANK:COUNTER=VALUE
figures() { "$bin/darshan-parser" --extra "$1" | awk -F'\t' '$1 == "LBIO" { print $2 ":" substr($4, 6) "=" $5 }'; }
figure() { sed -n "s/^$1=//p" figures; } # RANK:COUNTER
at_least() { awk -v n="$(figure "$1")" -v least="$2" -v most="$3" 'BEGIN { exit !(n != "" && n >= least && n <= most) }'; }

for MPI in openmpi mpich; do
    export MPI
    if ! have_mpi $MPI; then
        skip "$MPI" "MPI: $MPI"
        continue
    fi
    check "$MPI: compiles" build plain "figures-$MPI" "$DSN_SRC/test/work/lbio-figures.c"
    fresh_logs
    hold files/written.0 files/written.1
    check "$MPI: runs" env "LD_PRELOAD=$DSN_PREFIX/lib/libdarshan.so" "$bin/lbio" run --files "^$PWD/files/figures" -- \
        sh -c '. "$DSN_SRC/test/lib/lib.sh"; DARSHAN_LOGPATH=$3 run plain 2 "$1" "$2"' run "./figures-$MPI" "$PWD/files" \
        "$DARSHAN_LOGPATH"
    wait $holder
    log=$(latest_log)
    cp "$log" "$MPI.darshan"
    figures "$log" >figures
    # 10 writes of 1000 bytes by rank 0, 4 of 5000 by rank 1; a part of each read is served by each write that it meets
    is "$(figure 0:FILES) $(figure 0:WRITES) $(figure 0:BYTES) $(figure 0:REPLAYED_BYTES)" '1 10 10000 10000' "$MPI: rank 0"
    is "$(figure 1:FILES) $(figure 1:WRITES) $(figure 1:BYTES) $(figure 1:REPLAYED_BYTES)" '1 4 20000 20000' "$MPI: rank 1"
    is "$(figure 0:LOGGED_READS) $(figure 0:FILE_READS) $(figure 1:LOGGED_READS) $(figure 1:FILE_READS)" '1 0 1 0' \
        "$MPI: both read from their logs"
    is "$(figure 0:WAITS) $(figure 0:ERRORS) $(figure 0:INCOMPLETE_FILES) $(figure 0:DIRECT_FILES)" '0 0 0 0' "$MPI: nothing else"
    is "$(figure 0:LOG_HIGH) $(figure 1:LOG_HIGH)" '10000 20000' "$MPI: all of it was in the log at one time"
    check "$MPI: writes were merged" at_least 0:REPLAYED_WRITES 1 3 # what was 1 s old when others came is written by itself
    check "$MPI: tokens" at_least 0:TOKENS 1 3
    for rank in 0 1; do
        check "$MPI: rank $rank waited for its end, and replay for a token" at_least $rank:F_REPLAY_TIME \
            "$(figure $rank:F_TOKEN_TIME)" 100
        check "$MPI: rank $rank: writes take a part of all calls" at_least $rank:F_VISIBLE_TIME "$(figure $rank:F_WRITE_TIME)" 100
        check "$MPI: rank $rank: times were taken" at_least $rank:F_WRITE_TIME 0.000001 100
    done
    is "$(wc -c <files/figures.0) $(wc -c <files/figures.1)" '10000 20000' "$MPI: the files are complete"

    # -- the report ----------------------------------------------------------------------------------------------------
    "$bin/darshan-job-summary" --json "$log" >json 2>/dev/null
    is "$("$PYTHON3" -c 'import json
l = json.load(open("json"))["lbio"]
print(l["ranks"], l["files"], l["calls"], l["bytes"], l["replayed_bytes"], l["reads_from_log"], l["largest_log"])')" \
        '2 2 14 30000 30000 2 20000' "$MPI: JSON has the sums, and of sizes of logs the largest"
    check "$MPI: JSON is as its schema says" "$PYTHON3" "$DSN_SRC/test/decode/schema.py" "$DSN_PREFIX/share/darshan/job-summary.schema.json" json
    is "$("$PYTHON3" -c 'import json
l, r = json.load(open("json"))["lbio"], {}
for line in open("figures"):
    k, v = line.strip().split("=")
    r[k] = float(v)
near = lambda a, b: abs(a - b) <= 2e-6
slow = max((0, 1), key=lambda n: r["%d:F_REPLAY_TIME" % n])
hidden = max(0, r["%d:F_REPLAY_TIME" % slow] - r["%d:F_DRAIN_TIME" % slow] - r["%d:F_FULL_TIME" % slow])
print(near(l["replay_seconds"], r["%d:F_REPLAY_TIME" % slow]), near(l["longest_replay_hidden_seconds"], hidden),
      near(l["write_seconds"], max(r["0:F_WRITE_TIME"], r["1:F_WRITE_TIME"])))')" 'True True True' \
        "$MPI: times are of the rank with the longest"
    "$bin/darshan-job-summary" "$log" >text 2>&1
    check "$MPI: the report says so" grep -Eq '^ *LBIO +29\.3 KiB in 14 calls returned in ' text

    # -- the database --------------------------------------------------------------------------------------------------
    rm -f site.db
    if [ ! -x "$bin/darshan-accounting" ]; then
        skip "$MPI: the database" 'SQLite 3.37'
    else
        "$bin/darshan-accounting" --db site.db init >/dev/null
        check "$MPI: the database has it" "$bin/darshan-accounting" --db site.db ingest "$log"
        is "$("$PYTHON3" -c 'import sqlite3
print(*sqlite3.connect("site.db").execute("""SELECT ranks, files, calls, bytes, replayed_bytes, incomplete_files,
    write_time > 0 AND replay_time > 0 AND wait_time > 0 AND hidden_time <= replay_time FROM log_based_io""").fetchone())')" \
            '2 2 14 30000 30000 0 1' "$MPI: in one row"
    fi

    # -- what goes on with it ------------------------------------------------------------------------------------------
    check "$MPI: converts" "$bin/darshan-convert" --obfuscate "$log" "$MPI.converted"
    cp figures wanted
    figures "$MPI.converted" >figures
    check "$MPI: the copy has it, too" alike wanted figures
done

# -- without MPI -------------------------------------------------------------------------------------------------------
export LBIO_OPTS="logdir=$PWD/logs"
fresh_logs
rm -f files/*
cat >three.py <<'END'
import os
f = os.open('files/three', os.O_WRONLY | os.O_CREAT)
for i in range(3):
    os.write(f, b'x' * 7000)
END
both=$DSN_PREFIX/lib/libdarshan.so:$DSN_PREFIX/lib/liblbio.so
check 'without MPI' env "LD_PRELOAD=$both" DARSHAN_ENABLE_NONMPI=1 "LBIO_PATTERN=^$PWD/files/" "$PYTHON3" three.py
figures "$(latest_log)" >figures
is "$(grep -E ':(FILES|WRITES|BYTES|REPLAYED_BYTES)=' figures | sort | tr '\n' ' ')" \
    '0:BYTES=21000 0:FILES=1 0:REPLAYED_BYTES=21000 0:WRITES=3 ' 'the only process'
fresh_logs
check 'standard output, which is not logged' env "LD_PRELOAD=$both" DARSHAN_ENABLE_NONMPI=1 "LBIO_PATTERN=^$PWD/files/" \
    dd if=/dev/zero of="$PWD/files/direct" bs=7000 count=3 status=none
figures "$(latest_log)" >figures
is "$(grep -E ':(FILES|WRITES|DIRECT_FILES)=' figures | sort | tr '\n' ' ')" '0:DIRECT_FILES=1 0:FILES=0 0:WRITES=0 ' \
    'is a file that was written directly'
"$bin/darshan-job-summary" "$(latest_log)" >text
is "$(grep -A 1 '^LBIO' text | sed 's/^[A-Z ]*//' | tr '\n' ';')" \
    'nothing was logged;1 file written directly: streams, locked, shared through HDF5, ...;' 'the report says so'

# -- a process that has become another program: its parts are one rank, here the child of `lbio` itself ------------------
fresh_logs
check 'lbio runs the program itself' env "LD_PRELOAD=$DSN_PREFIX/lib/libdarshan.so" DARSHAN_ENABLE_NONMPI=1 \
    "$bin/lbio" run --files "^$PWD/files/" -- "$PYTHON3" three.py
figures "$(latest_log)" >figures
is "$(grep -E ':(FILES|WRITES|BYTES|REPLAYED_BYTES)=' figures | sed 's/^[0-9]*//' | sort | tr '\n' ' ')" \
    ':BYTES=21000 :FILES=1 :REPLAYED_BYTES=21000 :WRITES=3 ' 'the parts of one process'

# -- without log-based I/O ---------------------------------------------------------------------------------------------
fresh_logs
check 'a program that does not log anything' env "LD_PRELOAD=$DSN_PREFIX/lib/libdarshan.so" "DARSHAN_ENABLE_NONMPI=1" \
    dd if=/dev/zero of="$PWD/files/other" bs=7000 count=3 status=none
"$bin/darshan-parser" --extra "$(latest_log)" >extra
is "$(grep -c LBIO extra)" 0 'has nothing about it'
check 'nor has its report' status 1 grep LBIO extra
"$bin/darshan-job-summary" "$(latest_log)" >text 2>&1
is "$(grep -c LBIO text)" 0 'nor has the report'

# -- killed: what was logged is recovered, and the log is made without these figures ------------------------------------
fresh_logs
cat >killed.py <<'END'
import os, signal
f = os.open('files/killed', os.O_WRONLY | os.O_CREAT)
os.write(f, b'x' * 5000)
os.kill(os.getpid(), signal.SIGKILL)
END
status 137 env "LD_PRELOAD=$DSN_PREFIX/lib/libdarshan.so" "DARSHAN_ENABLE_NONMPI=1" "$bin/lbio" run --files "^$PWD/files/" -- \
    "$PYTHON3" killed.py >/dev/null 2>&1
check 'killed: its data is recovered' "$bin/lbio" recover --all
is "$(wc -c <files/killed)" 5000 'all of it'
"$bin/darshan-recover" --mine >recovered 2>&1
if [ -n "$(latest_log)" ]; then
    "$bin/darshan-parser" --extra "$(latest_log)" >extra
    is "$? $(grep -c '^LBIO' extra)" '0 0' 'its log does not have the figures, which are taken at the end'
fi

# -- the page of the report --------------------------------------------------------------------------------------------
browser=$(command -v chromium || command -v chromium-browser)
section() { # LOG: what stands in the section, as NAME|VALUE|
    rm -rf profile
    "$bin/darshan-job-summary" -o page.html "$1" && timeout 120 "$browser" --headless --no-sandbox --disable-gpu --disable-quic \
        --no-first-run --disable-background-networking --disable-component-update --disable-sync --user-data-dir="$PWD/profile" \
        --dump-dom "file://$PWD/page.html" 2>/dev/null |
        sed -n 's/.*<section id="lbio"/</; T; s/<\/section>.*//; s/&nbsp;/ /g; s/<[^>]*>/|/g; s/||*/|/g; p'
}
if [ -z "$browser" ]; then
    skip 'the section of the page' 'package chromium'
elif [ -e mpich.darshan ]; then
    section mpich.darshan >page
    "$bin/darshan-job-summary" mpich.darshan >text 2>/dev/null
    is "$(grep -c '|Logged|29.3 KiB in 14 calls, returned in [0-9.]* [mµn]*s|' page)" 1 'the page has what was logged'
    is "$(grep -o 'beside computing ([^)]*)' page)" "$(grep -o 'beside computing ([^)]*)' text)" 'what was hidden, as on the screen'
    is "$(sed -n 's/.*|Merged into|\([0-9]*\) call.*/\1/p' page)" "$(sed -n 's/.*merged into \([0-9]*\) call.*/\1/p' text)" \
        'and into how many calls it was merged'
    is "$(grep -c '|Largest log|19.5 KiB|' page) $(grep -c 'Errors of replay' page)" '1 0' 'the largest log, and nothing of errors'
    is "$(section "$DSN_SRC/test/golden/ior-HDF5.darshan" | wc -c)" 0 'the page of a job without it says nothing'
fi

# -- merged ------------------------------------------------------------------------------------------------------------
if [ -e mpich.darshan ] && [ -e openmpi.darshan ]; then
    check 'the logs of two programs' "$bin/darshan-merge" --output merged openmpi.darshan mpich.darshan
    figures merged >figures
    is "$(figure 0:WRITES) $(figure 3:BYTES) $(figure 3:LOG_HIGH) $(figure 4:BYTES)" '10 20000 20000 ' 'are four ranks'
fi

# -- logs that are being made or removed while others are looked for ---------------------------------------------------
mkdir scanned scanned/lbio.none.-1.$$ scanned/lbio.none.-1.1 && : >scanned/lbio.none.-1.$$/map && chmod 700 scanned/*
scan() { "$bin/lbio" "$1" --logdir "$PWD/scanned" ${2:-} >said 2>&1 && [ ! -s said ]; }
check 'logs that their processes are about to write: recover has nothing to say' scan recover --all
check 'nor has status' scan status
is "$(ls scanned | wc -l)" 2 'and they are left to them'
sh -c 'echo $$' >ended
mkdir "scanned/lbio.none.-1.$(cat ended)" && : >"scanned/lbio.none.-1.$(cat ended)/map" && chmod 700 scanned/*
check 'one whose process has ended before' scan recover --all
is "$(ls scanned | wc -l)" 2 'goes'
echo some >scanned/lbio.none.-1.$$/map && head -c 5000 /dev/urandom >>scanned/lbio.none.-1.$$/map
check 'one that is no log' status 1 "$bin/lbio" recover --logdir "$PWD/scanned" --all
is "$(sed 's/.*: \(is not a log\)/\1/' err)" 'is not a log of lbio, or is damaged' 'is said to be none'
finish
