# t8000-accounting.sh - darshan-accounting: ingest, queries, and figures computed by hand
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"
. "$DSN_SRC/test/e2e/accounting.sh"
base a
a=$base
db=$a
acct() {
    "$accounting" --db "$db" "$@"
}

# -- making a database
check 'no database: said, exit status 1' status 1 acct query jobs
is "$(wc -l <err)" 1 'in one line'
grep -Eq 'create (it|them) with `darshan-accounting --db (FILE|DATABASE) init`' err && ok 'which says what to do' || not_ok 'which says what to do' "$(cat err)"
check 'nothing is taken into it' status 1 acct ingest .
check 'init' acct init
check 'init again' acct init
if [ "$accounting_on" = sqlite ]; then
    echo 'no database' >text.db
    check 'a file that is none' status 1 "$accounting" --db text.db init
    is "$(cat text.db)" 'no database' 'it stays as it was'
fi

# -- taking logs
five_logs logs/2026
echo 'no log at all, but as long as one has to be to have a header that could be looked at' >logs/bad.darshan
echo 'not looked at' >logs/README
cp logs/2026/1.darshan logs/copy.darshan
check 'ingest' status 0 acct ingest logs
is "$(sed 's/ in [0-9.]* s ([0-9]* a second)//' out)" \
    '5 logs taken, 0 known already, 1 the same as others, 1 in quarantine, 0 not readable' 'what it says'
acct ingest logs >out
is "$(sed 's/ in [0-9.]* s ([0-9]* a second)//' out)" \
    '0 logs taken, 7 known already, 0 the same as others, 0 in quarantine, 0 not readable' 'a second time'
acct ingest "$PWD/logs/2026/../2026" logs/2026/3.darshan >out
is "$(sed 's/ in [0-9.]* s ([0-9]* a second)//' out)" \
    '0 logs taken, 6 known already, 0 the same as others, 0 in quarantine, 0 not readable' 'by other paths'
is "$(figures quarantine '[(r["path"].rsplit("/", 1)[1], "is shorter" in r["reason"] or "is not" in r["reason"]) for r in rows]')" \
    "[('bad.darshan', True)]" 'quarantine'
cp logs/2026/2.darshan logs/bad.darshan
acct ingest logs >out
is "$(sed 's/ in [0-9.]* s ([0-9]* a second)//' out) $(figures quarantine 'len(rows)')" \
    '0 logs taken, 6 known already, 1 the same as others, 0 in quarantine, 0 not readable 0' 'a log that was mended leaves it'
check 'check' acct check
endless_logs endless
five=$db
base endless
db=$base
acct init
acct ingest endless >/dev/null
is "$(acct check 2>&1)" '3 logs, all in order' 'sums beyond 64 bits are no disagreement'
change endless 'UPDATE log SET bytes_written = 13 WHERE jobid = 3'
is "$(acct check 2>&1 | sed 's/.*: //;s|/.*/||;s/;.*//')" "1 logs whose bytes differ from those of their uses, such as 3.darshan
1 logs whose bytes differ from those of their modules, such as 3.darshan" 'one byte less is'
is "$(acct check 2>&1 | grep -c 'forget')" 2 'what to do about it is said'
db=$five
check 'a name that is not there: exit status 1' status 1 acct ingest nowhere
check 'an unknown query: exit status 2' status 2 acct query nothing
check 'an unknown command: exit status 2' status 2 acct nothing
check 'import of an unknown kind: exit status 2' status 2 acct import nothing x
check 'query alone needs no database' "$accounting" --db "$nowhere" query

# -- specification analysis.md B14
five_jobs >jobs.csv
check 'jobs of the scheduler' acct import slurm jobs.csv
is "$(figures jobs '[shown(r["rate_open_to_last"], 2) for r in rows]')" '[20.0, 10.0, 50.0, 0.25, None]' \
    'MiB/s/CN, first open to last access'
