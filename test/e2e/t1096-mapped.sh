# t1096-mapped.sh - files that are mapped into memory: bounds of what loads and stores touched
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"
. "$DSN_SRC/test/e2e/known.sh"

# UCX, which some builds of MPICH use, patches mmap, and loses the last argument of mremap.
export UCX_MEM_MMAP_HOOK_MODE=none

page=$(getconf PAGESIZE)
case $(stat -f -c %T .) in
tmpfs | ramfs) stores=0 ;;
*) stores=1 ;;
esac
known_defined="-D page=$page -D stores=$stores"

all_ways() {
    for way in preload linked static; do
        known $way 1 mapped.c
        known $way 4 mapped-shared.c
    done
}

known nonmpi 0 mapped.c mapped-alone.want
log=$(latest_log)
"$DSN_PREFIX/bin/darshan-parser" --extra "$log" >extra
"$DSN_PREFIX/bin/darshan-parser" "$log" >base
is "$(($(grep -c '	MAPPED_' extra) > 60)) $(grep -c '	MAPPED_' base)" '1 0' 'readers that do not look for it see nothing of it'

# what the report and its JSON say of it: of 16 files without calls that read or wrote, but for a byte of one
"$DSN_PREFIX/bin/darshan-job-summary" "$log" >report
"$DSN_PREFIX/bin/darshan-job-summary" --json "$log" >report.json
is "$(grep -c 'mapped: 16 files, .*; at most .* accessed$' report) $(grep -c 'so bytes of calls are not all' report)" '1 1' 'report: they may have moved more than calls'
check 'its JSON is as its schema says' "$PYTHON3" "$DSN_SRC/test/decode/schema.py" "$DSN_PREFIX/share/darshan/job-summary.schema.json" report.json
cat >tell.py <<'END'
import json, sys
page, stores = int(sys.argv[1]), int(sys.argv[2])
m = json.load(open("report.json"))["mapped_files"]
rows = {row["name"].split("/")[-1]: row for row in m["largest"]}
for name in ("loaded", "stored", "private", "untouched", "left", "forked"):
    row = rows[name]
    print(name, row["at_most_accessed"] / page, row["at_most_written"] / page,
          row["at_least_written_back"] <= row["at_most_written"] * stores, end="; ")
print(m["files"], m["may_be_most"], m["not_examined"] <= 64 * page, sum(r["at_most_accessed"] for r in rows.values()) == m["at_most_accessed"],
      stores == 0 or m["at_least_written_back"] > 0)
t = json.load(open("report.json"))["storage_traffic"]
print(t["bytes_dirtied"] >= m["at_least_written_back"], t["page_faults"] >= 0, t["bytes_read"] >= 0)
END
cat >asked.py <<'END'
import csv, json
report = json.load(open("report.json"))
m, t, q = report["mapped_files"], report["storage_traffic"], list(csv.DictReader(open("queried")))[0]
print([q[a] == str(m[b]) for a, b in (("files", "files"), ("mapped_bytes", "bytes"), ("bytes_accessed_at_most", "at_most_accessed"),
       ("bytes_changed_at_most", "at_most_written"), ("bytes_written_back_at_least", "at_least_written_back"))],
      q["logs_mostly_mapped"], q["page_faults"] == str(t["page_faults"]), q["storage_bytes_read"] == str(t["bytes_read"]))
END
is "$("$PYTHON3" tell.py "$page" "$stores")" \
    'loaded 64.0 0.0 True; stored 64.0 64.0 True; private 64.0 0.0 True; untouched 0.0 0.0 True; left 64.0 64.0 True; forked 64.0 0.0 True; 16 True True True True
True True True' \
    'JSON: bounds of each file'
accounts() {
    "$DSN_PREFIX/bin/darshan-accounting" --db a.db init
    "$DSN_PREFIX/bin/darshan-accounting" --db a.db ingest "$log" >ingested 2>&1
    "$DSN_PREFIX/bin/darshan-accounting" --db a.db --csv query mapped-files >queried
    is "$("$PYTHON3" asked.py)" '[True, True, True, True, True] 1 True True' 'accounting: the same'
}
if [ -x "$DSN_PREFIX/bin/darshan-accounting" ]; then
    accounts
else
    skip 'accounting' 'SQLite 3.37'
fi
"$DSN_PREFIX/bin/darshan-job-summary" --files '*/loaded' --json "$log" >one.json
is "$("$PYTHON3" -c 'import json; m = json.load(open("one.json"))["mapped_files"]; print(m["files"], m["at_most_accessed"])')" "1 $((64 * page))" 'of some files: theirs'
"$DSN_PREFIX/bin/darshan-convert" "$log" converted.darshan
"$DSN_PREFIX/bin/darshan-parser" --extra converted.darshan | grep MAPPED_ >again
grep MAPPED_ extra >before
check 'a converted log has the same' cmp before again
"$DSN_PREFIX/bin/darshan-merge" --output merged.darshan "$log" "$log"
touched() {
    awk '$4 == "MAPPED_TOUCHED" { n += $5 } END { print n }'
}
is "$("$DSN_PREFIX/bin/darshan-parser" --extra merged.darshan | touched)" "$(($(touched <before) * 2))" 'merged logs: as much as in both'
each_mpi all_ways

# what a killed process had mapped counts with its length; only processes with a survival file leave something
fresh_logs
export DARSHAN_MMAP_LOGPATH=$PWD/survival
mkdir survival killed
compile nonmpi killed/program mapped.c
(execute nonmpi 0 killed/program killed kill) >killed/out 2>&1
wait_until_ended
"$DSN_PREFIX/bin/darshan-recover" --mine >killed/recovered 2>&1
is "$("$DSN_PREFIX/bin/darshan-parser" --extra "$(latest_log)" | awk -v page="$page" '/\/left\t/ && /MAPPED_/ { print $4, ($4 == "MAPPED_MAPPINGS" ? $5 : $5 / page) }' | tr '\n' ' ')" \
    'MAPPED_MAPPINGS 1 MAPPED_BYTES 64 MAPPED_TOUCHED 64 MAPPED_WRITABLE 64 MAPPED_DIRTY 0 MAPPED_UNEXAMINED 64 ' 'killed: as long as the mapping was'
# -- many files: the part is more than one piece of a log
cat >many.py <<'END'
import mmap, sys
for i in range(int(sys.argv[1])):
    with open("many.%d" % i, "w+b") as f:
        f.write(b"x")
        f.flush()
        mmap.mmap(f.fileno(), 1, prot=mmap.PROT_READ).close()
END
for n in 0 1 101 5000; do
    fresh_logs
    env DARSHAN_ENABLE_NONMPI=1 "LD_PRELOAD=$preload" "$PYTHON3" many.py $n
    rm -f many.*[0-9]
    check "$n mapped files: a log that keeps the rules" decode "$(latest_log)" --strict
    is "$("$DSN_PREFIX/bin/darshan-parser" --extra "$(latest_log)" 2>&1 | grep -c '	MAPPED_MAPPINGS	1	.*/many\.')" $n "$n mapped files: all of them"
done
finish
