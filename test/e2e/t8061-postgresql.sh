# t8061-postgresql.sh - darshan-accounting on PostgreSQL: the same rows as SQLite, killed and resumed, hostile texts, messages
# SPDX-License-Identifier: BSD-3-Clause
accounting_on=postgresql
. "$DSN_SRC/test/lib/lib.sh"
. "$DSN_SRC/test/e2e/accounting.sh"
acct() {
    "$accounting" --db "$db" "$@"
}

# same WHAT DIRECTORY DIRECTORY: whether two exports have the same rows. What SQLite calls POSIX_OPENS is posix_opens here,
# and the number of the schema is each one's own.
same() {
    for table in "$2"/*.csv; do
        { head -n 1 "$table" | tr A-Z a-z; sed -e 1d -e '/^"schema",/d' "$table"; } >rows.a
        { head -n 1 "$3/${table##*/}" | tr A-Z a-z; sed -e 1d -e '/^"schema",/d' "$3/${table##*/}"; } >rows.b
        cmp -s rows.a rows.b || { not_ok "$1" "${table##*/} differs"; return; }
    done
    is "$(ls "$2")" "$(ls "$3")" "$1"
}

# -- texts of logs, and names of files: whatever bytes they are, they come out as they went in
mkdir hostile
make_log hostile/a.darshan <<'JSON'
{"exe": "/bin/a\"b,c\nd\u001b[31m'; DROP TABLE log; -- \\N \\. \\x41", "jobid": 1,
 "names": {"1": "/x/\"quoted\", 'too' and\tmore\r\n\u001b]0;title\u0007 $1 ?1 :from"},
 "records": [["POSIX", 1, 0, {"POSIX_BYTES_READ": 1, "POSIX_F_READ_TIME": 0.1, "POSIX_BYTES_WRITTEN": 4611686018427387904}]]}
JSON
"$PYTHON3" - <<'PY'
import os, struct, zlib
data = open("hostile/a.darshan", "rb").read()
at, size = struct.unpack_from("<QQ", data, 32)      # where the name table is: another is appended
for i, name in enumerate((b"/bad/\xff\xfe\xc3(", b"/\xed\xa0\x80\xc0\xaf", b"/\xee\xbe\x80 \xee\xbf\xbf \xee\xbd\xbf", b"\xf4\x90\x80\x80",
                          "/gr\u00fc\u00df \U0001f600".encode(), b"/all/" + bytes(range(1, 256)))):
    names = zlib.compress(struct.pack("<Q", 1) + name + b"\0")
    log = bytearray(data)
    struct.pack_into("<QQ", log, 32, len(log), len(names))
    open(b"hostile/" + (b"%d" % i if i % 2 else b"\xff%d\xee\xbe\x80'" % i) + b".darshan", "wb").write(bytes(log) + names)
PY
"$accounting" --db hostile.db init
"$accounting" --db hostile.db --jobs 1 ingest hostile >/dev/null
"$accounting" --db hostile.db export hostile.sqlite
base hostile
db=$base
acct init
check 'logs with hostile texts' acct --jobs 1 ingest hostile
acct export hostile.pg
same 'all texts are those that SQLite has' hostile.sqlite hostile.pg
is "$(grep -ac . hostile.pg/posix_record.csv) $(LC_ALL=C grep -acP '\xff\xfe\xc3\(' hostile.pg/posix_record.csv)" \
    "$(grep -ac . hostile.sqlite/posix_record.csv) 1" 'bytes that are no UTF-8, too'
acct --jobs 1 ingest hostile >out
is "$(cut -d, -f2 out)" ' 7 known already' 'and their names are known again'
check 'all questions are answered' acct study
check 'the page' acct report -o page.html

# -- all kinds of data, and all questions: the same answers as from SQLite
five_logs five
for start in 6000 7000; do
    make_log five/$start.darshan <<JSON
{"jobid": 104, "start": $start, "end": 7100, "nprocs": 32, "metadata": "nnodes=2\\n", "exe": "/bin/one -x", "names": {"1": "/d/1"},
 "records": [["POSIX", 1, -1, {"POSIX_BYTES_WRITTEN": 419430400, "POSIX_WRITES": 7, "POSIX_SEEKS": 7,
  "POSIX_SIZE_WRITE_10M_100M": 7, "POSIX_F_META_TIME": 1, "POSIX_F_WRITE_TIME": 3, "POSIX_F_SLOWEST_RANK_TIME": 2}]]}
