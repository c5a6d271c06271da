# t8088-accounting-processes.sh - process accounting: the kernel's files, rows, process families, two periods
# SPDX-License-Identifier: BSD-3-Clause
accounting_on=postgresql
. "$DSN_SRC/test/lib/lib.sh"
. "$DSN_SRC/test/e2e/accounting.sh"
acct() {
    "$accounting" --db "$db" "$@"
}

cat >make.py <<'PY'
import csv, json, struct
def comp(v):                                            # comp_t: 13 bits, and how often it was divided by 8
    e = 0
    while v >= 1 << 13:
        v, e = v >> 3, e + 1
    return e << 13 | v
def record(pid, ppid, uid, start, seconds, user, system, name, order="<", io=0, version=3):
    return struct.pack(order + "BBHIIIIIIf8H16s", 0, version | (0x80 if order == ">" else 0), 0, 0, uid, uid, pid, ppid, start,
                       100.0 * seconds, comp(int(100 * user)), comp(int(100 * system)), 0, comp(io), 0, 0, 0, 0, name)
# A shell that starts three applications, and one whose parent is not accounted.
with open("pacct", "wb") as f:
    f.write(record(10, 1, 1000, 1000000000, 500, 1, 0, b"bash"))
    f.write(record(11, 10, 1000, 1000000010, 100, 90, 5, b"solver"))                # single
    f.write(record(20, 10, 1000, 1000000100, 200, 195, 0, b"model"))                # the parent: 195 of 200
    f.write(record(21, 20, 1000, 1000000110, 10, 5, 0, b"gzip"))
    f.write(record(30, 10, 1001, 1000000300, 150, 1, 1, b"driver"))                 # a child: 98 of 100
    f.write(record(31, 30, 1001, 1000000310, 100, 60, 38, b"kernel"))
    f.write(record(40, 999, 1002, 1000000400, 90, 50, 0, b"half"))                  # neither
    f.write(record(41, 40, 1002, 1000000401, 90, 50, 0, b"other"))
    f.write(record(42, 42, 1002, 1000000402, 1, 7, 0, b"itself", io=8000))          # a parent that cannot be
    f.write(record(50, 10, 1003, 1000009000, 1, 2, 0, b"late"))                     # the shell had ended: another process's child
with open("big", "wb") as f:
    f.write(record(77, 1, 5, 1000000000, 2, 81920, 0, b"sixteen-letters!", ">"))
good = open("pacct", "rb").read()
open("cut", "wb").write(good[:-1])
open("version", "wb").write(good[:64] + record(1, 1, 1, 1, 1, 1, 1, b"x", version=2))
open("times", "wb").write(record(1, 1, 1, 1, float("nan"), 1, 1, b"x"))
open("none", "wb").close()
with open("rows.csv", "w") as f:
    f.write("host,start,pid,ppid,uid,program,seconds,cpu_seconds,bytes\nn1,1000000000,11,1,1000,app,100,95,5000\n")
json.dump({"ac_btime": 1000000000, "ac_pid": 12, "ac_ppid": 11, "ac_uid": 1000, "ac_comm": "part", "ac_etime": 2e6, "ac_utime": 1500000,
           "ac_stime": 500000, "read_char": 1000, "write_char": 24, "host": "n1"}, open("rows.json", "w"))
# The 1994 study: 80 applications, 48 of one process, 23 whose parent dominates, 9 whose child does.
with open("eighty.csv", "w") as f:
    f.write("start,pid,ppid,uid,program,seconds,cpu_seconds,bytes\n")
    for i in range(80):
        parent, child = (1000, 0) if i < 48 else (960, 40) if i < 71 else (40, 960)
        f.write("%d,%d,1,%d,app%d,1000,%d,1000000\n" % (10 ** 9 + i, 100 + 2 * i, 1000 + i, i, parent))
        if child:
            f.write("%d,%d,%d,%d,part%d,900,%d,\n" % (10 ** 9 + i + 1, 101 + 2 * i, 100 + 2 * i, 1000 + i, i, child))
