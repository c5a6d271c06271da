# t8086-accounting-details.sh - layouts on Lustre, heat maps and MDHIM servers in the database, and queries on them; the
# scheduler's compute nodes; formatted numbers
# SPDX-License-Identifier: BSD-3-Clause
accounting_on=postgresql
. "$DSN_SRC/test/lib/lib.sh"
. "$DSN_SRC/test/e2e/accounting.sh"
acct() {
    "$accounting" --db "$db" "$@"
}
posix=$("$PYTHON3" -c 'import sys
sys.path.insert(0, sys.argv[1]); sys.dont_write_bytecode = True
import darshan_log
print(darshan_log.lookup8(b"heatmap:POSIX"))' "$DSN_SRC/test/decode")

# Storage target 3 has a file of its own, 1024 MiB in 100 s; 4 and 5 share one, 2048 MiB in 8 s. The heat map has 1000 bytes in 10 bins
# of 0.5 s: 9 of 10 in one bin, 3 bins with any.
mkdir known
make_log known/lustre.darshan <<JSON
{"jobid": 7, "uid": 70001, "start": 1000, "end": 1005, "nprocs": 2, "exe": "/bin/burst", "names": {"1": "/scratch/one", "2": "/scratch/two",
  "$posix": "heatmap:POSIX"}, "mounts": [["/scratch", "lustre"]], "records": [
 ["POSIX", 1, 0, {"POSIX_BYTES_WRITTEN": 1073741824, "POSIX_MAX_BYTE_WRITTEN": 1073741823, "POSIX_F_WRITE_TIME": 100}],
 ["POSIX", 2, 1, {"POSIX_BYTES_READ": 2147483648, "POSIX_MAX_BYTE_READ": 2147483647, "POSIX_F_READ_TIME": 8}],
 ["LUSTRE", 1, 0, {"stripe_size": 1048576, "osts": [3]}], ["LUSTRE", 2, 1, {"stripe_size": 1048576, "osts": [4, 5]}],
 ["HEATMAP", $posix, 0, {"width": 0.5, "write": [0, 0, 600, 0, 0, 50, 0, 0, 0, 0], "read": [0, 0, 0, 0, 0, 0, 0, 0, 50, 0]}],
 ["HEATMAP", $posix, 1, {"width": 0.5, "write": [0, 0, 300, 0, 0, 0, 0, 0, 0, 0], "read": [0, 0, 0, 0, 0, 0, 0, 0, 0, 0]}]]}
JSON
printf 'jobid,user,account,nodes\n7,alice,A,3\n' >jobs.csv
printf 'time,host,device,seconds,read_kib,write_kib\n60,n1,sda,60,614400,1228800\n' >one.csv

# Logs with anything in them, as a decoder reads them that shares no code with ours.
mkdir random
for seed in $(seq 12); do
    "$PYTHON3" "$DSN_SRC/test/decode/random_log.py" random/$seed.darshan $seed
done
cat >agree.py <<'PY'
import csv, glob, hashlib, sys
sys.path.insert(0, sys.argv[2]); sys.dont_write_bytecode = True
import darshan_log
rows = lambda name: list(csv.DictReader(open("%s/%s.csv" % (sys.argv[1], name), encoding="latin-1")))
hash_of = {row["log_id"]: row["hash"] for row in rows("log")}
signed = lambda v: v - (1 << 64) if v >> 63 else v
got = {"lustre_component": {}, "lustre_stripe": {}, "mdhim_server": {}}
for table, of in got.items():
    for row in rows(table):
        of.setdefault(hash_of[row["log_id"]], []).append([v for k, v in row.items() if k not in ("record_id", "log_id", "pool")])
n = 0
for path in glob.glob("random/*.darshan"):
    digest = hashlib.sha256(open(path, "rb").read()).hexdigest()
    if digest not in hash_of.values():
        continue
    want = {table: [] for table in got}
    for number, records in darshan_log.Log(path).others:
        for record in records:
            ident, found = signed(record["id"]), record["counters"]
            for k, comp in enumerate(record["comps"] or []):
                want["lustre_component"].append([ident, k, *comp[:7]])
                want["lustre_stripe"] += [[ident, k, i, ost] for i, ost in enumerate(comp[8])]
            if number == 12:
                want["mdhim_server"] += [[ident, record["rank"], i, found["MDHIM_SERVER_%d" % i]] for i in range(found["MDHIM_SERVERS"])]
    for table in got:
        want[table] = [[str(v) for v in row] for row in want[table]]
        assert want[table] == got[table].get(digest, []), (path, table, want[table][:3], got[table].get(digest, [])[:3])
        n += len(want[table])
assert n > 50, n
PY

for accounting_on in sqlite postgresql; do
    on="$accounting_on: "
    base known
    db=$base
    acct init && acct ingest known >/dev/null
    is "$(figures slow-osts '[(r["mount"], r["ost"], r["files"], r["files_on_it_alone"], shown(r["mib_s"], 2), shown(r["percent_of_mean"], 1)) for r in rows]')" \
        "[('/scratch', 3, 1, 1, 10.24, 36.0), ('/scratch', 4, 1, 0, 256.0, 900.0), ('/scratch', 5, 1, 0, 256.0, 900.0)]" "${on}slow storage targets"
    is "$(figures slow-osts 'len(rows)' --min-mib 1025)" 0 "${on}storage targets with less data than asked for are left out"
    is "$(figures stripe-counts '[(r["size_upto"], r["stripes"], r["files"], r["bytes"], shown(r["mib_s"], 2)) for r in rows]')" \
        '[(1073741824, 1, 1, 1073741824, 10.24), (68719476736, 2, 1, 2147483648, 256.0)]' "${on}stripes by size of file"
    is "$(figures burstiness '[(r["program"], r["layer"], r["logs"], r["bytes_read"], r["bytes_written"], shown(r["percent_of_run_with_io"]),
        shown(r["percent_of_run_for_90_percent"]), shown(r["highest_mib_s"] * 1048576), shown(r["highest_over_mean"])) for r in rows]')" \
        "[('burst', 'POSIX', 1, 50, 950, 30.0, 10.0, 1800.0, 9.0)]" "${on}burstiness"
    is "$(figures bursts '[(r["bin"], r["time"], r["bytes_read"], r["bytes_written"]) for r in rows]')" \
        '[(2, 1001, 0, 900), (5, 1002.5, 0, 50), (8, 1004, 50, 0)]' "${on}bursts"
    is "$(acct query mdhim 2>&1 | grep -c 'there is no such query') $(acct check)" '1 1 logs, all in order' "${on}check"

    # -- nodes of the scheduler: 3072 MiB in 108 s on 3 nodes; the slowest rank took 100 s
    is "$(figures project-rates 'rows' --min-procs 1)" '[]' "${on}no nodes, no rates"
    is "$(figures node-counts '[(r["nodes_from"], r["logs"]) for r in rows]')" "[('unknown', 1)]" "${on}and it is said why"
    acct import slurm jobs.csv >/dev/null
    is "$(figures project-rates '[(r["project"], shown(r["median"], 2), r["nodes_from_log"], r["nodes_from_scheduler"]) for r in rows]' --min-procs 1)" \
        "[('A', 10.24, 0, 1)]" "${on}nodes of the scheduler"
    is "$(figures node-counts '[(r["nodes_from"], r["logs"], r["percent_of_logs"]) for r in rows]')" "[('scheduler', 1, 100)]" "${on}are said to be its"
    is "$(figures users '[(r["user_name"], r["uid"], r["logs"]) for r in rows]')" "[('alice', 70001, 1)]" "${on}users have their names"
    mkdir -p also
    make_log also/again.darshan <<'JSON'
{"jobid": 990, "uid": 70001, "start": 1600000000, "end": 1600000001, "exe": "/bin/a"}
JSON
    acct ingest also >out
    printf 'jobid,user\n990,bob\n' >again
    acct import slurm again >out
    is "$(figures users '[(r["user_name"], r["uid"], r["logs"]) for r in rows]')" "[('70001', 70001, 2)]" "${on}one with two names has none"

    # -- as people write it
    is "$(acct query jobs | sed -n 2p | tr -s ' ' | grep -o '1970-01-01 00:16:40 1970-01-01 00:16:45 5.00 s')" \
        '1970-01-01 00:16:40 1970-01-01 00:16:45 5.00 s' "${on}times of day, and durations"
    is "$(acct query stripe-counts | sed 1d | tr -s ' ')" " 1.00 GiB 1 1 1.00 GiB 100 s 10.2
 64.0 GiB 2 1 2.00 GiB 8.00 s 256" "${on}bytes"
    acct study >text
    is "$(grep -cE '[0-9]e[+-][0-9]' text)" 0 "${on}nothing has a power of ten"
    acct import samples one.csv >/dev/null
    is "$(acct query throughput-distribution | sed 1d | tr -s ' ')" ' 1 30 30 30 100 0 0' "${on}one sample"
    is "$(figures throughput-totals '[(r["minutes"], r["tib_read_a_day"], r["peak"]) for r in rows]')" '[(1, None, 30)]' "${on}a minute is no day"

    base random
    db=$base
    acct init && acct ingest random >/dev/null 2>&1
    acct export "out.$accounting_on"
    check "${on}logs with anything in them: layouts and servers as another decoder reads them" \
        "$PYTHON3" agree.py "out.$accounting_on" "$DSN_SRC/test/decode"

    # -- patterns of files: of two jobs that write two files of 1,000 bytes each in 2 s a file, and read them three times in 1 s; and
    # of one that writes a file of 500 in 8 s: 20 s. Another file's are 5 s.
    base patterns
    db=$base
    acct init
    rm -rf patterns && mkdir patterns
    for job in 1 2; do
        make_log patterns/$job.darshan <<JSON
{"jobid": $job, "end": 100, "nprocs": 1, "exe": "/bin/a", "names": {"1": "/s/run_$job/chk_1.h5", "2": "/s/run_$job/chk_2.h5"}, "mounts": [["/s", "xfs"]],
  "records": [
 ["POSIX", 1, 0, {"POSIX_OPENS": 4, "POSIX_BYTES_WRITTEN": 1000, "POSIX_MAX_BYTE_WRITTEN": 999, "POSIX_BYTES_READ": 3000, "POSIX_MAX_BYTE_READ": 999, "POSIX_F_WRITE_TIME": 2, "POSIX_F_READ_TIME": 1}],
 ["POSIX", 2, 0, {"POSIX_OPENS": 4, "POSIX_BYTES_WRITTEN": 1000, "POSIX_MAX_BYTE_WRITTEN": 999, "POSIX_BYTES_READ": 3000, "POSIX_MAX_BYTE_READ": 999, "POSIX_F_WRITE_TIME": 2, "POSIX_F_READ_TIME": 1}]]}