JSON
done
# GPUDirect Storage, by a stand-in for its library
cc -O1 -shared -fPIC -Wl,-soname,libcufile.so.0 -o libcufile.so.0 "$DSN_SRC/test/work/cufile-library.c" -lpthread &&
    ln -s libcufile.so.0 libcufile.so && cc -o gds "$DSN_SRC/test/work/cufile.c" -L. -Wl,-rpath,"$PWD" -lcufile -lpthread
mkdir gds-data
check 'a log of GPUDirect Storage' env DARSHAN_ENABLE_NONMPI=1 "DARSHAN_LOGFILE=$PWD/five/gds.darshan" STANDIN_COMPAT=1 \
    "LD_PRELOAD=$DSN_PREFIX/lib/libdarshan.so" ./gds "$PWD/gds-data"
# one of the runtime's own, with what opens found, times apart, a mapped file, phases whatever their names, and call sites
check 'a log of the runtime' env DARSHAN_ENABLE_NONMPI=1 DARSHAN_CALLSITES=1 "DARSHAN_LOGFILE=$PWD/five/own.darshan" \
    "LD_PRELOAD=$DSN_PREFIX/lib/libdarshan.so" "$PYTHON3" -c 'import ctypes, mmap
library = ctypes.CDLL(None)
for name in b"plain", b"\xff\xfe bad", b"DROP TABLE log; --", b"gr\xc3\xbc\xc3\x9f":
    library.darshan_phase_begin(name)
    with open("own", "w") as f: f.write("1")
    library.darshan_phase_end()
with open("own", "rb") as f: mmap.mmap(f.fileno(), 1, prot=mmap.PROT_READ)[0]'
# layouts on Lustre and a heat map
make_log five/lustre.darshan <<'JSON'
{"jobid": 105, "end": 10, "nprocs": 2, "exe": "/bin/l", "names": {"1": "/d/l", "16592106915301738621": "heatmap:POSIX"}, "records": [
 ["POSIX", 1, -1, {"POSIX_BYTES_WRITTEN": 629145600, "POSIX_MAX_BYTE_WRITTEN": 629145599, "POSIX_F_WRITE_TIME": 3}],
 ["LUSTRE", 1, 0, {"stripe_size": 1048576, "osts": [7, 8, 9]}],
 ["HEATMAP", 16592106915301738621, 0, {"width": 1, "write": [1, 0, 600, 0, 0, 50, 0, 0, 0, 7], "read": [0, 0, 0, 0, 0, 0, 0, 0, 0, 0]}]]}
JSON
printf '%s\n' 'jobid,user,account,state,nodes,cores,start,end,core_hours' 100,,,,,,,, 101,u,A,DONE,2,8,0,7200, 102,u,A,,,8,,,1.25 \
    103,,B,,2,,Unknown,,3 104,u,A,DONE,2,4,1970-01-01T00:00:30,1970-01-01T01:00:30,2 104,v,B,DONE,2,4,0,900, >jobs.csv
printf 'account,project,discipline\nA,Ant,Physics\nB,Bee,\nC,Cow,"Che""mistry, cold"\n' >accounts.csv
"$PYTHON3" - <<'PY'
import json
def snapshot(name, time, files, size):
    json.dump({"format": "darshan-fsstats 1", "directory": "/d", "time": time, "files": files, "directories": 3, "bytes": 10 * files,
               "histograms": {"size": size, "access_days": [[0, 1, 2], [5, 8, 9]]}, "owners": [[1000, 3, 4]]}, open(name, "w"))
snapshot("s1", 0, 1000, [[0, 1, 2], [5, 7, 9]])
snapshot("s2", 86400 * 30, 1001, [[0, 1, 2], [5, 8, 9]])      # a thousand million files: behind the year 9999
snapshot("s3", 86400 * 60, 100100, [[0, 1, 2], [5, 9, 9]])
with open("samples.csv", "w") as f:
    print("time,host,device,seconds,read_kib,write_kib,busy_percent", file=f)
    for minute in range(3000):
        print(60 * minute, "n1", "sda", 60, minute * 37 % 1001 * (minute % 100 > 20), 0.1, "" if minute < 2 else 1.5, sep=",", file=f)
    print("180000.5,n1,sda,60,1,2,3", file=f)                  # a time that is no whole number: becomes one