is "$(figures jobs '[shown(r["rate_slowest"]) for r in rows]')" '[20.0, 16.667, 50.0, 0.25, None]' 'MiB/s/CN, slowest rank'
is "$(figures jobs '[(shown(r["io_percent"], 2), shown(r["meta_percent"], 2)) for r in rows]')" \
    '[(5.75, 21.74), (6.0, 16.67), (5.0, 10.0), (0.25, 10.0), (0.0, None)]' 'percent of I/O and of metadata'
is "$(figures uses '[(r["jobid"], r["files"], r["sharing"], r["interface"]) for r in rows]')" \
    "[(100, 4, 'unique', 'POSIX'), (101, 1, 'shared', 'MPIIO'), (102, 1, 'partial', 'POSIX'), (102, 1, 'unique', 'STDIO')]" \
    'files, sharing, interface'
is "$(figures jobs '[r["files"] for r in rows]')" '[4, 1, 1, 1, 0]' 'files'
is "$(figures coverage '[(r["percent_of_jobs"], r["percent_of_core_hours"]) for r in rows]')" '[(80, 65)]' 'coverage'
is "$(figures project-coverage '[(r["project"], r["percent_of_core_hours"]) for r in rows]')" \
    "[('A', 100), ('B', 100), ('C', 0)]" 'coverage by project'
is "$(figures projects '[(r["project"], r["interfaces"]) for r in rows]')" "[('B', 'PS'), ('A', 'PM')]" 'interfaces by project'
is "$(figures files-and-processes '[r["pattern"] for r in rows]')" "['N:N', 'N:1', 'N:1', 'N:1', 'none']" 'patterns'
is "$(figures cases '[(r["pattern"], r["program"], r["measure"]) for r in rows]')" \
    "[('one rank does the I/O', 'four', 100), ('some ranks write for all', 'three', 2)]" 'cases'
is "$(figures project-rates '[[shown(r[k]) for k in ("lowest", "quartile1", "median", "quartile3", "highest")] for r in rows]' \
    --min-procs 1 --min-mib 1)" \
    '[[16.667, 17.5, 18.333, 19.167, 20.0], [0.25, 12.688, 25.125, 37.562, 50.0]]' 'quartiles of MiB/s/CN'
is "$(figures project-rates 'len(rows)')" 0 'none of them has enough processes'
is "$(figures jobs '[r["jobid"] for r in rows]' --from 1970-01-01 --to 3000)" '[100, 101]' 'a period of time'

# -- time of I/O is what ranks waited for at the highest layer that they called: 4 ranks spend 88 to 92 of 100 s in collective
# writes, 360 s together, in which rank 0 alone writes 40 s; DFS is counted like POSIX
mkdir layers
make_log layers/1.darshan <<'JSON'
{"jobid": 1, "start": 1000, "end": 1100, "nprocs": 4, "exe": "/bin/c", "names": {"5": "/d/5"}, "records": [
 ["POSIX", 5, -1, {"POSIX_BYTES_WRITTEN": 419430400, "POSIX_WRITES": 100, "POSIX_F_WRITE_TIME": 40,
  "POSIX_SLOWEST_RANK": 0, "POSIX_SLOWEST_RANK_BYTES": 419430400, "POSIX_F_SLOWEST_RANK_TIME": 40, "POSIX_FASTEST_RANK": 1,
  "POSIX_F_VARIANCE_RANK_BYTES": 32985348833280000}],
 ["MPI-IO", 5, -1, {"MPIIO_BYTES_WRITTEN": 419430400, "MPIIO_COLL_WRITES": 40, "MPIIO_F_WRITE_TIME": 360,
  "MPIIO_SLOWEST_RANK": 1, "MPIIO_F_SLOWEST_RANK_TIME": 92, "MPIIO_F_FASTEST_RANK_TIME": 88}]]}
