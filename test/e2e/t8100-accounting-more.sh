# t8100-accounting-more.sh - days of the site's zone, sadf, maintenance, limits, groups and largest files, reports beside the page
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"
. "$DSN_SRC/test/e2e/accounting.sh"
export TZ=UTC
db=a.db
acct() {
    "$accounting" --db "$db" "$@"
}
# log FILE JOBID START END [NUMBER]: of the program run and that number, or the job's
log() {
    make_log "$1" <<JSON
{"jobid": $2, "uid": 70001, "start": $3, "end": $4, "nprocs": 4, "metadata": "nnodes=2\n", "exe": "/bin/run${5:-$2}", "names": {"1": "/d/1"},
 "records": [["POSIX", 1, 0, {"POSIX_BYTES_READ": 104857600, "POSIX_READS": 100, "POSIX_F_READ_TIME": 4, "POSIX_MAX_BYTE_READ": 999}]]}
JSON
}
acct init

# -- 2026-01-31 23:30 UTC, a Saturday; 2026-03-01 22:30 UTC, a Sunday. In Berlin the next day, month and week
mkdir logs other
log logs/a.darshan 1 1769902200 1769902300
log logs/b.darshan 2 1772404200 1772404300
log other/a.darshan 3 1769902201 1769902301
acct ingest logs other >/dev/null
is "$(figures months '[(r["month"], r["logs"]) for r in rows]')" "[('2026-01', 2), ('2026-03', 1)]" 'months of UTC'
is "$(TZ=Europe/Berlin figures months '[(r["month"], r["logs"]) for r in rows]')" "[('2026-02', 2), ('2026-03', 1)]" 'of Berlin'
is "$(figures weeks '[(r["week"], r["programs"]) for r in rows]')" "[('2026-01-26', 2), ('2026-02-23', 1)]" 'weeks of UTC, from Monday'
is "$(TZ=Asia/Tokyo figures weeks '[r["week"] for r in rows]')" "['2026-01-26', '2026-03-02']" 'of Tokyo'
is "$(figures overall 'rows[0]["logs"]' --from 2026-02-01) $(TZ=Europe/Berlin figures overall 'rows[0]["logs"]' --from 2026-02-01)" \
    '1 3' 'days of options, too'
is "$(figures overall 'rows[0]["logs"]' --from 2026-02-01T00:30:00+01:00 --to 2026-03-01T23:00Z)" 3 'times with offsets'
check '30 February' status 2 acct --from 2026-02-30 query overall
is "$(TZ=Europe/Berlin acct query jobs | grep -c '2026-03-01 23:30')" 1 'times in text, too'

# -- what sadf prints: as JSON, and as lines of two releases; disks have what no request took
cat >sa.json <<'JSON'
{"sysstat": {"hosts": [{"nodename": "oss1", "statistics": [
 {"timestamp": {"date": "2026-01-01", "time": "00:10:00", "utc": 1, "interval": 600}, "disk": [
  {"disk-device": "sda", "tps": 2.0, "rkB": 1024.0, "wkB": 512.0, "await": 8.0, "util-percent": 50.0},
  {"disk-device": "sdb", "tps": 0.0, "rd_sec": 0.0, "wr_sec": 0.0, "await": 0.0, "util-percent": 0.0},
  {"disk-device": "bcache0", "tps": 2.0, "rkB": 9999.0, "wkB": 512.0, "await": 8.0, "util-percent": 50.0}]}]}]}}
JSON
cat >sa.lines <<'END'
# hostname;interval;timestamp;DEV;tps;rkB/s;wkB/s;dkB/s;areq-sz;aqu-sz;await;%util
oss2;-1;2026-01-01 00:05:00 UTC;LINUX-RESTART	(2 CPU)
# hostname;interval;timestamp;DEV;tps;rkB/s;wkB/s;dkB/s;areq-sz;aqu-sz;await;%util
oss2;600;2026-01-01 00:10:00 UTC;sda;3.00;2048.00;0.00;0.00;49.33;0.00;2.00;20.00
END
printf '# hostname;interval;timestamp;DEV;tps;rd_sec/s;wr_sec/s;avgrq-sz;avgqu-sz;await;svctm;%%util\noss3;600;2026-01-01 00:10:00 UTC;sda;1;2048.00;0.00;1;0;4.00;1;10.00\n' >sa.old
check 'sadf' acct import sadf sa.json sa.lines sa.old
is "$(figures device-load '[(r["host"], r["device"], round(r["tib_read"] * 2 ** 20), r["mean_busy_percent"], r["mean_ms_a_request"]) for r in rows]')" \
    "[('oss2', 'sda', 1200, 20, 2), ('oss1', 'sda', 600, 50, 8), ('oss3', 'sda', 600, 10, 4), ('oss1', 'sdb', 0, 0, None)]" \
    'bytes, utilization and response time, without the device above'