# Table 1, spread over so many names that its sums come out.
def spread(total, n):
    return [total // n + (1 if i < total % n else 0) for i in range(n)]
with open("table1.csv", "w") as f:
    f.write("program,system,executions,cpu_seconds,megabytes\n")
    for kind, system, n, runs, cpu, mb in (("s", 1, 327, 5952082, 1503473, 3064431), ("u", 0, 2080, 253338, 18739660, 78640155)):
        for i, (a, b, c) in enumerate(zip(spread(runs, n), spread(cpu, n), spread(mb, n))):
            f.write("%s%d,%d,%d,%d,%d\n" % (kind, i, system, a, b, c))
# The knee: 80 of 2080 programs have 88 % of all bytes and 33 % of all CPU time.
with open("knee.csv", "w") as f:
    f.write("program,system,executions,cpu_seconds,megabytes\nsys,1,1,1503473,3064431\n")
    for k, n, cpu, mb in (("top", 80, 0.33 * 20243134, 0.88 * 81704587), ("u", 2000, 18739660 - 0.33 * 20243134, 78640155 - 0.88 * 81704587)):
        for i in range(n):
            f.write("%s%d,0,1,%.6f,%.6f\n" % (k, i, cpu / n, mb / n))
# Two periods: 12 programs in both, a group that grew from 5 to 13, and users' share of the bytes from 88 to 96 %.
with open("periods.csv", "w") as f:
    f.write("program,system,executions,cpu_seconds,megabytes,period\n")
    for i in range(12):
        f.write("both%d,0,10,1000,1000,1992\nboth%d,0,10,%g,%g,1994\n" % (i, i, 1800 + 800 * i / 11, 1300 + 700 * i / 11))
    for period, letters in ((1992, "abcde"), (1994, "fghijklmnopqr")):
        for letter in letters:
            f.write("cgcm.%s,0,1,500,100,%d\n" % (letter, period))
    f.write("ls,1,1000,10,%.9f,1992\nls,1,1000,10,%.9f,1994\n" % (12500 * 12 / 88, (12 * 1650 + 1300) * 4 / 96))
PY
"$PYTHON3" make.py
if command -v dump-acct >/dev/null || [ -x /usr/sbin/dump-acct ]; then
    PATH=$PATH:/usr/sbin dump-acct pacct >dumped 2>&1
    is "$(sed -n '2p' dumped | tr -s ' ' | cut -d'|' -f1-5)" 'solver |v3| 9000.00| 500.00| 10000.00' "dump-acct reads what is made here"
else
    skip 'dump-acct reads what is made here' 'package acct'
fi

for accounting_on in sqlite postgresql; do
    on="$accounting_on: "
    base kernel
    db=$base
    acct init
    check "${on}a file of the kernel's" acct import pacct pacct
    acct import pacct pacct >/dev/null
    is "$(figures families '[(r["program"], r["class"], r["processes"], shown(r["cpu_seconds"], 1), r["uid"]) for r in rows]')" \
        "[('solver', 'single', 1, 95.0, 1000), ('model', 'parent-dominant', 2, 200.0, 1000), ('kernel', 'child-dominant', 2, 100.0, 1001), ('half', 'mixed', 2, 100.0, 1002), ('itself', 'single', 1, 7.0, 1002), ('late', 'single', 1, 2.0, 1003)]" \
        "${on}families, taken once though the file was imported twice"
    is "$(figures families '[r["bytes"] for r in rows]')" '[None, None, None, None, 8000, None]' "${on}bytes are known where the kernel counted them"
    check "${on}one of a machine with the other byte order" acct import pacct big
    is "$(figures families '[(r["program"], r["pid"], r["uid"], r["cpu_seconds"]) for r in rows if r["pid"] == 77]')" \
        "[('sixteen-letters!', 77, 5, 81920)]" "${on}is read right"
    for wrong in 'cut:record 10 is cut off' 'version:record 2 is not a record of process accounting' 'times:record 1 has an invalid time' \
        'none:it is empty'; do
        acct import pacct "${wrong%%:*}" >out 2>err
        is "$? $(grep -c "${wrong#*:}.*nothing was imported from it" err) $(wc -l <err | tr -d ' ')" '1 1 1' "${on}${wrong#*:}"
    done
    check "${on}rows" acct import processes rows.csv
    check "${on}rows of taskstats" acct import taskstats rows.json
    is "$(figures families '[(r["host"], r["program"], r["class"], r["processes"], r["cpu_seconds"], r["bytes"]) for r in rows if r["host"]]')" \
        "[('n1', 'app', 'parent-dominant', 2, 97, 6024)]" "${on}are a family"
    echo '{"ac_pid": -1}' >wrong.json
    check "${on}a row that cannot be" status 1 acct import taskstats wrong.json
    acct check >/dev/null
    base eighty
    db=$base
    acct init && acct import processes eighty.csv >/dev/null
    is "$(figures process-families '[(r["class"], r["families"]) for r in sorted(rows, key=lambda r: -r["families"])]')" \
        "[('single', 48), ('parent-dominant', 23), ('child-dominant', 9)]" "${on}eighty applications of the 1994 study"
    base table1
    db=$base
    acct init && acct import programs table1.csv >/dev/null
    is "$(figures program-classes '[(r["class"], r["processes"], r["programs"], r["cpu_seconds"], r["megabytes"], shown(r["percent_of_processes"], 0),
        shown(r["percent_of_cpu"], 0), shown(r["percent_of_bytes"], 0)) for r in rows]')" \
        "[('system', 5952082, 327, 1503473, 3064431, 96.0, 7.0, 4.0), ('user', 253338, 2080, 18739660, 78640155, 4.0, 93.0, 96.0)]" \
        "${on}its table of system and user programs"
    base knee
    db=$base
    acct init && acct import programs knee.csv >/dev/null
    is "$(figures program-knee '[(r["programs"], shown(r["share_of_programs"], 4), shown(r["share_of_bytes"], 4), shown(r["share_of_cpu"], 4)) for r in rows]')" \
        '[(80, 0.0385, 0.88, 0.33)]' "${on}its knee: 80 programs have 88 % of the bytes and 33 % of the CPU time"
    base periods
    db=$base
    acct init && acct import programs periods.csv >/dev/null
    is "$(figures periods '(len(rows), rows[0]["before"], rows[0]["last"], shown(min(r["times_cpu"] for r in rows), 2), shown(max(r["times_cpu"] for r in rows), 2),
        shown(min(r["times_bytes"] for r in rows), 2), shown(max(r["times_bytes"] for r in rows), 2))')" \
        "(12, '1992', '1994', 1.8, 2.6, 1.3, 2.0)" "${on}programs of both periods"
    is "$(figures period-groups '[(r["programs"], r["members_before"], r["members"], r["megabytes_before"], r["megabytes"]) for r in rows]')" \
        "[('cgcm.*', 5, 13, 500, 1300)]" "${on}a group that grew"
    is "$(figures program-classes '[(r["period"], shown(r["percent_of_bytes"], 2)) for r in rows if r["class"] == "user"]')" \
        "[('1992', 88.0), ('1994', 96.0)]" "${on}the users' share of the bytes"
    is "$(acct query program-classes | sed -n 3p | tr -s ' ')" '1992 user 125 17 14500 s 12,500 11.1 99.9 88.0' "${on}megabytes are written as such"
    check "${on}all questions are answered" acct study
done
finish
