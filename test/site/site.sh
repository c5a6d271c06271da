#!/bin/sh
# site.sh - site.sh DIRECTORY LOGS [DAYS [FILES]]: ingests a site's data into two databases, undisturbed and killed ten
# times
# SPDX-License-Identifier: BSD-3-Clause
#
# DIRECTORY is made. ACCOUNTING, MAKE_LOGS and PYTHON3 are the commands to use. Exit status 0: both databases are the
# same, to the last row. Rates are printed.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
directory=$1 logs=$2 days=${3:-60} files=${4:-1000000}
mkdir "$directory" "$directory/logs"
cd "$directory"

now() {
    date +%s%N
}
seconds_since() {
    awk -v from="$1" -v to="$(now)" 'BEGIN { printf "%.1f", (to - from) / 1e9 }'
}
acct() {
    db=$1
    shift
    "$ACCOUNTING" --db "$db.db" "$@"
}
imports() {
    acct "$1" import slurm jobs && acct "$1" import accounts accounts.csv && acct "$1" import samples samples.csv &&
        acct "$1" import fsstats snapshot-0.json snapshot-1.json && acct "$1" import programs programs.csv
}

began=$(now)
"$MAKE_LOGS" logs "$logs" "$days"
"${PYTHON3:-python3}" "$here/make-others.py" . "$logs" "$days" "$files"
echo "made in $(seconds_since "$began") s: $logs logs of $(du -sk --apparent-size logs | awk -v n="$logs" '{ printf "%d", 1024 * $1 / n }') bytes each"

acct whole init
began=$(now)
times >before
acct whole --jobs 1 ingest logs
times >after
took=$(seconds_since "$began")
bytes=$(wc -c <whole.db)
awk -v logs="$logs" -v took="$took" -v bytes="$bytes" '
    function seconds(text, part) { split(text, part, /[ms]/); return 60 * part[1] + part[2] }
    FNR == 2 { cpu[FILENAME] = seconds($1) + seconds($2) }
    END {
        used = cpu["after"] - cpu["before"]
        printf "undisturbed, one reader: %.0f logs a second; %.0f logs a second of processor time (%.1f s; bound: 1,500)\n",
            logs / took, (used > 0 ? logs / used : 0), used
        printf "database: %.0f bytes a log\n", bytes / logs
    }' before after
began=$(now)
imports whole >imports
echo "other data imported in $(seconds_since "$began") s"

acct killed init
has_some() {
    "${PYTHON3:-python3}" -c 'import sqlite3, sys
sys.exit(sqlite3.connect("killed.db", timeout=60).execute("SELECT count(*) FROM log").fetchone()[0] == 0)'
}
# Of a small site the first thousand logs, which are the first to stay, are a large part. Three runs are ended early even if
# the machine has become faster meanwhile, and the last one not before something has stayed.
[ "$logs" -ge 50000 ] && usual=0.11 || usual=0.25
ended=0
for run in 1 2 3 4 5 6 7 8 9 10; do
    "$ACCOUNTING" --db killed.db --jobs 1 ingest logs >/dev/null 2>&1 & # no function: the shell between would be killed
    child=$!
    [ "$run" -gt 3 ] && most=$usual || most=0.01
    sleep "$(awk -v seed="$run$logs" -v took="$took" -v most="$most" 'BEGIN { srand(seed); printf "%.3f", took * (0.01 + most * rand()) }')"
    [ "$run" -lt 10 ] || until has_some; do sleep 0.1; done
    kill -KILL "$child" 2>/dev/null || :
    wait "$child" 2>/dev/null && status=0 || status=$?
    [ "$status" -le 128 ] || ended=$((ended + 1))
done
acct killed --jobs 1 ingest logs | sed 's/^/the rest: /'
imports killed >imports
echo "killed: $ended of 10 runs"
for name in whole killed; do
    acct "$name" check
    acct "$name" export "$name"
done
if ! diff -rq whole killed; then
    echo 'the databases differ'
    exit 1
fi
echo 'both databases are the same'

began=$(now)
acct whole study --json >study.json
echo "the study: $(seconds_since "$began") s"
began=$(now)
acct whole report -o page.html
echo "the page: $(seconds_since "$began") s, $(wc -c <page.html | tr -d ' ') bytes"