printf '# hostname;interval;timestamp;DEV;tps;rd_sec/s;wr_sec/s\n' >sa.numbers
for device in dev8-0 dev253-3 dev9-0; do
    printf 'oss8;600;2026-01-01 00:10:00 UTC;%s;1;2048.00;0.00\n' $device >>sa.numbers
done
printf 'oss9;600;2026-01-01 00:10:00 UTC;dev252-0;1;2048.00;0.00\n' >>sa.numbers
acct --machine numbers import sadf sa.numbers >/dev/null
is "$(figures device-load 'sorted((r["host"], r["device"]) for r in rows)' --machine numbers)" "[('oss8', 'dev8-0'), ('oss9', 'dev252-0')]" \
    'devices by their numbers: those above others count where there are no others'
printf '# hostname;interval;timestamp;DEV;tps\noss2;600;2026-01-01 00:10:00 UTC;sda;3.00\n' >sa.bad
check 'lines without bytes' status 1 acct import sadf sa.bad

printf '# hostname;interval;timestamp;DEV;tps;rkB/s;wkB/s;await;%%util\noss4;600;2026-01-01 00:10:00 UTC;sda;1;nan;0;2;1\n' >sa.nan
printf '# hostname;interval;timestamp;DEV;tps;rkB/s;wkB/s;await;%%util\noss4;600;2026-01-01 00:10:00 UTC;sda;1;1;0;2;1\noss5;\n' >sa.cut
for bad in nan cut; do
    check "$bad: refused, and said" sh -c '! "$1" --db a.db import sadf "$2" >out 2>err && grep -q "line [23] is not of sadf" err' - "$accounting" sa.$bad
done
printf 'time,host,device,seconds,read_kib,write_kib\n2026-01-01 00:10:00Z,oss6,sda,600,inf,0\n' >inf.csv
check 'a number that is none' status 1 acct import samples inf.csv
printf 'account,project\n# odd,p\n' >odd.csv
check 'an account whose name begins like a comment' acct import accounts odd.csv
is "$("$PYTHON3" -c 'import sqlite3; print(sqlite3.connect("a.db").execute("SELECT account FROM account").fetchall())')" "[('# odd',)]" \
    'keeps its name'

# -- local times of sar, over the hour that is repeated in autumn
"$PYTHON3" - >sa.local <<'PY'
import json
stamps = ["01:50:00", "02:20:00", "02:50:00", "02:20:00", "02:50:00", "03:20:00"]
print(json.dumps({"sysstat": {"hosts": [{"nodename": "oss7", "statistics": [
    {"timestamp": {"date": "2026-10-25", "time": t, "utc": 0, "interval": 1800},
     "disk": [{"disk-device": "sda", "rkB": 1024.0, "wkB": 0.0}]} for t in stamps]}]}}))
PY
TZ=Europe/Berlin acct --machine autumn import sadf sa.local >/dev/null
is "$(figures throughput-totals '[(r["minutes"], r["peak"]) for r in rows]' --machine autumn) $(figures gaps 'rows' --machine autumn)" \
    '[(180, 1)] []' 'three hours, none of them twice'

# -- maintenance explains gaps, and is no idle time
"$PYTHON3" - >samples <<'PY'
print("time,host,device,seconds,read_kib,write_kib")
for minute in range(1, 601):
    if not 120 < minute <= 180 and not 300 < minute <= 310:
        print("%d,oss9,sda,60,%d,0" % (1769904000 + 60 * minute, 0 if 60 < minute <= 130 or 170 < minute <= 200 else 61440))
PY
acct --machine m import samples samples >/dev/null
is "$(figures gaps '[(r["minutes"], r["maintenance"]) for r in rows]' --machine m)" '[(60, None), (10, None)]' 'gaps'
printf 'since,until,reason\n2026-02-01T02:00:00,2026-02-01T03:10:00,filters\n2026-02-02,2026-02-03,\n' >maintenance
check 'a calendar of maintenance' acct --machine m import maintenance maintenance
is "$(figures gaps '[(r["minutes"], r["maintenance"]) for r in rows]' --machine m)" "[(60, 'filters'), (10, None)]" 'one of them was maintenance'
is "$(figures idle '[(r["length"], r["periods"], r["minutes"]) for r in rows]' --machine m)" "[('10-29 min', 1, 10), ('1-4 h', 1, 60)]" \
    'idle time ends with it' || acct query idle --machine m
is "$(figures maintenance '[(r["hours"] if r["reason"] is None else round(r["hours"], 3), r["reason"], r["logs"]) for r in rows]')" \
    "[(1.167, 'filters', 0), (24, None, 0)]" 'all of it'

