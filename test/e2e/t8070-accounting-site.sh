# t8070-accounting-site.sh - a small version of `make site`: killed ten times, the database is the same
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"
. "$DSN_SRC/test/e2e/accounting.sh"

ACCOUNTING=$accounting MAKE_LOGS=$DSN_BUILD/test/site/make-logs sh "$DSN_SRC/test/site/site.sh" site 3000 9 20000 >said 2>&1
is "$?" 0 'made, ingested, killed, resumed, compared' || cat said
is "$(grep -c 'both databases are the same' said)" 1 'the databases are the same'
check 'some of ten runs were ended' sh -c 'ended=$(sed -n "s/^killed: \([0-9]*\) of 10 runs/\1/p" said); [ "$ended" -ge 2 ]'
check 'what they had taken stayed' sh -c 'rest=$(sed -n "s/^the rest: \([0-9]*\) logs taken.*/\1/p" said); [ "$rest" -lt 3000 ]'

# what is known of the logs without looking at them: every fifth is a second run in a job, every third of those left a
# job without a log beside it
db=site/whole.db
is "$(figures overall '[(r["logs"], r["jobs"], r["programs"]) for r in rows]')" '[(3000, 2400, 10)]' 'logs, jobs, programs'
is "$(figures coverage '[(r["jobs"], r["logged_jobs"]) for r in rows]')" '[(3400, 2400)]' 'jobs of the scheduler'
is "$(figures growth '[(r["files_before"], r["files"]) for r in rows]')" '[(15000, 20000)]' 'files of the two snapshots'
is "$(figures gaps '[r["minutes"] for r in rows]')" '[2880]' 'two days without samples'
finish