JSON
cp "$DSN_SRC/test/golden/ior-DFS.darshan" layers/2.darshan
total() {
    "$DSN_PREFIX/bin/darshan-parser" --total layers/2.darshan | sed -n "s/^total_$1: //p"
}
five=$db
base layers
db=$base
acct init
check 'logs of several layers' acct ingest layers
is "$(figures jobs '[[r[k] for k in ("io_percent", "io_percent_slowest", "wait_percent", "read_time", "write_time")] for r in rows[:1]]')" \
    '[[90, 92, 80, 0, 40]]' 'percent of I/O: at the highest layer; waiting in collective calls'
is "$(figures jobs '[[r[k] for k in ("io_time", "io_wait_time", "io_meta_time", "io_slowest_at_least", "io_slowest")] for r in rows[:1]]')" \
    '[[360, 320, 0, 92, 92]]' 'its seconds'
is "$(figures jobs '[(r["busiest_rank_bytes"], r["ranks_with_bytes"]) for r in rows[:1]]')" '[(419430400, 1)]' \
    'who moved it: what the log knows of the slowest rank, and by the variance; nothing is shared out'
is "$(figures uses '[(r["interface"], r["bytes_read"], r["bytes_written"]) for r in rows if r["interface"] != "POSIX"]')" \
    "[('MPIIO', 0, 419430400), ('DFS', $(total DFS_BYTES_READ), $(total DFS_BYTES_WRITTEN))]" 'files through DFS have their bytes'
db=$five

# minutes, at whose ends samples are taken, of MiB/s: 1000, 40 x3, 0 x2, 60, 49 x8, 50, 10 x61, 500, 400, 300, 200, 100, 0, on two devices
"$PYTHON3" - >samples.csv <<'PY'
rates = [1000] + [40] * 3 + [0] * 2 + [60] + [49] * 8 + [50] + [10] * 61 + [500, 400, 300, 200, 100, 0]
print("time,host,device,seconds,read_kib,write_kib")
for i, rate in enumerate(rates):
    for device, share in ("sda", 0.75), ("sdb", 0.25):
        print("%d,n1,%s,60,%r,%r" % (60 * (i + 1), device, rate * share * 1024 * 60 * 0.5, rate * share * 1024 * 60 * 0.5))
PY
check 'device samples' acct import samples samples.csv
is "$(figures idle '[(r["length"], r["periods"], r["minutes"], r["longest"]) for r in rows]')" \
    "[('1-9 min', 3, 14, 8), ('1-4 h', 1, 61, 61)]" 'idle periods: 5, 8, 61 and 1 min'
is "$(figures idle 'shown(rows[-1]["percent_of_time"], 2)')" 73.49 'share of time in periods of an hour and more'
is "$(figures throughput-distribution '[(r["minutes"], shown(r["mean"], 4), r["peak"], r["minutes_without_traffic"],
    shown(r["percent_below_third_of_peak"])) for r in rows]')" '[(83, 44.9639, 1000, 3, 96.386)]' 'distribution of minutes'
check 'the same samples again' acct import samples samples.csv
is "$(figures throughput-distribution 'rows[0]["minutes"]')" 83 'count once'

is "$(figures throughput-totals '[(r["minutes"], shown(r["tib_read"], 5), r["read_percent"], r["peak"], r["peak_read"])
    for r in rows]')" '[(83, 0.10677, 50, 1000, 500)]' 'totals: 3732 MiB/s minutes, half of them read'
is "$(figures throughput-shares '(by("percent_of_minutes")[78]["mib_s"], by("percent_of_minutes")[100]["mib_s"], len(rows))')" \
    '(10, 1000, 83)' '64 of 83 minutes move 10 MiB/s or less'
is "$(figures gaps 'rows')" '[]' 'no minute is missing'
printf 'time,host,device,seconds,read_kib,write_kib\n6060,n1,sda,60,0,0\n' >late.csv
check 'a sample that comes 17 minutes late' acct import samples late.csv
is "$(figures gaps '[(r["since"], r["until"], r["minutes"]) for r in rows]')" '[(4980, 6000, 17)]' 'is behind a gap'
is "$(figures outliers '[(r["jobid"], r["rate_slowest"]) for r in rows]' --site-maximum 18)" '[(102, 50), (100, 20)]' \
    'rates above 18 MiB/s/CN'