# -- which limit leaves nothing
check 'project-rates has no answer' status 0 acct query project-rates
is "$(sed -n 's/.* of 3 logs \([0-9]*\) have 1024 processes.* most are 4), \([0-9]*\) have 500 MiB.* most are 100).*; \([0-9]*\) have all/\1 \2 \3/p' err)" \
    '0 0 0' 'says which limit' || cat err
is "$(acct --min-procs 4 --min-mib 100 query project-rates 2>&1 | wc -l)" 2 'has one'
is "$(figures project-characteristics '[r["bytes_of_largest_file"] for r in rows]' --min-procs 4 --min-mib 100)" '[1000]' 'the largest file'
mkdir streams
make_log streams/1.darshan <<'JSON'
{"nprocs": 2, "end": 10, "names": {"1": "/d/1", "2": "/d/2"}, "records": [
 ["POSIX", 1, 0, {"POSIX_BYTES_READ": 10, "POSIX_MAX_BYTE_READ": 999, "POSIX_F_READ_TIME": 1}],
 ["STDIO", 2, 1, {"STDIO_BYTES_WRITTEN": 10, "STDIO_MAX_BYTE_WRITTEN": 4999, "STDIO_F_WRITE_TIME": 1}]]}
JSON
db=streams.db
acct init
acct ingest streams >/dev/null
is "$(figures project-characteristics '[(r["bytes_of_largest_file"], r["created_per_process_at_most"]) for r in rows]' --min-procs 2 --min-mib 0)" '[(5000, 0.5)]' \
    'it may be a stream'

# -- programs that moved the same bytes, within an eighth, with four times the processes: also 3 TiB of them
mkdir scaled
n=0
for run in '4 3298534883328' '16 3298534883328' '4 1000' '16 1020' '4 100' '64 130'; do
    n=$((n + 1))
    echo '{"exe": "/bin/p", "jobid": '$n', "nprocs": '"${run% *}"', "end": 10, "names": {"1": "/d/1"}, "records": [
        ["POSIX", 1, -1, {"POSIX_BYTES_READ": '"${run#* }"'}]]}' | make_log scaled/$n.darshan
done
db=scaled.db
acct init
acct ingest scaled >/dev/null
is "$(figures strong-scaling '[(r["fewest"], r["most"], r["logs"], r["mib"]) for r in rows]')" \
    '[(4, 16, 2, 0.0009632110595703125), (4, 16, 2, 3145728)]' 'of bytes that are the same, not of others'
db=a.db

# -- in a terminal no line is longer than it, whatever the question; in a pipe a row is a line
cat >terminal.py <<'PY'
import fcntl, os, pty, struct, sys, termios
pid, fd = pty.fork()
if pid == 0:
    os.execv(sys.argv[2], sys.argv[2:])
fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", 24, int(sys.argv[1]), 0, 0))
said = b""
try:
    while part := os.read(fd, 65536):
        said += part
except OSError:
    pass
os.waitpid(pid, 0)
sys.stdout.write(said.decode().replace("\r", ""))
PY
log "logs/$(printf 'very-long-%060d' 1).darshan" 4 1772404200 1772404200 2
acct ingest logs >/dev/null
"$PYTHON3" terminal.py 80 "$accounting" --db $db study >shown
is "$(grep -v '^== \|^path ' shown | wc -L | awk '{ print $1 <= 80 }') $(grep -c '^== ' shown)" "1 $(acct study | grep -c '^== ')" \
    'no answer is wider than a terminal, but for a path on a line of its own'
"$PYTHON3" terminal.py 80 "$accounting" --db $db query jobs >shown
is "$(grep -c '^ *4 .*\.\.\..*1\.darshan$' shown) $(grep -c '^ *[1-4] ' shown)" "1 $(($(grep -c '^$' shown) * 4 + 4))" \
    'the columns are in several blocks, a path has its end' || cat shown
is "$(acct query jobs | wc -l)" 5 'but not in a pipe'

# -- snapshots: groups, projects of quotas, the largest file, and without a user
mkdir -p tree/deep
head -c 100 /dev/zero >tree/small
head -c 5000 /dev/zero >tree/deep/large
fsstats=$DSN_PREFIX/bin/darshan-fsstats
check 'a snapshot' sh -c '"$1" --json tree >snapshot.json' - "$fsstats"
acct import fsstats snapshot.json >/dev/null
is "$(figures snapshots '[(r["files"], r["bytes_of_largest"], r["largest_file"], r["owner"]) for r in rows]')" \
    "[(2, 5000, '$PWD/tree/deep/large', $(id -u))]" 'the largest file'
is "$(figures holders '[(r["kind"], r["number_id"], r["bytes"], r["bytes_of_others"]) for r in rows]')" \
    "[('user', $(id -u), 5100, 0), ('group', $(id -g), 5100, 0)]" 'users and groups'
