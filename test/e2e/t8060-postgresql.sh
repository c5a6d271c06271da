# t8060-postgresql.sh - darshan-accounting on PostgreSQL: the same rows as SQLite, killed and resumed, hostile texts, messages
# SPDX-License-Identifier: BSD-3-Clause
accounting_on=postgresql
. "$DSN_SRC/test/lib/lib.sh"
. "$DSN_SRC/test/e2e/accounting.sh"
[ -x "$DSN_BUILD/test/bench/make-log" ] || skip_all 'the maker of logs is not built'
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
"$accounting" --db hostile.db -j 1 ingest hostile >/dev/null
"$accounting" --db hostile.db export hostile.sqlite
base hostile
db=$base
acct init
check 'logs with hostile texts' acct -j 1 ingest hostile
acct export hostile.pg
same 'all texts are those that SQLite has' hostile.sqlite hostile.pg
is "$(grep -ac . hostile.pg/posix_record.csv) $(LC_ALL=C grep -acP '\xff\xfe\xc3\(' hostile.pg/posix_record.csv)" \
    "$(grep -ac . hostile.sqlite/posix_record.csv) 1" 'bytes that are no UTF-8, too'
acct -j 1 ingest hostile >out
is "$(cut -d, -f2 out)" ' 7 known already' 'and their names are known again'
check 'all questions are answered' acct study
check 'the page' acct report -o page.html

# -- the same rows as in SQLite, also if it is killed
logs=3000 # three transactions
mkdir logs
"$DSN_BUILD/test/bench/make-log" small logs $logs
cp logs/0/job7.darshan logs/same.darshan
head -c 2000 logs/1/job1007.darshan >logs/cut.darshan
"$accounting" --db whole.db init
"$accounting" --db whole.db -j 1 ingest logs >/dev/null
"$accounting" --db whole.db export whole
base whole
db=$base
acct init
began=$(date +%s%N)
check 'undisturbed' acct -j 1 ingest logs
took=$((($(date +%s%N) - began) / 1000000))
acct export whole.pg
same 'every table as SQLite has it' whole whole.pg

# killed SIGNAL READERS: eight runs, each ended later than the one before; says how many of them were not over yet
killed() {
    hit=0
    for delay in $("$PYTHON3" -c "import random
for i in range(8): print((0.1 * i + random.uniform(0.05, 0.15)) * $took / 1000)"); do
        acct -j "$2" ingest logs >/dev/null 2>&1 &
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
    check "$how: the rest" acct -j "${how#*:}" ingest logs
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
base died
db=$base
acct init
acct -j 1 ingest logs >out 2>err &
sleep "$("$PYTHON3" -c "print(0.3 * $took / 1000)")"
pg_crash
wait $!
is "$? $(wc -l <err)" '1 1' 'the server dies: exit status 1, one line'
status 1 acct check
is "$? $(wc -l <err) $(grep -c 'server' err)" '0 1 1' 'there is no server: the same'
pg_again
check 'it is back: what is there is in order' acct check
check 'the rest' acct -j 1 ingest logs
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
is "$(grep -c 'something else' err)" 1 'is said'
base newer
db=$base
acct init
pg_sql newer "COMMENT ON TABLE setting IS 'migration 99'"
check 'one of a newer release' status 1 acct init
base older
db=$base
acct init
pg_sql older "DROP VIEW log_project; ALTER TABLE posix_total DROP COLUMN posix_stats; UPDATE setting SET value = 1 WHERE name = 'schema'"
check 'one of an older release: exit status 1' status 1 acct query overall
is "$(grep -c 'run darshan-accounting init' err)" 1 'says what to do'
check 'init' acct init
check 'now it is of this one' acct study
is "$(pg_sql older "SELECT count(*) FROM information_schema.columns WHERE column_name = 'posix_stats'")" 2 \
    'the counter is a column again'
finish
