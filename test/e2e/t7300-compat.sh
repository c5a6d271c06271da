# t7300-compat.sh - the interface used by PyDarshan, called by ctypes: every record of real logs, sums, errors
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

# the example, by what pkg-config says; what it prints is what darshan-parser does
example() {
    log=$DSN_SRC/test/golden/$1.darshan
    flags=$(PKG_CONFIG_PATH=$DSN_PREFIX/lib/pkgconfig pkg-config --cflags --libs darshan-util) || return 1
    cc -Wall -Wextra -Werror -o read-log "$DSN_PREFIX/share/darshan/examples/read-log.c" $flags \
        -Wl,-rpath,"$DSN_PREFIX/lib" && ./read-log "$log" >got || return 1
    "$DSN_PREFIX/bin/darshan-parser" "$log" | awk -F'\t' '/^# exe: / { exe = substr($0, 8) }
        /^# nprocs: / { print exe ", " substr($0, 11) " processes" }
        $1 == "POSIX" && $4 == "POSIX_BYTES_WRITTEN" { printf "%12s %s\n", $5, $6 }' >want
    [ "$(wc -l <want)" -gt 1 ] && diff got want
}
check 'the example program' example mpi-io-test-x86_64-3.5.0

# each function that the library exports by a public name stands in a manual page
in_manual() {
    nm -D --defined-only "$library" | sed -n 's/.* T \(darshan_[a-z_]*\).*/\1/p' | sort -u >exported
    [ "$(wc -l <exported)" -gt 60 ] || { echo "$(wc -l <exported) functions"; return 1; }
    for page in log log-writer logutils; do
        cat "$DSN_PREFIX/share/man/man3/darshan-$page.3" || return 1
    done | sed -n '/^\.SH SYNOPSIS/,/^\.SH DESCRIPTION/p' | grep -o 'darshan_[a-z_]*(' | tr -d '(' | sort -u >described
    diff exported described
}
check 'manual pages have each function of the library' in_manual

# modules and versions that no sample has: logs made at random, against what darshan-parser prints of them
random_logs() {
    seed=1
    while [ $seed -le 20 ]; do
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
