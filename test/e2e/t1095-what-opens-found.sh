# t1095-what-opens-found.sh - what opens for writing found, and times of opens, closes and syncs: exact in every way
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"
. "$DSN_SRC/test/e2e/known.sh"

: >born
known_defined="-D born=$(($(stat -c %W born) > 0)) -D unborn=$(($(stat -c %W born) == 0))"

all_ways() {
    for way in preload linked static; do
        known $way 1 found.c
    done
}

known nonmpi 0 found.c
"$DSN_PREFIX/bin/darshan-parser" --extra "$(latest_log)" >extra
"$DSN_PREFIX/bin/darshan-parser" "$(latest_log)" >base
is "$(($(grep -c '	FILE_' extra) > 100)) $(grep -c '	FILE_' base)" '1 0' 'readers that do not look for it see nothing of it'
# what the report, its JSON and the accounting tell of it
log=$(latest_log)
"$DSN_PREFIX/bin/darshan-job-summary" "$log" >report
"$DSN_PREFIX/bin/darshan-job-summary" --json "$log" >report.json
if [ "$(stat -c %W born)" -gt 0 ]; then
    is "$(grep -A 3 'opened for writing' report | tr -s ' ')" " opened for writing: 16 created, 5 overwritten, 3 changed,
 1 empty before
 1 read before it was changed
 2 temporary: created, 8 B written, 0 B read, deleted" 'report: what became of the files'
else
    is "$(grep -c 'opened for writing:.* perhaps created' report)" 1 'report: files whose birth is not known'
fi
is "$("$DSN_PREFIX/bin/darshan-job-summary" --files '*/exclusive*' "$log" | grep -c 'opened for writing: 2 created$')" 1 \
    'report of some files: the same, though totals of ranks are left out'
cat >tell.py <<'END'
import json
r = json.load(open("report.json"))
at = {name: i for i, name in enumerate(r["files"]["columns"])}
rows = {row[at["name"]].split("/")[-1]: row for row in r["files"]["rows"]}
value = lambda name, column: rows[name][at[column]]
print(value("exclusive", "found"), value("exclusive", "size_before"), value("cut", "found"), value("cut", "size_before"),
      value("added", "found"), value("added", "size_before"), value("read", "found"), value("temporary", "deleted"))
t = r["times_apart"]
print(0 < t["open_seconds"] + t["close_seconds"] <= t["metadata_seconds"] + 1e-4, 0 < t["sync_seconds"] <= t["write_seconds"] + 1e-4,
      value("synced", "sync_seconds") > 0)
END
cat >accounts.py <<'END'
import csv, json
r = json.load(open("report.json"))
q, w = list(csv.DictReader(open("queried"))), r["written_files"]
print(len(q), [q[0][name] == str(w[name]) for name in ("created", "overwritten", "changed", "empty_before", "perhaps_created")],
      q[0]["temporary"] == str(w["temporary"]["files"]), q[0]["telling_logs"])
END
is "$("$PYTHON3" tell.py)" 'created 0 overwritten None changed 3 None 1
True True True' 'JSON: single files, and times'
accounts() {
    "$DSN_PREFIX/bin/darshan-accounting" --db a.db init
    "$DSN_PREFIX/bin/darshan-accounting" --db a.db ingest "$log" >ingested 2>&1
    "$DSN_PREFIX/bin/darshan-accounting" --db a.db --csv query written-files >queried
    is "$("$PYTHON3" accounts.py)" '1 [True, True, True, True, True] True 1' 'accounting: the same files'
    "$DSN_PREFIX/bin/darshan-accounting" --db a.db --csv query times-apart >queried
    is "$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
        NR == 2 { print $at["logs"], ($at["open_percent"] > 0), ($at["open_percent"] + $at["close_percent"] <= 100.1), ($at["sync_percent"] > 50) }' queried)" \
        '1 1 1 1' 'accounting: times of opens, closes and syncs'
}
if [ -x "$DSN_PREFIX/bin/darshan-accounting" ]; then
    accounts
else
    skip 'accounting' 'SQLite 3.37'
fi
each_mpi all_ways
finish
