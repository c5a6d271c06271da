# t8095-accounting-sums.sh - sums in the database of a site: exact, and without undefined behaviour in SQLite's memory
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"

check 'compiles' cc -g -Wall -fsanitize=undefined -fno-sanitize-recover=all "-I$DSN_SRC/util/account" -o sums \
    "$DSN_SRC/test/work/sums.c" "$DSN_SRC/util/account/sqlite-sum.c" -lsqlite3
./sums >out 2>err
is "$? $(head -n 1 err)" '0 ' 'runs without undefined behaviour'
is "$(tr '\n' ';' <out)" '1 4;2 NULL;3 1.84467440737096e+19;4 3.5;1;4;4.5;3.5;' 'sums of groups and of windows'
finish
