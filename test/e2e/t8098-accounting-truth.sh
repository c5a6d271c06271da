# t8098-accounting-truth.sh - a site of two machines of which everything is known: answers agree with what it was made of
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"
. "$DSN_SRC/test/e2e/accounting.sh"
base truth
check 'all figures agree' sh -c '"$1" "$2" "$3" "$4" site 300 >said || { tail -n 20 said; exit 1; }' - "$PYTHON3" "$DSN_SRC/test/site/truth.py" \
    "$accounting" "$base"
check 'there are thousands of them' sh -c '[ "$(sed -n "s/.*samples: \([0-9]*\) figures.*/\1/p" said)" -gt 5000 ]'
finish
