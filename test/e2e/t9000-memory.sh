# t9000-memory.sh - more files than there is memory for: recording gets coarser, no total is wrong
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"
. "$DSN_SRC/test/e2e/known.sh"

DARSHAN_MODMEM=0.25
DARSHAN_NAMEMEM=0.125
export DARSHAN_MODMEM DARSHAN_NAMEMEM
known nonmpi 0 many-files.c
known preload 1 many-files.c
known static 1 many-files.c
finish
