# t7300-compat.sh - the interface that PyDarshan loads, called with ctypes: every record of real logs, sums, refusals
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"

[ -n "$PYTHON3" ] || skip_all 'there is no python3'
library=$DSN_PREFIX/lib/libdarshan-util.so
program=$DSN_SRC/test/e2e/t7300-compat.py

for base in "$DSN_SRC"/test/golden/*.base.xz; do
    log=${base%.base.xz}.darshan
    check "golden ${log##*/}" "$PYTHON3" "$program" "$library" "$log" "$base"
done

shared=$DSN_SRC/../shared/logs
[ -d "$shared" ] || skip 'the sample logs' 'no ../shared beside the checkout'
for log in "$shared"/*.darshan; do
    [ -f "$log" ] || continue
    ref=$shared/ref/${log##*/}
    check "${log##*/}" "$PYTHON3" "$program" "$library" "$log" "$ref/parser.show-incomplete.out.xz" \
        "$ref/parser.total.out.xz" "$ref/parser.file.out.xz" "$ref/parser.perf.out.xz" "$ref/dxt.show-incomplete.out.xz"
done
finish
