# t8094-accounting-backups.sh - copies that are made while logs are ingested, as doc/site-database.md says, are whole
# SPDX-License-Identifier: BSD-3-Clause
accounting_on=postgresql
. "$DSN_SRC/test/lib/lib.sh"
. "$DSN_SRC/test/e2e/accounting.sh"
command -v sqlite3 >/dev/null || skip_all 'package sqlite3'

logs=3000
mkdir logs
"$DSN_BUILD/test/bench/make-log" small logs $logs

# while_ingesting NAME COMMAND...: runs it when some logs are there, and not all; says how many the database has afterwards
while_ingesting() {
    "$accounting" --db "$db" --jobs 1 ingest logs >"$1.out" 2>&1 &
    while_child=$!
    wait_until eval '[ "$(figures overall "rows[0][\"logs\"]")" != 0 ]'
    shift
    "$@" >copied 2>&1
    copied=$?
    kill -TERM $while_child 2>/dev/null
    wait $while_child
}
# whole NAME: what was ingested at the time is in order, and the rest comes
whole() {
    is "$copied $(cat copied)" '0 ' "$1: is made"
    check "$1: is in order" "$accounting" --db "$db" check
    check "$1: has some of the logs" test "$(figures overall 'rows[0]["logs"]')" -gt 0
    "$accounting" --db "$db" ingest logs >out 2>&1
    is "$(figures overall 'rows[0]["logs"]')" $logs "$1: ingest completes it"
}

for how in backup vacuum; do
    db=$how.db
    "$accounting" --db "$db" init
    case $how in
    backup) while_ingesting $how sqlite3 "$db" '.timeout 60000' '.backup copy-backup.db' ;;
    vacuum) while_ingesting $how sqlite3 "$db" '.timeout 60000' "VACUUM INTO 'copy-vacuum.db'" ;;
    esac
    db=copy-$how.db
    whole "$how"
done

base dumped
db=$base
"$accounting" --db "$db" init
while_ingesting dump "$pg_bin/pg_dump" -h "$pg_home" -U admin -Fc -d dumped -f site.dump
pg_make restored
check 'dump: is restored' "$pg_bin/pg_restore" -h "$pg_home" -U admin -d restored site.dump
db=$(pg_base restored)
whole dump
finish
