# t1070-uring.sh - io_uring through liburing: exact counters in every way
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"
. "$DSN_SRC/test/e2e/known.sh"

echo '#include <liburing.h>' | cc -E - >/dev/null 2>&1 || skip_all 'package liburing-dev'
echo '#include <liburing.h>' | cc -E - | grep -q io_uring_prep_openat_direct || skip_all 'liburing 2.1'
compile nonmpi ./probe uring.c -luring
mkdir data
./probe data
[ $? -ne 77 ] || skip_all 'kernel: io_uring'

known nonmpi 0 uring.c -luring
known preload 1 uring.c -luring
known static 1 uring.c -luring
finish
