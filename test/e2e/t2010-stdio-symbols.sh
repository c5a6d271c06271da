# t2010-stdio-symbols.sh - one program compiled so that it calls other symbols: the same counters
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"
. "$DSN_SRC/test/e2e/known.sh"

known nonmpi 0 stdio-calls.c
known nonmpi 0 stdio-calls.c -D_FILE_OFFSET_BITS=64
known nonmpi 0 stdio-calls.c -O2 -D_FORTIFY_SOURCE=2
known static 1 stdio-calls.c
known static 1 stdio-calls.c -O2 -D_FORTIFY_SOURCE=2
finish
