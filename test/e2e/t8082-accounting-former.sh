# t8082-accounting-former.sh - databases of former releases are migrated, and logs ingested by these with fewer data are
# ingested again
# SPDX-License-Identifier: BSD-3-Clause
# test/golden/accounting has a database of the first schema, as text, with the five logs and the scheduler's list of accounting.sh
accounting_on=postgresql
. "$DSN_SRC/test/lib/lib.sh"
. "$DSN_SRC/test/e2e/accounting.sh"
acct() {
    "$accounting" --db "$db" "$@"
}
five_logs five

for accounting_on in sqlite postgresql; do
    base former
    db=$base
    text=former-$accounting_on.sql
    xz -dc "$DSN_SRC/test/golden/accounting/$text.xz" >"$text" || exit 1
    if [ $accounting_on = sqlite ]; then
        sql() {
            "$PYTHON3" -c 'import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
db.executescript(open(sys.argv[2]).read())' "$db" "$1"
        }
    else
        sql() {
            "$pg_bin/psql" -Xq -v ON_ERROR_STOP=1 -h "$pg_home" -U admin -d former -f "$1" >/dev/null
        }
    fi
    on="$accounting_on: "
    check "${on}a database of the first schema" sql "$text"
    check "${on}asking it says what to do" status 1 acct query overall
    is "$(grep -c 'create them with `darshan-accounting --db DATABASE init`' err) $(wc -l <err | tr -d ' ')" '1 1' "${on}in one line"
    # the release before that one did not know how long ranks waited
    echo 'UPDATE log SET io_time = NULL, io_wait_time = NULL, io_meta_time = NULL, io_slowest = NULL, io_slowest_at_least = NULL;' >older.sql
    check "${on}one that is older still" sql older.sql
    check "${on}init brings it to this release" acct init
    check "${on}all of it is in order" acct check
    is "$(figures overall '[(r["logs"], r["jobs"], r["files"]) for r in rows]')" '[(5, 4, 7)]' "${on}its logs are there"
    is "$(figures coverage '[(r["jobs"], r["logged_jobs"], shown(r["percent_of_core_hours"])) for r in rows]')" '[(5, 4, 65.0)]' \
        "${on}and the scheduler's jobs"
    is "$(figures jobs '[r["io_time"] for r in rows]')" '[None, None, None, None, None]' "${on}what it did not know is not known"
    acct --jobs 2 ingest five >out
    is "$(cut -d' ' -f1 out | tr '\n' ' ')" '5 5 ' "${on}its logs are taken again when their files are seen"
    # MPI-IO calls of job 101 took 44 s, and the POSIX calls in them 48 s: it has waited for these at least
    is "$(figures jobs '[(r["jobid"], shown(r["io_time"]), r["taken_by"]) for r in rows]')" \
        '[(100, 23.0, 6), (101, 48.0, 6), (102, 20.0, 6), (102, 1.0, 6), (103, 0.0, 6)]' "${on}and all of them is known"
    is "$(figures overall '[(r["logs"], r["jobs"], r["files"]) for r in rows]')" '[(5, 4, 7)]' "${on}none is there twice"
    check "${on}all of it is in order then" acct check
    acct --jobs 2 ingest five >out
    is "$(cat out | cut -d, -f2)" ' 5 known already' "${on}after that they are known"
done

# -- the same by several processes that share the work
accounting_on=sqlite
base shared
db=$base
"$PYTHON3" -c 'import sqlite3, sys
sqlite3.connect(sys.argv[1]).executescript(open(sys.argv[2]).read())' "$db" former-sqlite.sql
acct init
for rank in 0 1; do
    OMPI_COMM_WORLD_RANK=$rank OMPI_COMM_WORLD_SIZE=2 PMIX_NAMESPACE=one "$accounting" --db "$db" ingest five >"out.$rank" 2>"err.$rank" &
    eval "process$rank=$!"
done
wait "$process0" "$process1" # and not for the server
is "$(cat err.0 err.1)" '' 'shared by two processes: nothing is wrong'
is "$(figures jobs '[(r["jobid"], r["taken_by"]) for r in rows]')" '[(100, 6), (101, 6), (102, 6), (102, 6), (103, 6)]' \
    'shared by two processes: all are taken again, none is there twice'
check 'shared by two processes: all of it is in order' acct check
finish
