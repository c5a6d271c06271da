# t4020-hdf5-many.sh - 10,000 datasets: memory stays within the limit, totals are exact, other records are aggregated
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"
. "$DSN_SRC/test/e2e/known.sh"

h5=$(pkg-config --cflags --libs hdf5-serial 2>/dev/null) || skip_all 'package libhdf5-dev'
export DARSHAN_MODMEM=1.5 DARSHAN_NAMEMEM=0.5
known nonmpi 1 h5-many.c $h5

# peak WAY: KiB that the process had at most
peak() {
    "$PYTHON3" -c 'import resource, subprocess, sys
status = subprocess.run(sys.argv[1:]).returncode
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss if status == 0 else "failed")' "$@"
}
mkdir data
cc -o ./many "$work/h5-many.c" $h5 || not_ok 'compiles'
without=$(peak ./many "$PWD/data")
fresh_logs
with=$(peak env DARSHAN_ENABLE_NONMPI=1 "LD_PRELOAD=$preload" ./many "$PWD/data")
# 2 MiB for records and names; 10,000 handles and the library itself come to less than that again. What
# is resident differs from machine to machine by some of that.
check "memory: $without KiB without, $with with" test "$with" -lt $((without + 24 * 1024))
finish
