# t8010-accounting-killed.sh - darshan-accounting ingest, killed at random and resumed, has the same result as without
# kills
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"
. "$DSN_SRC/test/e2e/accounting.sh"

logs=3000
mkdir logs
"$DSN_BUILD/test/bench/make-log" small logs $logs
cp logs/0/job7.darshan logs/same.darshan
head -c 2000 logs/1/job1007.darshan >logs/cut.darshan

"$accounting" --db whole.db init
began=$(date +%s%N)
check 'undisturbed' "$accounting" --db whole.db --jobs 1 ingest logs
took=$((($(date +%s%N) - began) / 1000000))
check 'export' "$accounting" --db whole.db export whole
is "$(wc -l <whole/log.csv) $(wc -l <whole/source.csv) $(wc -l <whole/quarantine.csv)" "$((logs + 1)) $((logs + 2)) 2" \
    'logs, sources, quarantine'

# killed DATABASE SIGNAL JOBS: a new database, and ten runs, each ended at random; says how many of them were not over yet.
# Where the machine has become faster since, the first is over: then it begins anew, and is ended earlier.
killed() {
    hit=0 most=$((took * 35 / 100))
    "$accounting" --db "$1" init
    for i in 1 2 3 4 5 6 7 8 9 10; do
        "$accounting" --db "$1" --jobs "$3" ingest logs >/dev/null 2>&1 &
        sleep "$("$PYTHON3" -c "import random; print(random.uniform(0.06, 1) * $most / 1000)")"
        kill "-$2" $! 2>/dev/null
        wait $! 2>/dev/null
        if [ $? -gt 128 ]; then
            hit=$((hit + 1))
        elif [ $hit = 0 ]; then
            most=$((most / 2))
            rm "$1"
            "$accounting" --db "$1" init
        fi
    done
    echo "$hit"
}

for how in KILL:1 TERM:1 KILL:2; do
    db=${how%:*}.${how#*:}.db
    hit=$(killed "$db" "${how%:*}" "${how#*:}")
    check "$how: some of ten runs were ended: $hit" test "$hit" -ge 1
    check "$how: what is there then is in order" "$accounting" --db "$db" check
    check "$how: the rest" "$accounting" --db "$db" --jobs "${how#*:}" ingest logs
    check "$how: is in order" "$accounting" --db "$db" check
    if [ "${how#*:}" = 1 ]; then # one reader: even the numbers of the logs are the same
        "$accounting" --db "$db" export "$db.all"
        check "$how: every table is as if nothing had happened" diff -rq whole "$db.all"
    fi
done
# -- killed while the file changes to the log of changes ahead: its last change is half in the file
half_done() {
    cp TERM.1.db half.db
    "$PYTHON3" -c 'import os, sqlite3
db = sqlite3.connect("half.db", isolation_level=None)
db.execute("PRAGMA journal_mode = DELETE")
db.execute("PRAGMA cache_size = 1")
db.execute("BEGIN IMMEDIATE")
db.execute("DELETE FROM log")
os._exit(0)'
    test -s half.db-journal
}
check 'half done: what a killed writer leaves' half_done
check 'half done: a reader takes it back' "$accounting" --db half.db check
check 'half done: and exports' "$accounting" --db half.db export half
"$accounting" --db TERM.1.db export full
check 'half done: all that there was before' diff -rq full half

"$accounting" --db KILL.2.db export two
# with two readers the numbers may differ: column 1 of logs, 1 and 2 of records, the last of sources
is "$(cut -d, -f2- two/log.csv | sort | cksum)" "$(cut -d, -f2- whole/log.csv | sort | cksum)" 'two readers: the same logs'
is "$(cut -d, -f3- two/posix_record.csv | sort | cksum)" "$(cut -d, -f3- whole/posix_record.csv | sort | cksum)" \
    'two readers: the same records'
is "$(sed 's/,[0-9]*$//' two/source.csv | sort | cksum)" "$(sed 's/,[0-9]*$//' whole/source.csv | sort | cksum)" \
    'two readers: the same sources'

"$accounting" --db TERM.1.db --jobs 1 ingest logs >out
is "$(sed 's/ in [0-9.]* s ([0-9]* a second)//' out)" \
    "0 logs taken, $((logs + 2)) known already, 0 the same as others, 0 in quarantine, 0 not readable" 'nothing is left to do'
finish
