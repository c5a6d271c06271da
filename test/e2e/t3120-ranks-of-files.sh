# t3120-ranks-of-files.sh - how many ranks actually read and wrote each shared file, and the times of the slowest one:
# in the log, in converted and merged logs, in the report and in the site's database
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"
. "$DSN_SRC/test/e2e/known.sh"

bin=$DSN_PREFIX/bin

# rows LOG: module, file, ranks, readers, writers of the program's files
rows() {
    "$bin/darshan-parser" --extra "$1" | awk -F'\t' '$4 ~ /^SHARED_(RANKS|READERS|WRITERS)$/ && $6 ~ /\.dat$/ {
        sub(".*/", "", $6); key = $1 " " $6; if (!(key in of)) order[++n] = key; of[key] = of[key] " " $5 }
        END { for (i = 1; i <= n; i++) print order[i] of[order[i]] }' | sort
}

# What the shared record says of its slowest rank, by a reduction of its own.
same_slowest() {
    "$bin/darshan-parser" "$1" --base --extra | awk -F'\t' '
        $2 == -1 && $4 ~ /_SLOWEST_RANK_TIME$/ && $1 ~ /^(POSIX|MPI-IO|STDIO)$/ { time[$1 $3] = $5; n++ }
        $2 == -1 && $4 ~ /^(POSIX|MPIIO|STDIO)_SLOWEST_RANK$/ { rank[$1 $3] = $5 }
        $4 == "SHARED_SLOWEST_RANK" { row[$1 $3] = $5; m++ }
        $4 == "SHARED_F_SLOWEST_TIME" { row_time[$1 $3] = $5 }
        $4 ~ /^SHARED_F_SLOWEST_(READ|WRITE|META)_TIME$/ { sum[$1 $3] += $5 }
        END { for (k in time) bad += row[k] != rank[k] || row_time[k] != time[k] || sum[k] - time[k] > 2e-6 || time[k] - sum[k] > 2e-6
              print (n == m && n > 4 && bad == 0) }'
}

