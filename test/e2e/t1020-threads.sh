# t1020-threads.sh - two threads on one file: no call and no byte is lost
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"
. "$DSN_SRC/test/e2e/known.sh"

known nonmpi 0 threads.c
known static 1 threads.c
finish
