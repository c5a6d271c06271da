# t9210-endings.sh - however a program ends, there is one log with everything it did, and it ends as without
# instrumentation
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"
. "$DSN_SRC/test/e2e/known.sh"
. "$DSN_SRC/test/e2e/endings.sh"

ways='exit _exit _Exit quick_exit abort segv term kill handled handled-and-dies exec exec-static exec-fails'
program=$PWD/plain
check 'compiles without MPI' cc -g -Wall -o plain "$work/endings.c"
check 'compiles, static' cc -g -static -o plain-static "$work/endings.c"
for way in $ways; do
    alone 'without MPI' "$way" DARSHAN_ENABLE_NONMPI=1
done
finish
