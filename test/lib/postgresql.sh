# postgresql.sh - a PostgreSQL server for a test, on a Unix socket only; to be sourced after lib.sh
# SPDX-License-Identifier: BSD-3-Clause

# pg_as COMMAND...: runs it as an ordinary user, because the server refuses to run as root
pg_as() {
    if [ "$(id -u)" = 0 ]; then
        setpriv --reuid=nobody --regid=nogroup --clear-groups -- env HOME="$pg_home" "$@"
    else
        "$@"
    fi
}

# pg_stop: stops the server and removes its files
pg_stop() {
    [ -n "${pg_home:-}" ] || return 0
    pg_as "$pg_bin/pg_ctl" -D "$pg_home/data" -m immediate -s stop >/dev/null 2>&1
    rm -rf "$pg_home"
    pg_home=
}

# pg_start: starts a server with the administrator admin and without authentication; skips the test if none is
# installed. Its directory is not below the test's, which other users cannot enter. It is stopped when the script ends,
# or after 10 minutes.
pg_start() {
    pg_bin=
    for pg_dir in /usr/lib/postgresql/*/bin "$(pg_config --bindir 2>/dev/null)"; do
        [ -x "$pg_dir/initdb" ] && [ -x "$pg_dir/postgres" ] && pg_bin=$pg_dir
    done
    [ -n "$pg_bin" ] || skip_all 'package postgresql'
    pg_home=$(mktemp -d "${TMPDIR:-/tmp}/darshan-pg.XXXXXX") || exit 1
    trap pg_stop EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM
    chmod 755 "$pg_home"
    [ "$(id -u)" != 0 ] || chown nobody:nogroup "$pg_home"
    # Prefers a locale that does not sort by bytes: answers must not depend on it.
    (cd "$pg_home" && pg_as "$pg_bin/initdb" -D "$pg_home/data" -U admin -A trust -E UTF8 --no-sync \
        --locale="$(locale -a 2>/dev/null | grep -im1 '^en_US.utf-*8$' || echo C.UTF-8)") >"$DSN_SCRATCH/initdb.out" 2>&1 ||
        { cat "$DSN_SCRATCH/initdb.out"; exit 1; }
    pg_again
}

# pg_crash: kills the server as in a power failure; pg_again: restarts it
pg_crash() {
    pg_as "$pg_bin/pg_ctl" -D "$pg_home/data" -m immediate -s stop
}

pg_again() {
    (cd "$pg_home" && pg_as timeout 600 "$pg_bin/postgres" -D "$pg_home/data" -k "$pg_home" -c listen_addresses= \
        -c fsync=off -c log_destination=stderr) >"$DSN_SCRATCH/server.out" 2>&1 &
    for pg_try in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30; do
        pg_sql postgres 'SELECT 1' >/dev/null 2>&1 && return 0
        sleep 0.5
    done
    cat "$DSN_SCRATCH/server.out"
    exit 1
}

# pg_sql DATABASE SQL: executes it as the administrator; rows are printed as a|b
pg_sql() {
    PGOPTIONS='-c client_min_messages=warning' "$pg_bin/psql" -XAtq -v ON_ERROR_STOP=1 -h "$pg_home" -U admin -d "$1" -c "$2"
}

# pg_base NAME [ROLE]: the connection string of a database
pg_base() {
    echo "postgresql://${2:-admin}@/$1?host=$pg_home"
}

# pg_make NAME: creates an empty database
pg_make() {
    pg_sql postgres "CREATE DATABASE \"$1\""
}
