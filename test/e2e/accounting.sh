# accounting.sh - shared by tests of darshan-accounting; to be sourced after lib.sh
# SPDX-License-Identifier: BSD-3-Clause
# A test runs on SQLite or, if it says accounting_on=postgresql before, on a server of PostgreSQL of its own.
# The five logs of specification analysis.md B14, with the scheduler's list: every figure can be computed by hand.

[ -n "$PYTHON3" ] || skip_all 'package python3'
accounting=$DSN_PREFIX/bin/darshan-accounting
[ "$SQLITE" = yes ] || skip_all 'packages libsqlite3-dev and libssl-dev, when it was configured'
: "${accounting_on:=sqlite}"
if [ "$accounting_on" = postgresql ]; then
    grep -q '^#define HAVE_LIBPQ 1' "$DSN_BUILD/config.h" || skip_all 'package libpq-dev, when it was configured'
    . "$DSN_SRC/test/lib/postgresql.sh"
    pg_start
fi

# base NAME: sets $base to what --db wants for an empty database of that name, $nowhere for one that is not there
base() {
    case $accounting_on in
    sqlite) base=$1.db nowhere=nowhere.db ;;
    postgresql)
        pg_make "$1"
        base=$(pg_base "$1") nowhere=$(pg_base nowhere)
        ;;
    esac
}

# change NAME SQL: changes such a database behind the command's back
change() {
    case $accounting_on in
    sqlite)
        "$PYTHON3" -c 'import sqlite3, sys
with sqlite3.connect(sys.argv[1]) as db: db.execute(sys.argv[2])' "$1.db" "$2"
        ;;
    postgresql) pg_sql "$1" "$2" ;;
    esac
}

# make LOG <JSON
make_log() {
    "$PYTHON3" "$DSN_SRC/test/lib/makelog.py" "$1"
}

# endless_logs DIRECTORY: two whose bytes are more than 64 bits hold, and one of 14 bytes
endless_logs() {
    mkdir -p "$1"
    make_log "$1/1.darshan" <<'JSON'
{"exe": "/bin/a", "jobid": 1, "end": 10, "nprocs": 2, "names": {"1": "/x/a", "2": "/x/b", "3": "/x/c"}, "records": [
 ["POSIX", 1, 0, {"POSIX_BYTES_READ": 4611686018427387904, "POSIX_BYTES_WRITTEN": 4611686018427387904}],
 ["POSIX", 2, 0, {"POSIX_BYTES_READ": 4611686018427387904, "POSIX_BYTES_WRITTEN": 4611686018427387904}],
 ["POSIX", 3, 0, {"POSIX_BYTES_READ": 4611686018427387904, "POSIX_BYTES_WRITTEN": 7}],
 ["POSIX", 3, 1, {"POSIX_BYTES_READ": 4611686018427387904, "POSIX_BYTES_WRITTEN": 7}],
 ["STDIO", 3, 1, {"STDIO_BYTES_READ": 4611686018427387904, "STDIO_BYTES_WRITTEN": 4611686018427387904}]]}
JSON
    make_log "$1/2.darshan" <<'JSON'
{"exe": "/bin/b", "jobid": 2, "end": 10, "nprocs": 1, "names": {"1": "/x/a", "2": "/x/b"}, "records": [
 ["POSIX", 1, 0, {"POSIX_BYTES_WRITTEN": 9223372036854775806}], ["STDIO", 2, 0, {"STDIO_BYTES_WRITTEN": 9223372036854775806}]]}
JSON
    make_log "$1/3.darshan" <<'JSON'
{"exe": "/bin/c", "jobid": 3, "end": 10, "nprocs": 1, "names": {"1": "/x/a"}, "records": [
 ["POSIX", 1, 0, {"POSIX_BYTES_WRITTEN": 7}], ["STDIO", 1, 0, {"STDIO_BYTES_WRITTEN": 7}]]}
JSON
}

