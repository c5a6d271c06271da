# t7300-compat.sh - the interface that PyDarshan loads, called with ctypes: every record of real logs, sums, refusals
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"

[ -n "$PYTHON3" ] || skip_all 'package python3'
library=$DSN_PREFIX/lib/libdarshan-util.so
program=$DSN_SRC/test/e2e/t7300-compat.py

for base in "$DSN_SRC"/test/golden/*.base.xz; do
    log=${base%.base.xz}.darshan
    check "golden ${log##*/}" "$PYTHON3" "$program" "$library" "$log" "$base"
done

# modules and versions that no sample has: logs made at random, against what darshan-parser prints of them
random_logs() {
    seed=1
    while [ $seed -le 40 ]; do
        "$PYTHON3" "$DSN_SRC/test/decode/random_log.py" log $seed &&
            "$DSN_PREFIX/bin/darshan-parser" --base --show-incomplete log >base &&
            "$DSN_PREFIX/bin/darshan-dxt-parser" --show-incomplete log >traces &&
            "$PYTHON3" "$program" "$library" log base traces || { echo "seed $seed"; return 1; }
        seed=$((seed + 1))
    done
}
check 'random logs' random_logs

real_logs 'real logs' && set -- "$real"/*.darshan
for log; do
    ref=$real/ref/${log##*/}
    check "${log##*/}" "$PYTHON3" "$program" "$library" "$log" "$ref/parser.show-incomplete.out.xz" \
        "$ref/parser.total.out.xz" "$ref/parser.file.out.xz" "$ref/parser.perf.out.xz" "$ref/dxt.show-incomplete.out.xz"
done
finish