JSON
    done
    make_log patterns/3.darshan <<JSON
{"jobid": 3, "end": 100, "nprocs": 1, "exe": "/bin/b", "names": {"1": "/s/run_77/chk_9.h5", "2": "/s/in.txt"}, "mounts": [["/s", "xfs"]], "records": [
 ["POSIX", 1, 0, {"POSIX_OPENS": 1, "POSIX_BYTES_WRITTEN": 500, "POSIX_MAX_BYTE_WRITTEN": 499, "POSIX_F_WRITE_TIME": 8}],
 ["POSIX", 2, 0, {"POSIX_OPENS": 1, "POSIX_BYTES_READ": 10, "POSIX_MAX_BYTE_READ": 9, "POSIX_F_READ_TIME": 5}]]}
JSON
    acct ingest patterns >/dev/null
    is "$(figures file-patterns '[(r["pattern"], r["file_system"], r["logs"], r["programs"], r["files"], r["bytes_read"], r["bytes_written"], r["times_read"], r["largest_bytes"], r["io_seconds"], r["percent_of_io_time"]) for r in rows]')" \
        "[('/s/run_#/chk_#.h5', 'xfs', 3, 2, 5, 12000, 4500, 3, 1000, 20, 80), ('/s/in.txt', 'xfs', 1, 1, 1, 10, 0, 1, 10, 5, 20)]" \
        "${on}files of three jobs are one pattern"

    # -- what is not kept for ever
    base short
    db=$base
    acct --keep-days 1 init && acct ingest known >/dev/null
    acct export "short.$accounting_on"
    is "$(cd "short.$accounting_on" && wc -l heatmap_bin.csv heatmap_total.csv lustre_component.csv lustre_stripe.csv | awk 'NR < 5 { printf "%s ", $1 }')" \
        '1 2 1 1 ' "${on}details are kept as long as records, totals for ever"
done
finish