is "$(figures patterns '[(r["pattern"], r["program"], r["logs"], r["mean_measure"]) for r in rows]')" \
    "[('one rank does the I/O', 'four', 1, 100), ('some ranks write for all', 'three', 1, 2)]" 'patterns'
is "$(figures files-by-processes '[(r["project"], r["nprocs"], r["files"], r["logs"]) for r in rows]')" \
    "[('B', 8, 1, 2), ('A', 4, 1, 1), ('A', 4, 4, 1), ('B', 8, 0, 1)]" 'logs by files and processes'

# -- growth of a file system: 100 files to 150, of which owner 2 made 44 (88 %), and 3000 bytes, of which he made 450 (15 %)
cat >before.json <<'JSON'
{"format": "darshan-fsstats 1", "directory": "/s", "time": 0, "files": 100, "directories": 1, "bytes": 1000,
 "histograms": {}, "owners": [[1, 100, 1000]]}
JSON
cat >after.json <<'JSON'
{"format": "darshan-fsstats 1", "directory": "/s", "time": 86400, "files": 150, "directories": 1, "bytes": 4000,
 "histograms": {}, "owners": [[1, 106, 3550], [2, 44, 450]]}
JSON
check 'two snapshots' acct import fsstats before.json after.json
is "$(figures growth '[(r["more_files"], r["more_bytes_percent"]) for r in rows]')" '[(50, 300)]' 'growth'
is "$(figures growth-by-owner '[(r["owner"], r["more_files"], r["percent_of_new_files"], r["percent_of_new_bytes"]) for r in rows]')" \
    '[(2, 44, 88, 15), (1, 6, 12, 85)]' 'who made it'

# -- one command line, slow and fast; a file that was read before it was written, and one after
mkdir tuned
for run in 1:10:1:2 2:2:2:1; do
    IFS=: read -r job seconds read write <<END_OF_RUN
$run
END_OF_RUN
    make_log tuned/$job.darshan <<JSON
{"jobid": $job, "end": 100, "nprocs": 2, "metadata": "nnodes=1\n", "exe": "/bin/t -x", "names": {"1": "/d/1"}, "records": [
 ["POSIX", 1, 0, {"POSIX_BYTES_WRITTEN": 52428800, "POSIX_BYTES_READ": 52428800, "POSIX_WRITES": $((16 * seconds)),
  "POSIX_F_WRITE_TIME": $seconds, "POSIX_F_READ_START_TIMESTAMP": $read, "POSIX_F_WRITE_START_TIMESTAMP": $write}]]}
JSON
done
first=$db
base tuned
db=$base
acct init
check 'two runs' acct ingest tuned
is "$(figures contrasts '[(r["logs"], r["times_faster"], r["slow_rate"], r["fast_rate"], r["slow_calls"], r["fast_calls"], r["slow_most_by"])
    for r in rows]' --min-procs 1 --min-mib 1)" "[(2, 5, 10, 50, 160, 32, 'POSIX unique')]" 'one is five times as fast'
is "$(figures written-files '[(r["files_written"], r["held_data"]) for r in rows]')" '[(2, 1)]' 'one file held data before'
db=$first

# -- specification analysis.md C1
cat >programs.csv <<'END_OF_CSV'
program,system,discipline,cpu_seconds,megabytes,executions
a,0,X,500,60000,5
b,0,X,1000,50000,4
c,0,Y,2000,40000,2
d,0,Y,1500,15000,3
e,0,Y,3000,9000,6
f,0,,4000,4000,8
g,0,X,5000,1000,10
h,0,X,90,4500,1
i,0,X,8000,400,4
j,0,X,6000,100,9
k,0,X,9000,50,3
l,0,X,10000,10,2
END_OF_CSV
check 'programs' acct import programs programs.csv
is "$(figures program-ranking '"".join(r["program"] for r in rows)')" abcdefgijkl 'programs by virtual I/O rate'
is "$(figures program-knee '[(r["programs"], shown(r["share_of_bytes"], 4), shown(r["share_of_cpu"], 4), shown(r["lead"], 4))
    for r in rows]')" '[(3, 0.815, 0.0699, 0.5422)]' 'the knee'