with open("programs.csv", "w") as f:
    print("program,system,discipline,cpu_seconds,megabytes,executions\na,0,X,500,60000,5\nb,0,,900.5,10,4\nc,1,X,7,7,1\nd,0,Y,0,0,0", file=f)
PY
printf 'program,system,executions,cpu_seconds,megabytes,period\na.x,0,1,500,10,1993\na.y,0,1,500,10,1994\nb,0,1,5,1,1993\nb,0,1,6,2,1994\n' >periods.csv
printf 'start,pid,ppid,uid,program,seconds,cpu_seconds,bytes\n100,10,1,1000,p,50,40,\n110,11,10,1000,q,20,19.5,77\n' >processes.csv
cat >answers.py <<'PY'
import json, sys
one, other = (json.load(open(name)) for name in sys.argv[1:])
assert list(one) == list(other) and len(one) >= 20, (list(one), list(other))
for name in one:
    assert len(one[name]) == len(other[name]) and (one[name] or name in ("gaps", "peak-jobs", "contrasts", "maintenance")), name # no gap; samples of other days; equal runs; none
    for a, b in zip(one[name], other[name]):
        assert list(a) == list(b), (name, a, b)
        for key in a:
            near = isinstance(a[key], float) and isinstance(b[key], (int, float)) and abs(a[key] - b[key]) <= 1e-12 * abs(a[key])
            assert a[key] == b[key] or near, (name, key, a, b)
PY
# all DATABASE NAME: what it says of it goes to NAME.json
all() {
    "$accounting" --db "$1" init && "$accounting" --db "$1" --jobs 1 ingest five >/dev/null &&
        "$accounting" --db "$1" import slurm jobs.csv && "$accounting" --db "$1" import accounts accounts.csv &&
        "$accounting" --db "$1" import samples samples.csv samples.csv && "$accounting" --db "$1" import programs programs.csv periods.csv &&
        "$accounting" --db "$1" import processes processes.csv && "$accounting" --db "$1" import fsstats s1 s2 s3 s2 && "$accounting" --db "$1" export "all.$2" &&
        "$accounting" --db "$1" study --min-procs 1 --min-mib 1 --site-maximum 15 --json >"$2.json"
}
base all
check 'all kinds of data' all "$base" pg
check 'the same in SQLite' all all.db sqlite
check 'the same answers' "$PYTHON3" answers.py sqlite.json pg.json
for question in jobs uses files meaning; do
    "$accounting" --db "$base" query $question --csv >pg.csv
    "$accounting" --db all.db query $question --csv >sqlite.csv
    check "the same $question" cmp pg.csv sqlite.csv
done
same 'the same rows' all.sqlite all.pg

# -- the same rows as in SQLite, also if it is killed
logs=2400 # three transactions
mkdir logs
"$DSN_BUILD/test/bench/make-log" small logs $logs
cp logs/0/job7.darshan logs/same.darshan
head -c 2000 logs/1/job1007.darshan >logs/cut.darshan
"$accounting" --db whole.db init
"$accounting" --db whole.db --jobs 1 ingest logs >/dev/null
"$accounting" --db whole.db export whole
base whole
db=$base
acct init
began=$(date +%s%N)
check 'undisturbed' acct --jobs 1 ingest logs
took=$((($(date +%s%N) - began) / 1000000))
acct export whole.pg
same 'every table as SQLite has it' whole whole.pg