one_mpi() {
    mkdir -p data && rm -f data/* converted.darshan one.darshan merged.darshan
    fresh_logs
    check "$MPI: compiles" compile preload ./program ranks-of-files.c
    check "$MPI: runs" execute preload 4 ./program data
    log=$(latest_log)
    rows "$log" >found
    is "$(grep -v collective found | tr '\n' ';')" 'POSIX none.dat 4 0 0;POSIX some.dat 4 3 2;STDIO stream.dat 4 0 3;' "$MPI: readers and writers"
    is "$(grep MPI-IO found)" 'MPI-IO collective.dat 4 0 4' "$MPI: through MPI-IO all of them wrote"
    is "$(same_slowest "$log")" 1 "$MPI: the slowest rank and its time are those of the shared records"
    is "$("$bin/darshan-parser" --extra "$log" | awk -F'\t' '$4 == "SHARED_SLOWEST_RANK" && $6 ~ /some.dat/ { print $5 }')" 2 "$MPI: the one that wrote most"
    of_text=$("$bin/darshan-parser" --extra "$log" | grep -c SHARED_READERS)
    is "$("$bin/darshan-parser" --extra --csv "$log" | grep -c SHARED_READERS) $("$bin/darshan-parser" --extra --json "$log" |
        "$PYTHON3" -c 'import json, sys; print(sum("SHARED_READERS" in r["counters"] for r in json.load(sys.stdin)["extra"]))')" \
        "$of_text $of_text" "$MPI: as CSV and JSON"

    "$bin/darshan-convert" "$log" converted.darshan
    rows converted.darshan >again
    check "$MPI: darshan-convert carries them" cmp found again
    id=$("$bin/darshan-parser" --extra "$log" | awk -F'\t' '$6 ~ /some.dat/ { print $3; exit }')
    "$bin/darshan-convert" --file "$id" "$log" one.darshan
    is "$(rows one.darshan)" 'POSIX some.dat 4 3 2' "$MPI: those of the records that are kept"
    "$bin/darshan-merge" --output merged.darshan "$log"
    rows merged.darshan >again
    check "$MPI: darshan-merge carries them" cmp found again

    "$bin/darshan-job-summary" --json "$log" >report
    is "$("$PYTHON3" -c 'import json
f = json.load(open("report"))["files"]
at = {name: i for i, name in enumerate(f["columns"])}
for row in f["rows"]:
    if row[at["name"]].endswith("some.dat"):
        parts = [row[at["slowest_%s_seconds" % p]] for p in ("read", "write", "metadata")]
        print(row[at["readers"]], row[at["writers"]], row[at["slowest_rank"]], abs(sum(parts) - row[at["slowest_seconds"]]) < 1e-5, parts[1] > parts[0])')" \
        '3 2 2 True True' "$MPI: in the report"
    rm -f site.db
    "$bin/darshan-accounting" --db site.db init
    "$bin/darshan-accounting" --db site.db ingest "$log" >/dev/null
    is "$("$PYTHON3" -c 'import sqlite3
print(sqlite3.connect("site.db").execute("SELECT ranks, readers, writers, slowest_rank, slowest_write_time > slowest_read_time FROM shared_file JOIN posix_record AS r USING (log_id, file_id) WHERE module = '"'POSIX'"' AND r.name LIKE '"'%some.dat'"'").fetchall())')" \
        '[(4, 3, 2, 2, 1)]' "$MPI: in the database"
}

each_mpi one_mpi

# ---- logs of single ranks, whose records become shared ones when they are merged
for rank in 0 1; do
    "$PYTHON3" "$DSN_SRC/test/lib/makelog.py" rank$rank.darshan <<JSON
{"jobid": 7, "start": 1000, "end": 1005, "nprocs": 2, "names": {"1": "/one.dat", "2": "/two.dat"}, "records": [
 ["POSIX", 1, $rank, {"POSIX_BYTES_WRITTEN": $((rank * 10)), "POSIX_BYTES_READ": 5, "POSIX_F_WRITE_TIME": $rank, "POSIX_F_META_TIME": 0.25}],
 ["POSIX", $((2 + rank)), $rank, {"POSIX_BYTES_READ": 5}]]}
JSON
done
rm -f merged.darshan
"$bin/darshan-merge" --shared-redux --output merged.darshan rank0.darshan rank1.darshan
is "$(rows merged.darshan)" 'POSIX one.dat 2 2 1' 'merged: ranks of a record that has become a shared one'
is "$("$bin/darshan-parser" --extra merged.darshan | awk -F'\t' '$4 ~ /^SHARED.*SLOWEST/ { printf "%s ", $5 }')" '1 0.000000 1.000000 0.250000 1.250000 ' 'merged: its slowest one'
is "$("$bin/darshan-parser" --extra rank0.darshan | tail -1)" '# this log has none' 'a log of another tool has none'

# ---- what a log says is not believed: rows of modules that there are not, times that are no numbers, a part that is cut off
"$PYTHON3" - "$DSN_SRC/test/decode" "$DSN_SRC/test/lib" <<'PY' || exit 1
import struct, sys, zlib
sys.path[:0] = sys.argv[1:3]; sys.dont_write_bytecode = True
import darshan_log
plain = open("rank0.darshan", "rb").read()
def extended(name, raw, lie=0):
    part = zlib.compress(raw)
    entry = b"shared".ljust(16, b"\0") + struct.pack("<QQQQQ", 1, len(plain), len(part), len(raw) + lie, darshan_log.lookup8(part))
    end = struct.pack("<QQQ", len(plain) + len(part), 1, darshan_log.lookup8(entry)) + b"DARSHAN EXT 1".ljust(16, b"\0")
    open(name, "wb").write(plain + part + entry + end)
row = lambda module, i, x: struct.pack("<Qqqqqqqdddd", i, -1, module, x, x, x, x, *[float("nan")] * 4)
extended("odd.darshan", row(-5, 1, -1) + row(1, 99, 2 ** 62) + row(1, 1, -2 ** 63) + row(63, 1, 0) + row(1 << 40, 2, 5))
extended("cut.darshan", row(1, 1, 3)[:-5])
extended("lies.darshan", row(1, 1, 3), 1 << 20)
PY
"$bin/darshan-parser" --extra odd.darshan >out
is "$? $(grep -c SHARED_READERS out)" '0 2' 'rows of modules that there are not are passed over'
for form in --json '' --verbose; do
    check "report $form of it" sh -c "'$bin/darshan-job-summary' $form odd.darshan >out"
done
rm -f site.db
"$bin/darshan-accounting" --db site.db init
check 'the database takes it' "$bin/darshan-accounting" --db site.db ingest odd.darshan
for bad in cut lies; do
    "$bin/darshan-parser" --extra $bad.darshan >out 2>err
    is "$? $(wc -l <err)" '1 1' "$bad: one line, status 1"
done
finish