is "$(figures program-ranking 'shown(rows[3]["share_of_bytes"], 4)')" 0.8964 'share of bytes behind the fourth'
is "$(figures program-knee 'rows[0]["last_above_its_share"]')" 3 'the last one with more than its share of all bytes'
is "$(figures program-spread '[(r["program"], r["value"]) for r in rows]')" \
    "[('l', 5000), ('d', 500), ('a', 100), ('a', 120), ('f', 1), ('l', 0.001)]" 'highest, median, lowest'
is "$(figures disciplines '[(r["discipline"], r["executions"], r["megabytes"]) for r in rows]')" \
    "[('X', 37, 111560), ('Y', 11, 64000), ('unattributed', 8, 4000)]" 'disciplines'

# -- specification analysis.md C2: the ten disciplines whose programs ran 100 s or more on average, each as one program,
# and one of the system with the rest of 20,243,134 s and 81,704,587 MB
base paper
paper=$base
"$accounting" --db "$paper" init
"$PYTHON3" - >paper.csv <<'PY'
rows = [("Atmospheric", 861, 1014089.53, 19777397.53), ("Industrial Partner", 1915, 837514.81, 17490761.10),
        ("Materials", 742, 486117.24, 12127171.20), ("Chemistry", 1042, 741873.16, 8528873.69),
        ("Block Grant", 969, 788584.85, 4994781.11), ("Chem. Eng.", 293, 183918.44, 789434.62),
        ("Mechanics", 1650, 345474.51, 202013.47), ("Education", 2, 8034.37, 85171.46),
        ("Biochemistry", 308, 108048.14, 33624.68), ("Astronomy", 641, 464258.44, 8226.63)]
print("program,system,discipline,executions,cpu_seconds,megabytes")
for name, executions, cpu, mb in rows:
    print("%s,0,%s,%d,%r,%r" % (name, name, executions, cpu, mb))
print("rest,1,,1,%r,%r" % (20243134 - sum(r[2] for r in rows), 81704587 - sum(r[3] for r in rows)))
PY
check 'programs of the 1994 study' "$accounting" --db "$paper" import programs paper.csv
db=$paper
is "$(figures disciplines '[shown(r["bytes_percent_of_all"], 2) for r in rows]')" \
    '[24.21, 21.41, 14.84, 10.44, 6.11, 0.97, 0.25, 0.1, 0.04, 0.01]' 'its percentages of bytes'
is "$(figures disciplines '[shown(r["cpu_percent_of_all"], 2) for r in rows]')" \
    '[5.01, 4.14, 2.4, 3.66, 3.9, 0.91, 1.71, 0.04, 0.53, 2.29]' 'and of CPU time'
db=$a

# -- forms
is "$(acct query coverage --csv)" 'jobs,logged_jobs,percent_of_jobs,core_hours,logged_core_hours,percent_of_core_hours
5,4,80,100,65,65' 'CSV'
is "$(acct query coverage | sed 1d | tr -s ' ')" ' 5 4 80 100 65 65' 'text'
acct study --json >study.json
is "$("$PYTHON3" -c 'import json; d = json.load(open("study.json")); print(len(d) >= 20, d["coverage"][0]["jobs"])')" 'True 5' \
    'the whole study as JSON'
check 'the whole study as text' acct study
check 'export' acct export exported
is "$(wc -l <exported/log.csv) $(wc -l <exported/posix_record.csv) $(wc -l <exported/device_sample.csv)" '6 8 168' 'a file a table'

# -- how long details are kept
acct export before
check 'details for 100 days: the logs are older' acct init --keep-days 100
check 'ingest' acct ingest logs
acct export after
is "$(cut -d, -f1-30 before/log.csv | cksum) $(cksum <before/posix_total.csv)" \
    "$(cut -d, -f1-30 after/log.csv | cksum) $(cksum <after/posix_total.csv)" 'totals stay'
