# t8050-accounting-anonymized.sh - darshan-accounting --anonymize: the database contains no name, and equal names have
# equal pseudonyms
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"
. "$DSN_SRC/test/e2e/accounting.sh"
db=a.db
acct() {
    "$accounting" --db "$db" "$@"
}

# What must be found nowhere: parts of names, and ids that anybody can compute of a name.
mkdir logs-of-zebra
for n in 1 2; do
    make_log logs-of-zebra/$n-heron.darshan <<JSON
{"exe": "/home/walrus/bin/lemming --out=/scratch/ferret/$n", "uid": 424242, "jobid": $n, "nprocs": 1,
 "metadata": "h=badger$n\nnnodes=1\nrun=5ce77e5ce77e5ce7\nranks=1 of 2\nnode=bittern$n\n", "mounts": [["/scratch/ferret", "lustre"], ["/home", "nfs"]],
 "names": {"81985529216486895": "/scratch/ferret/marmot.h5", "1311768467463790320": "/home/walrus/otter.$n"}, "records": [
 ["POSIX", 81985529216486895, 0, {"POSIX_OPENS": 1, "POSIX_BYTES_READ": 10}],
 ["POSIX", 1311768467463790320, 0, {"POSIX_OPENS": 1, "POSIX_BYTES_WRITTEN": 1}],
 ["H5F", 81985529216486895, 0, {"H5F_OPENS": 1}],
 ["H5D", 7, 0, {"H5D_OPENS": 1, "file": 81985529216486895}]]}
JSON
done
head -c 700 logs-of-zebra/1-heron.darshan >logs-of-zebra/weasel.darshan
printf 'jobid,user,account,core_hours\n1,stoat,puffin,10\n2,stoat,plover,20\n' >jobs.csv
printf 'account,project,discipline\npuffin,gannet,Physics\nplover,gannet,Physics\n' >accounts.csv
printf 'time,host,device,seconds,read_kib,write_kib\n60,curlew,dm-dunlin,60,1,2\n120,curlew,dm-dunlin,60,1,2\n' >samples.csv
printf 'program,system,discipline,executions,cpu_seconds,megabytes\nlemming,0,Physics,2,400,10\n' >programs.csv
cat >snapshot.json <<'JSON'
{"format": "darshan-fsstats 1", "directory": "/scratch/ferret", "time": 60, "files": 1, "directories": 1, "bytes": 5,
 "histograms": {"size": [[3, 1, 5]]}, "owners": [[424242, 1, 5]]}
JSON
cat >iostat.json <<'JSON'
{"sysstat": {"hosts": [{"nodename": "curlew", "statistics": [
 {"timestamp": "2026-11-21T10:00:00+0000", "disk": []}, {"timestamp": "2026-11-21T10:01:00+0000", "disk": [
 {"disk_device": "dm-dunlin", "rkB/s": 1, "wkB/s": 1, "util": 1}]}]}]}}
JSON
echo 'a key that is as long as this line' >key
echo 'a key that is as long as that line' >other
echo short >short

all() {
    "$@" ingest logs-of-zebra && "$@" import slurm jobs.csv && "$@" import accounts accounts.csv &&
        "$@" import samples samples.csv && "$@" import programs programs.csv && "$@" import fsstats snapshot.json &&
        "$@" import iostat iostat.json
}
"$accounting" --db clear.db init
check 'a database with names' all "$accounting" --db clear.db
acct init
check 'one with pseudonyms' all acct --anonymize key

# words FILE...: how many of the names stand in these; a number also as SQLite stores it
cat >words.py <<'PY'
import sys
words = [w.encode() for w in "zebra heron walrus lemming ferret badger marmot otter weasel stoat puffin plover gannet "
         "curlew dunlin bittern 5ce77e5ce77e5ce7 424242 81985529216486895 1311768467463790320".split()]
words += [n.to_bytes(3 if n < 1 << 23 else 8, "big") for n in (424242, 81985529216486895, 1311768467463790320)]
words += [w.strip() for w in open("key", "rb")]
data = b"".join(open(f, "rb").read() for f in sys.argv[1:])
print(sum(w in data for w in words))
PY
acct check >/dev/null
is "$("$PYTHON3" words.py clear.db*)" 19 '16 names and 3 numbers are in the one'
is "$("$PYTHON3" words.py a.db*)" 0 'are nowhere in the other'
acct export tables
is "$(cat tables/*.csv >all.csv; "$PYTHON3" words.py all.csv)" 0 'nor in what it exports'