"$PYTHON3" - "$(id -u)" <<'PY'
import sqlite3, sys
db = sqlite3.connect("a.db")
db.executemany("UPDATE log SET uid = ?, user_name = ?, machine = ? WHERE jobid = ?",
               [(sys.argv[1], "ann", "", 1), (sys.argv[1], "zoe", "other", 2)])
db.commit()
PY
is "$(figures holders '[r["user_name"] for r in rows if r["kind"] == "user"]')" "['ann']" 'the name that the user has on that machine'
sed 's/"projects": \[\]/"projects": [[7, 1, 5000]]/' snapshot.json >projects.json
acct import fsstats projects.json >/dev/null
is "$(figures holders '[(r["number_id"], r["bytes_of_others"]) for r in rows if r["kind"] == "project"]')" '[(7, 100)]' 'projects; what others hold'
acct import fsstats snapshot.json >/dev/null
is "$(figures holders '[r["kind"] for r in rows]')" "['user', 'group']" 'a snapshot that comes again replaces all of it'
sed 's/"time": *[0-9]*/"time": 1000/' snapshot.json >earlier.json
acct import fsstats earlier.json >/dev/null
is "$(figures growth-by-owner '[(r["owner"], r["user_name"], r["more_files"]) for r in rows]')" "[($(id -u), 'ann', 0)]" 'names of those who made new files'
"$fsstats" --json --without-owner "$(id -u)" tree >without.json
is "$("$PYTHON3" -c 'import json; d = json.load(open("without.json")); print(d["files"], d["bytes"], d.get("largest"), d["directory"].split("/")[-1])')" \
    "0 0 None tree (without user $(id -u))" 'without a user'

# -- findings are those of the site's thresholds
make_log small <<'JSON'
{"jobid": 9, "uid": 70001, "start": 1769902200, "end": 1769902300, "nprocs": 1, "exe": "/bin/run", "names": {"1": "/d/1"},
 "records": [["POSIX", 1, 0, {"POSIX_OPENS": 1, "POSIX_WRITES": 20000, "POSIX_SEQ_WRITES": 19999, "POSIX_CONSEC_WRITES": 19999,
   "POSIX_BYTES_WRITTEN": 20000000, "POSIX_MAX_BYTE_WRITTEN": 19999999, "POSIX_SIZE_WRITE_100_1K": 20000, "POSIX_F_WRITE_TIME": 40}]]}
JSON
printf 'warning 0.98\nhigh 0.99\n' >lenient
echo 'no such' >wrong
# finding DATABASE: of its log
finding() {
    "$accounting" --db "$1" init >/dev/null
    "$accounting" --db "$1" ingest small >/dev/null || return
    "$PYTHON3" -c 'import sqlite3, sys; print(*sqlite3.connect(sys.argv[1]).execute("SELECT finding FROM log").fetchone())' "$1"
}
is "$(finding strict.db) $(DARSHAN_THRESHOLDS=lenient finding lenient.db)" 'small-writes None' 'thresholds of the site'
check 'a file of them that is wrong' sh -c '! DARSHAN_THRESHOLDS=wrong "$1" --db strict.db ingest small 2>err && grep -q "wrong: line 1: NAME VALUE" err' - "$accounting"

# -- reports of jobs beside the page, with links
check 'a page, with reports of the jobs that it names' acct -o page.html --reports jobs report
"$PYTHON3" - >links <<'PY'
import json, os, re
page = open("page.html").read()
study = json.loads(re.search(r'<script type="application/json" id="study">(.*?)</script>', page, re.S).group(1))
for path, link in sorted(study["reports"].items()):
    print(os.path.relpath(path), open(link).read(15).split("\n")[0], "/".join(link.split("-")[:1]))
print(study["zone"])
PY
is "$(cat links)" 'logs/a.darshan <!DOCTYPE html> jobs/a
logs/b.darshan <!DOCTYPE html> jobs/b
other/a.darshan <!DOCTYPE html> jobs/a
UTC' 'a report of each, also of two logs with one name'
touch -d '1 hour ago' logs/a.darshan logs/b.darshan
touch -d '1 minute ago' jobs/*
touch other/a.darshan
touch -d '1 second ago' mark
acct -o page.html --reports jobs report
is "$(find jobs -type f -newer mark | wc -l | tr -d ' ')" 1 'those of logs that have not changed stay' || find jobs logs other -newer mark
rm -f logs/a.darshan
echo garbage >logs/a.darshan
"$accounting" --db "$db" -o page.html --reports jobs report >out 2>err
is "$("$PYTHON3" -c 'import json, re
study = json.loads(re.search(r"<script type=\"application/json\" id=\"study\">(.*?)</script>", open("page.html").read(), re.S).group(1))
print(sorted(path.split("/")[-2] + "/" + path.split("/")[-1] for path in study["reports"]))')" "['logs/b.darshan', 'other/a.darshan']" \
    'a log that has become unreadable has no report, not an old one'
finish
