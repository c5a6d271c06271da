# t8084-accounting-readers.sh - users with read permission only can query a database file, and leave no files beside it
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"
. "$DSN_SRC/test/e2e/accounting.sh"
# Root may write everywhere: the reader is another user then, and the site's directory one to which all can come.
if [ "$(id -u)" = 0 ]; then
    setpriv --reuid 65534 --regid 65534 --clear-groups true 2>/dev/null || skip_all 'setpriv (util-linux), for root'
    reader='setpriv --reuid 65534 --regid 65534 --clear-groups'
else
    reader=
fi
open=$(mktemp -d "${TMPDIR:-/tmp}/darshan-site.XXXXXX") || exit 1
watching=
trap 'kill $watching 2>/dev/null; chmod -R u+w "$open"; rm -rf "$open"' EXIT
trap 'exit 1' HUP INT TERM
chmod 755 "$open"
mkdir "$open/site"
cp "$accounting" "$open/darshan-accounting"
db=$open/site/site.db
acct() {
    "$accounting" --db "$db" "$@"
}
# closed: nobody but root may write there; opened: whose it is may again
closed() {
    chmod 555 "$open/site"
    chmod 444 "$open/site/"*
}
opened() {
    chmod 755 "$open/site"
    chmod 644 "$open/site/"*
}
# ask WHAT: the reader asks how many logs there are; what lies beside the database stays as it is
ask() {
    beside=$(ls -ln "$open/site" | sed 1d)
    (cd / && $reader "$open/darshan-accounting" --db "$db" query overall --csv) >out 2>err
    is "$? $(sed -n '2s/,.*//p' out) $(cat err)" "0 $2 " "$1: is answered"
    is "$(ls -ln "$open/site" | sed 1d)" "$beside" "$1: leaves no file, and changes none"
}

# alone WHAT: nothing but the database is there
alone() {
    is "$(ls "$open/site")" site.db "$1: nothing but the database is left"
}

five_logs five
acct init
alone 'init'
check 'the site takes logs' acct ingest five
alone 'ingest'
printf 'account,project,discipline\nphysics,p1,Physics\n' >accounts
acct import accounts accounts >out
alone 'import'
closed
ask 'a reader' 5
# other programs that read SQLite can read it, too: it is no database with a WAL
check 'a reader with another program' $reader "$PYTHON3" -c 'import sqlite3, sys
assert sqlite3.connect("file:%s?mode=ro" % sys.argv[1], uri=True).execute("SELECT count(*) FROM log").fetchone() == (5,)' "$db"
opened
ask 'the owner' 5
alone 'after readers'

# -- while the site takes logs
make_log five/more.darshan <<'JSON'
{"jobid": 900, "exe": "/bin/more", "end": 10}
JSON
"$accounting" --db "$db" --every 1 watch five >watched &
watching=$!
wait_until grep -q '^1 logs taken' watched
chmod 555 "$open/site"
ask 'a reader while logs are taken' 6
chmod 755 "$open/site"
kill -KILL $watching
wait $watching 2>/dev/null
closed
ask 'a reader after the one that took logs was killed' 6
opened
check 'the site goes on' acct ingest five
alone 'and cleans up'
closed
ask 'and a reader, too' 6
opened

# -- several that write
several=
for i in 1 2 3 4 5 6; do
    acct ingest five >"several.$i" 2>&1 &
    several="$several $!"
done
refused=0
for one in $several; do
    wait "$one" || refused=$((refused + 1))
done
is "$refused" 0 'six that begin and end at once: none is refused'
alone 'the last of them'

# -- the file alone, and somebody begins to write while an answer is read: it is not taken for right
mkfifo answer
make_log five/yet.darshan <<'JSON'
{"jobid": 901, "exe": "/bin/yet", "end": 10}
JSON
"$accounting" --db "$db" query meaning --json >answer 2>changed &
asking=$!
{
    head -c 1 >/dev/null # the answer is under way, and fits neither into the pipe nor into memory kept for it
    acct ingest five >/dev/null
    cat >/dev/null
} <answer
wait $asking
is "$? $(grep -c 'was modified while it was read; run the query again' changed) $(wc -l <changed | tr -d ' ')" '1 1 1' \
    'somebody writes while an answer is read: says so'
check 'the site is in order' acct check

# -- what cannot be
check 'a directory that is not there' status 1 "$accounting" --db "$open/nowhere/site.db" init
is "$(grep -c 'is its directory there' err) $(wc -l <err | tr -d ' ')" '1 1' 'one line says what to look at'
if [ -w /dev/full ]; then
    check 'a full device' status 1 "$accounting" --db /dev/full init
    [ -w /dev ] && wanted='disk is full; make room' || wanted='requires write permission for the file and its directory'
    is "$(grep -c "$wanted" err) $(wc -l <err | tr -d ' ')" '1 1' 'one line says what to do'
fi
finish