# killed SIGNAL READERS: eight runs, each ended later than the one before; says how many of them were not over yet
killed() {
    hit=0
    for delay in $("$PYTHON3" -c "import random
for i in range(8): print((0.1 * i + random.uniform(0.05, 0.15)) * $took / 1000)"); do
        acct --jobs "$2" ingest logs >/dev/null 2>&1 &
        sleep "$delay"
        kill "-$1" $! 2>/dev/null
        wait $! 2>/dev/null
        [ $? -gt 128 ] && hit=$((hit + 1))
    done
    echo "$hit"
}
for how in KILL:1 TERM:1 KILL:2; do
    base "killed${how%:*}${how#*:}"
    db=$base
    acct init
    hit=$(killed "${how%:*}" "${how#*:}")
    check "$how: some of eight runs were ended: $hit" test "$hit" -ge 1
    there=$(figures overall 'rows[0]["logs"]')
    check "$how: by then, $there logs are there" test "$there" -gt 0
    check "$how: what is there then is in order" acct check
    check "$how: the rest" acct --jobs "${how#*:}" ingest logs
    check "$how: is in order" acct check
    acct export "$how"
    if [ "${how#*:}" = 1 ]; then
        same "$how: every table is as if nothing had happened" whole "$how"
    else
        is "$(cut -d, -f2- "$how/log.csv" | sed 1d | sort | cksum)" "$(cut -d, -f2- whole/log.csv | sed 1d | sort | cksum)" \
            "$how: the same logs"
        is "$(cut -d, -f3- "$how/posix_record.csv" | sed 1d | sort | cksum)" \
            "$(cut -d, -f3- whole/posix_record.csv | sed 1d | sort | cksum)" "$how: the same records"
    fi
done

# -- two at once
base two
db=$base
acct init
acct ingest logs >first 2>&1 &
acct ingest logs >second 2>&1
second=$?
wait $!
is "$? $second $(figures overall 'rows[0]["logs"]')" "0 0 $logs" 'two that take the same logs'
check 'check' acct check

# -- a server that dies
for part in 0.3 0.1 0.03 0.01; do # of the time that it took: another time it may be faster
    base "died${part#0.}"
    db=$base
    acct init
    acct --jobs 1 ingest logs >out 2>err &
    sleep "$("$PYTHON3" -c "print($part * $took / 1000)")"
    pg_crash
    wait $!
    died=$?
    [ $died = 0 ] || break
    pg_again
done
is "$died $(wc -l <err)" '1 1' 'the server dies: exit status 1, one line'
status 1 acct check
is "$? $(wc -l <err) $(grep -c 'server' err)" '0 1 1' 'there is no server: the same'
pg_again
check 'it is back: what is there is in order' acct check
check 'the rest' acct --jobs 1 ingest logs
acct export died
same 'every table is as if nothing had happened' whole died

# -- messages
secret() {
    "$accounting" --db "$1" query overall >out 2>err
    is "$? $(wc -l <err) $(grep -c 'secr\|et1' out err | tr '\n' ' ')" "1 1 out:0 err:0 " "a password is not shown: $2"
}
secret "postgresql://admin:secret1@/nowhere?host=$pg_home" 'no such database'
secret "host=$pg_home user=admin password=secret1 dbname=nowhere" 'the same in words'
secret "postgresql://admin:secret1@127.0.0.1:1/x" 'no server'
secret "postgresql://admin:secr/et1@/x?host=$pg_home" 'a / in it'
secret "postgresql://admin:secr@et1@/x" 'a @ in it'
secret "postgresql://admin:secr%et1@/x" 'a % in it'
secret "host=$pg_home password=secr et1 dbname=x" 'a blank in it'
secret "postgresql://admin@/x?passwort=secret1" 'a word that is wrong'
pg_sql postgres "CREATE DATABASE latin ENCODING 'LATIN1' TEMPLATE template0 LC_COLLATE 'C' LC_CTYPE 'C'"
check 'a database that is not UTF-8' status 1 "$accounting" --db "$(pg_base latin)" init
is "$(grep -c 'CREATE DATABASE' err)" 1 'says what to do'
base other
pg_sql other 'CREATE TABLE t (a int)'
check "somebody else's" status 1 "$accounting" --db "$base" init
is "$(grep -c 'another program' err)" 1 'is said'
pg_sql other 'CREATE SCHEMA mine'
db="$base&options=-csearch_path%3Dmine"
check 'in a schema of its own' acct init
acct ingest five >/dev/null
is "$(figures overall 'rows[0]["logs"]') $(pg_sql other 'SELECT count(*) FROM mine.log')" '10 10' 'beside what is there'
base newer
db=$base
acct init
pg_sql newer "COMMENT ON TABLE setting IS 'migration 99'"
check 'one of a newer release' status 1 acct init
base older
db=$base
acct init
pg_sql older "DROP VIEW log_known CASCADE; ALTER TABLE posix_total DROP COLUMN posix_stats; UPDATE setting SET value = 1 WHERE name = 'schema'"
check 'one of an older release: exit status 1' status 1 acct query overall
is "$(grep -c 'create them with `darshan-accounting --db DATABASE init`' err)" 1 'says what to do'
check 'init' acct init
check 'now it is of this one' acct study
is "$(pg_sql older "SELECT count(*) FROM information_schema.columns WHERE column_name = 'posix_stats'")" 2 \
    'the counter is a column again'
finish
