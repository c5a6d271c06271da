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

# a C program for Darshan's own library, and the same as C++
as_old_tools() {
    flags="-I$DSN_PREFIX/include -Wall -Werror -L$DSN_PREFIX/lib -Wl,-rpath,$DSN_PREFIX/lib"
    cp "$DSN_SRC/test/e2e/t7300-compat.c" tool.c
    cp tool.c tool.cc
    log=$DSN_SRC/test/golden/$1.darshan
    "$DSN_PREFIX/bin/darshan-parser" --base --perf --file "$log" >all || return 1
    awk '/^# exe: |^# nprocs: |^# run time: /; /^POSIX\t/ && $4 != "POSIX_RENAMED_FROM" { print $1 "\t" $2 "\t" $3 "\t" $4 "\t" $5 }
        /module data$/ { posix = / POSIX / }
        posix && /^# (total_bytes|agg_perf_by_slowest|total): /' all | sort >want
    [ "$(wc -l <want)" -gt 80 ] || { echo "no POSIX in $log"; return 1; }
    for compiler in 'cc tool.c' 'c++ tool.cc'; do
        ${compiler% *} -o tool ${compiler#* } $flags -ldarshan-util && ./tool "$log" | sort >got && diff got want || return 1
    done
}
check 'a program that includes darshan-logutils.h' as_old_tools mpi-io-test-x86_64-3.5.0

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