# -- what was equal is
is "$(figures files '[r["logs"] for r in rows]')" '[2, 1, 1]' 'a file of two logs'
is "$(figures files 'sorted(r["file_system"] for r in rows)')" "['lustre', 'nfs', 'nfs']" 'types of file systems stay'
is "$(figures overall '[(r["logs"], r["users"], r["programs"]) for r in rows]')" '[(2, 1, 1)]' 'a user and a program of two'
is "$(figures projects '[(len(r["project"]), r["logs"]) for r in rows]')" '[(20, 2)]' 'a project of two accounts'
is "$(figures project-coverage '[(r["jobs"], r["percent_of_core_hours"]) for r in rows]')" '[(2, 100)]' 'its jobs'
is "$(figures quarantine 'len(rows)')" 1 'a log in quarantine'
is "$("$PYTHON3" -c 'import sqlite3
c = sqlite3.connect("a.db")
print(c.execute("SELECT count(*) FROM h5d_record AS d JOIN h5f_record AS f ON f.file_id = d.H5D_FILE_REC_ID AND f.log_id = d.log_id").fetchone()[0],
      c.execute("SELECT count(*) FROM log JOIN snapshot_owner ON owner = uid").fetchone()[0],
      c.execute("SELECT count(*) FROM log JOIN program_run USING (program)").fetchone()[0],
      c.execute("SELECT count(*) FROM posix_record JOIN snapshot ON mount = directory").fetchone()[0],
      c.execute("SELECT count(DISTINCT host || device) FROM device_sample").fetchone()[0])')" '2 2 2 2 1' \
    'records of a file, owners and users, programs, mount points, devices are joined as before'
acct --anonymize key ingest logs-of-zebra >out
is "$(sed 's/ in [0-9.]* s ([0-9]* a second)//' out)" \
    '0 logs taken, 3 known already, 0 the same as others, 0 in quarantine, 0 not readable' 'taken again: all are known'
# HMAC-SHA-256 by Python's library
is "$("$accounting" --anonymize key pseudonym stoat 424242)" "$("$PYTHON3" -c 'import hashlib, hmac
def h(name): return hmac.new(open("key", "rb").read().rstrip(b"\n"), name, hashlib.sha256)
print("stoat", h(b"stoat").hexdigest()[:20])
print("424242", h(b"424242").hexdigest()[:20], int.from_bytes(h(b"424242").digest()[:8], "big") >> 1)')" 'pseudonyms by name'
is "$(acct query jobs --json | "$PYTHON3" -c 'import json, sys; print(json.load(sys.stdin)[0]["uid"])')" \
    "$("$accounting" --anonymize key pseudonym 424242 | cut -d' ' -f3)" 'a user is found again'

# -- one key, or none
check 'without the key: exit status 1' status 1 acct ingest logs-of-zebra
is "$(wc -l <err) $(grep -c 'with the key it was created with' err)" '1 1' 'which says what to do'
check 'with another: exit status 1' status 1 acct --anonymize other ingest logs-of-zebra
is "$(wc -l <err) $(grep -c 'another key' err)" '1 1' 'which says so'
check 'imports, too' status 1 acct import slurm jobs.csv
check 'a database with names takes no key: exit status 1' status 1 "$accounting" --db clear.db --anonymize key ingest logs-of-zebra
check 'a short key: exit status 1' status 1 "$accounting" --db b.db --anonymize short init
is "$(wc -l <err) $(ls b.db 2>/dev/null)" '1 ' 'nothing was made'
check 'no key file: exit status 1' status 1 acct --anonymize nowhere ingest logs-of-zebra
check 'pseudonym without a key: exit status 2' status 2 "$accounting" pseudonym x
check 'made with a key' "$accounting" --db c.db --anonymize key init
check 'wants it from then on' status 1 "$accounting" --db c.db ingest logs-of-zebra
check 'questions need none' acct study
finish
