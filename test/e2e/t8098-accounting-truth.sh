# t8098-accounting-truth.sh - two sites of which everything is known: answers agree with what they were made of
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"
. "$DSN_SRC/test/e2e/accounting.sh"
base truth
check 'all figures agree' sh -c '"$1" "$2" "$3" "$4" site 300 >said || { tail -n 20 said; exit 1; }' - "$PYTHON3" "$DSN_SRC/test/site/truth.py" \
    "$accounting" "$base"
check 'there are thousands of them' sh -c '[ "$(sed -n "s/.*samples: \([0-9]*\) figures.*/\1/p" said)" -gt 5000 ]'

# numbers that two machines share, autumn's repeated hour, requeued and heterogeneous jobs, samples of sadf and iostat
base berlin
check 'all figures of a site in Berlin agree' sh -c '"$1" "$2" "$3" "$4" berlin 7 local >said || { tail -n 20 said; exit 1; }' - "$PYTHON3" \
    "$DSN_SRC/test/site/berlin.py" "$accounting" "$base"
check 'there are thousands of these, too' sh -c '[ "$(sed -n "s/.*samples: \([0-9]*\) figures.*/\1/p" said)" -gt 5000 ]'
finish