is "$(cat after/*_record.csv | grep -c '^[0-9]')" 0 'records of files are gone'
check 'check' acct check
base kept
kept=$base
"$accounting" --db "$kept" init --keep-days 100
"$accounting" --db "$kept" ingest logs >/dev/null
"$accounting" --db "$kept" export kept
is "$(cat kept/*_record.csv | grep -c '^[0-9]') $(wc -l <kept/log.csv)" '0 6' 'those of old logs are not even taken'

# -- watching a directory
mkdir watched
"$accounting" --db "$kept" watch --every 1 watched >watch.out 2>&1 &
watcher=$!
cp logs/2026/1.darshan watched/again.darshan
for i in $(seq 120); do
    [ -s watch.out ] && break
    sleep 1
done
kill $watcher
wait $watcher
is "$? $(cut -d, -f3 watch.out)" '0  1 the same as others' 'a log that comes is taken; the command ends with 0'

# -- what is wrong with imports
printf 'jobid,account\n1,"A\n' >broken.csv
check 'a quote that is not closed' status 1 acct import slurm broken.csv
printf 'account,project\nA,P\n,Q\n' >broken.csv
check 'a field that is missing' status 1 acct import accounts broken.csv
is "$(cut -d: -f3- <err)" ' line 3: account "" is invalid or missing; nothing was imported from it' 'is said with its line'
is "$(figures projects 'rows[0]["project"]')" B 'nothing was imported from it'
printf 'JobIDRaw|Account|NNodes|NCPUS|State|Start|End|CPUTimeRAW\n200|Z|2|64|COMPLETED|2026-01-01T00:00:00|2026-01-01T01:00:00|230400
200.batch|Z|1|32|COMPLETED|2026-01-01T00:00:00|2026-01-01T01:00:00|115200\n' >sacct
check 'what sacct -P prints' status 0 acct import slurm sacct
is "$(cat out)" 'sacct: 1 taken' 'job steps are passed over'
is "$(figures project-coverage '[r["core_hours"] for r in rows if r["project"] == "Z"]')" '[64]' 'hours of its processors'

# -- what a spreadsheet would take for a formula
# project NAME WANT TEXT [OPTION]: a project of this name, and how it stands in a line of CSV
project() {
    printf 'account,project\nA,"%s"\n' "$1" >accounts.csv
    acct import accounts accounts.csv >out 2>err
    acct query projects --csv ${4:-} >line
    is "$(grep -cF "$2" line)" 1 "$3"
}
project '=cmd|/C calc!A0' "\"'=cmd|/C calc!A0\"" 'a formula has an apostrophe in front'
project '@SUM(1)""x' "\"'@SUM(1)\"\"x\"" 'quotes in it are doubled'
project '-1+1' "\"'-1+1\"" 'one that begins with a minus sign'
project '=1+1' '"=1+1"' 'with --raw it stays as it is' --raw
project 'a=1' '"a=1"' 'other text stays as it is'
is "$(grep -cE ",'|^'" line)" 0 'numbers are numbers'
project '+1' "\"'+1\"" 'one that begins with a plus sign'
acct export formulas >out 2>err
is "$(grep -cF '"+1"' formulas/account.csv)" 1 'export writes it as it is, to be loaded again'

# -- logs of other releases and file systems: what is summed agrees. The log of DFS moved 16 MiB each way through one object
base golden
db=$base
"$accounting" --db "$db" init
check 'logs of others' status 0 "$accounting" --db "$db" ingest "$DSN_SRC/test/golden"
check 'logs of others: check' "$accounting" --db "$db" check
is "$(figures uses '[(r["sharing"], r["files"], r["files_written"], r["bytes_read"], r["bytes_written"]) for r in rows
    if r["interface"] == "DFS"]')" "[('shared', 1, 1, 16777216, 16777216)]" 'data of DFS is at its interface'
finish
