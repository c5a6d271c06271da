# t8040-accounting-circumstances.sh - darshan-accounting: hostile texts, two processes at once, a full disk, databases
# of other releases
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"
. "$DSN_SRC/test/e2e/accounting.sh"
db=a.db
acct() {
    "$accounting" --db "$db" "$@"
}

# -- texts of logs
mkdir hostile
make_log hostile/a.darshan <<'JSON'
{"exe": "/bin/a\"b,c\nd\u001b[31m'; DROP TABLE log; --", "names": {"1": "/x/\"quoted\", and\tmore\r\n\u001b]0;title\u0007"},
 "records": [["POSIX", 1, 0, {"POSIX_BYTES_READ": 1}]]}
JSON
acct init
check 'a log with hostile texts' acct ingest hostile
is "$(figures files 'rows[0]["name"].encode().hex()')" \
    "$("$PYTHON3" -c 'print(b"/x/\"quoted\", and\tmore\r\n\x1b]0;title\x07".hex())')" 'JSON has the name as it is'
acct query files --csv >files.csv
is "$("$PYTHON3" -c 'import csv; r = list(csv.reader(open("files.csv", newline=""))); print(len(r), ascii(r[1][0]))')" \
    "2 '/x/\"quoted\", and\\tmore\\r\\n\\x1b]0;title\\x07'" 'CSV, too'
if command -v script >/dev/null 2>&1; then
    script -qc "$accounting --db a.db query files" /dev/null >terminal
    is "$(tr -cd '\033\007' <terminal | wc -c | tr -d ' ')" 0 'on a terminal no control character gets through'
else
    skip 'on a terminal' 'command script (bsdutils)'
fi

# -- numbers of logs: 600 times 2^54 bytes are more than 64 bits hold. More than 2^55 in one record is damage, and counts as none
mkdir large
for i in 1 2 3; do
    "$PYTHON3" -c 'import json, sys
records = [["POSIX", 1, rank, {"POSIX_BYTES_WRITTEN": 2 ** 54}] for rank in range(200)]
print(json.dumps({"exe": "/bin/large" + sys.argv[1], "nprocs": 200, "names": {"1": "/large"}, "records": records}))' $i | make_log large/$i.darshan
done
echo '{"exe": "/bin/damaged", "names": {"1": "/damaged"}, "records": [["POSIX", 1, 0, {"POSIX_BYTES_WRITTEN": 4611686018427387904}]]}' |
    make_log large/damaged.darshan
db=large.db
acct init
check 'logs that claim 2^61 bytes each' acct ingest large
is "$(figures overall 'rows[0]["tib_written"]')" 9830400 'their sum'
is "$(figures files '[r["bytes_written"] == 600 * 2.0 ** 54 for r in rows if r["name"] == "/large"]')" '[True]' 'of a file'
check 'a page of them' acct report -o large.html
db=a.db
"$PYTHON3" - hostile/a.darshan hostile/b.darshan <<'PY'
import struct, sys, zlib
data = bytearray(open(sys.argv[1], "rb").read())
at, size = struct.unpack_from("<QQ", data, 32)      # where the name table is: another is appended
names = zlib.compress(struct.pack("<Q", 1) + b"/bad/\xff\xfe\xc3(\x00")
struct.pack_into("<QQ", data, 32, len(data), len(names))
open(sys.argv[2], "wb").write(bytes(data) + names)
PY
check 'a name that is no UTF-8' acct ingest hostile
is "$(figures files 'any("\ufffd" in r["name"] for r in rows)')" True 'has replacement characters in JSON'

# -- two at once
mkdir logs
"$DSN_BUILD/test/bench/make-log" small logs 1500
db=two.db
acct init
acct ingest logs >first 2>&1 &
acct ingest logs >second 2>&1
second=$?
wait $!
is "$? $second" '0 0' 'two that take the same logs'
is "$(figures overall 'rows[0]["logs"]')" 1500 'each is there once'
check 'check' acct check

# -- a file that must not grow
db=full.db
acct init
check 'no room: exit status 1' sh -c 'trap "" XFSZ; ulimit -f 4000; "$1" --db full.db ingest logs >out 2>err; [ $? = 1 ]' - \
    "$accounting"
is "$(wc -l <err)" 1 'in one line'
check 'the database is in order' acct check
check 'with room' acct ingest logs
is "$(figures overall 'rows[0]["logs"]')" 1500 'all are there'

# -- databases of other releases
"$PYTHON3" - <<'PY'
import sqlite3
db = sqlite3.connect("full.db")
for (view,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'view'").fetchall():
    db.execute("DROP VIEW " + view)
db.execute("ALTER TABLE posix_total DROP COLUMN POSIX_STATS")
for column in "io_time", "io_wait_time", "io_meta_time", "io_slowest", "io_slowest_at_least": # which release 1 did not have
    db.execute("ALTER TABLE log DROP COLUMN " + column)
db.execute("UPDATE setting SET value = 1 WHERE name = 'schema'")
db.commit()
PY
check 'one of an older release: exit status 1' status 1 acct query overall
is "$(grep -c 'create them with `darshan-accounting --db DATABASE init`' err)" 1 'says what to do'
check 'init' acct init
check 'now it is of this one' acct study
figures jobs '[(r["io_time"], r["io_percent"] > 0, r["wait_percent"]) for r in rows[:1]]' >old
is "$(cat old)" '[(None, True, None)]' 'of logs that an older release took the time at storage stands for time of I/O'
is "$(acct query meaning --csv | grep -c 'posix_total.*POSIX_STATS')" 1 'the counter is a column again'
"$PYTHON3" -c 'import sqlite3; sqlite3.connect("full.db").execute("PRAGMA user_version = 99").connection.commit()'
check 'one of a newer release: exit status 1' status 1 acct init
check 'somebody else'"'"'s: exit status 1' sh -c '"$1" -c "import sqlite3; c = sqlite3.connect(\"other.db\"); c.execute(\"CREATE TABLE t (a)\"); c.commit()"
    "$2" --db other.db init 2>err; [ $? = 1 ] && grep -q "another program" err' - "$PYTHON3" "$accounting"
finish
