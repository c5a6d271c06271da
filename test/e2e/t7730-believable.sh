# t7730-believable.sh - no report says what cannot be: times longer than the run, parts that do not add up, shares above 100 %
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"

[ -n "$PYTHON3" ] || skip_all 'package python3'
summary=$DSN_PREFIX/bin/darshan-job-summary
decode=$DSN_SRC/test/decode

for seed in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do
    "$PYTHON3" "$decode/random_log.py" "random-$seed.darshan" $seed
done
"$PYTHON3" "$DSN_SRC/test/e2e/believable_logs.py" . >made
is "$("$PYTHON3" "$decode/believable.py" "$summary" ./*.darshan)" '' 'generated logs: threads, layers, shared records, and nonsense'
is "$("$PYTHON3" "$decode/believable.py" "$summary" "$DSN_SRC"/test/judged/*.darshan "$DSN_SRC"/test/golden/*.darshan)" '' 'real logs'
while read -r log what; do
    "$summary" --json "$log.darshan" >"$log.json"
    is "$("$PYTHON3" "$DSN_SRC/test/e2e/believable_logs.py" --judge "$log.json" $what)" '' "$log: $what"
done <made
finish