# five_logs DIRECTORY
five_logs() {
    mkdir -p "$1"
    make_log "$1/1.darshan" <<'JSON'
{"jobid": 100, "start": 1000, "end": 1100, "nprocs": 4, "metadata": "nnodes=2\n", "exe": "/bin/one -x",
 "names": {"1": "/d/1", "2": "/d/2", "3": "/d/3", "4": "/d/4"}, "records": [
 ["POSIX", 1, 0, {"POSIX_BYTES_WRITTEN": 104857600, "POSIX_F_META_TIME": 1, "POSIX_F_WRITE_TIME": 3}],
 ["POSIX", 2, 1, {"POSIX_BYTES_WRITTEN": 104857600, "POSIX_F_META_TIME": 1, "POSIX_F_WRITE_TIME": 4}],
 ["POSIX", 3, 2, {"POSIX_BYTES_WRITTEN": 104857600, "POSIX_F_META_TIME": 1, "POSIX_F_WRITE_TIME": 3}],
 ["POSIX", 4, 3, {"POSIX_BYTES_WRITTEN": 104857600, "POSIX_F_META_TIME": 2, "POSIX_F_WRITE_TIME": 8}]]}
JSON
    make_log "$1/2.darshan" <<'JSON'
{"jobid": 101, "start": 2000, "end": 2200, "nprocs": 4, "metadata": "nnodes=2\n", "exe": "/bin/two",
 "names": {"5": "/d/5"}, "records": [
 ["POSIX", 5, -1, {"POSIX_BYTES_READ": 419430400, "POSIX_F_META_TIME": 8, "POSIX_F_READ_TIME": 40,
  "POSIX_F_OPEN_START_TIMESTAMP": 10, "POSIX_F_READ_END_TIMESTAMP": 30, "POSIX_F_SLOWEST_RANK_TIME": 12}],
 ["MPI-IO", 5, -1, {"MPIIO_BYTES_READ": 419430400, "MPIIO_F_READ_TIME": 44}]]}
JSON
    make_log "$1/3.darshan" <<'JSON'
{"jobid": 102, "start": 3000, "end": 3050, "nprocs": 8, "metadata": "nnodes=4\n", "exe": "/bin/three",
 "names": {"6": "/d/6"}, "records": [
 ["POSIX", 6, 0, {"POSIX_BYTES_WRITTEN": 1048576000, "POSIX_F_META_TIME": 1, "POSIX_F_WRITE_TIME": 9}],
 ["POSIX", 6, 1, {"POSIX_BYTES_WRITTEN": 1048576000, "POSIX_F_META_TIME": 1, "POSIX_F_WRITE_TIME": 9}]]}
JSON
    make_log "$1/4.darshan" <<'JSON'
{"jobid": 102, "start": 4000, "end": 4050, "nprocs": 8, "metadata": "nnodes=4\n", "exe": "/bin/four",
 "names": {"7": "/d/7"}, "records": [
 ["STDIO", 7, 0, {"STDIO_BYTES_READ": 1048576, "STDIO_F_META_TIME": 0.1, "STDIO_F_READ_TIME": 0.9}]]}
JSON
    make_log "$1/5.darshan" <<'JSON'
{"jobid": 103, "start": 5000, "end": 5005, "nprocs": 8, "metadata": "nnodes=4\n", "exe": "/bin/five"}
JSON
}

# five_jobs: the scheduler's list
five_jobs() {
    printf 'jobid,account,core_hours\n100,A,10\n101,A,20\n102,B,30\n103,B,5\n104,C,35\n'
}

# figures NAME EXPRESSION [OPTION]...: the Python expression over `rows`, the answer to that query on $db
figures() {
    figures_name=$1 figures_what=$2
    shift 2
    "$accounting" --db "$db" query "$figures_name" --json "$@" |
        "$PYTHON3" -c 'import json, sys
rows = json.load(sys.stdin)
by = lambda key: {r[key]: r for r in rows}
shown = lambda v, n=3: None if v is None else round(float(v), n)
print('"$figures_what"')'
}
