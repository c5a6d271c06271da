#!/bin/sh
# calls.sh - `make bench-calls`: time added to each call, compared with its bound and release 3.5.0
# SPDX-License-Identifier: BSD-3-Clause
#
# Usage: calls.sh BUILD LIBRARY [PATTERN]. LIBRARY is an installed one, whose part for an MPI lies beside it. Files are
# made on a tmpfs of our own where we may mount one (root), else below $BENCH_DIR (default: $TMPDIR or /tmp), which no
# default rule may exclude. For a quiet machine: figures are ratios within a run, but a busy one takes the caches away.
set -eu
build=$(cd "$1" && pwd) library=$2 pattern=${3:-*}
if [ "$(id -u)" = 0 ] && [ -z "${BENCH_MOUNTED:-}" ] && unshare -m true 2>/dev/null; then
    exec env BENCH_MOUNTED=yes unshare -m sh "$0" "$build" "$library" "$pattern"
fi
work=$(mktemp -d "${BENCH_DIR:-${TMPDIR:-/tmp}}/bench.XXXXXX")
trap 'cd /; [ -z "${BENCH_MOUNTED:-}" ] || umount "$work"; rm -rf "$work"' EXIT
[ -z "${BENCH_MOUNTED:-}" ] || mount -t tmpfs tmpfs "$work"
unset DARSHAN_DISABLE DARSHAN_ENABLE_NONMPI DARSHAN_CONFIG_PATH DARSHAN_MODMEM

# run TITLE SETTING... PATTERN
run() {
    printf '\n%s\n' "$1"
    shift
    mkdir "$work/files"
    env LD_PRELOAD="$library" DARSHAN_LOGFILE="$work/log" "$@"
    rm -rf "$work/files" "$work/log"
}

run 'Files have records of their own' DARSHAN_ENABLE_NONMPI=1 DARSHAN_MODMEM=32 "$build/test/bench/calls" "$work/files" "$pattern"
printf 'MAX_RECORDS 4000000 DXT_POSIX\n' >"$work/conf"
run 'Traced (bound of each: 1.4)' DARSHAN_ENABLE_NONMPI=1 DARSHAN_MODMEM=32 DARSHAN_MOD_ENABLE=DXT_POSIX DARSHAN_CONFIG_PATH="$work/conf" "$build/test/bench/calls" "$work/files" 'p*'
run 'Traced, and the memory for it is used up' DARSHAN_ENABLE_NONMPI=1 DARSHAN_MODMEM=32 DARSHAN_MOD_ENABLE=DXT_POSIX "$build/test/bench/calls" "$work/files" 'p*'
run 'Memory is used up: new files are counted together' DARSHAN_ENABLE_NONMPI=1 "$build/test/bench/calls" "$work/files" 'open+close*'
run 'Loaded, but disabled (bound: 0.1)' DARSHAN_DISABLE=1 "$build/test/bench/calls" "$work/files" "$pattern"

# MPI-IO, and MPI's calls where they are counted (APMPI): runs with and without the library in turns
[ -x "$build/test/bench/mpi-calls" ] || exit 0
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
printf '\n%-46s %9s %9s %7s %7s %8s\n' 'MPI-IO and POSIX underneath, ns a call' bare added ratio bound original
for turn in 1 2 3 4 5 6 7; do
    printf 'bare '
    "$build/test/bench/mpi-calls" "$work/mpi.dat"
    printf 'added '
    env LD_PRELOAD="$library" DARSHAN_LOGFILE="$work/log" "$build/test/bench/mpi-calls" "$work/mpi.dat"
    printf 'counted '
    env LD_PRELOAD="$library" DARSHAN_LOGFILE="$work/log2" DARSHAN_MOD_ENABLE=APMPI "$build/test/bench/mpi-calls" "$work/mpi.dat"
    [ -s "$work/log" ] && [ -s "$work/log2" ] || { echo "calls.sh: MPI's calls were not recorded" >&2; exit 1; }
    rm -f "$work/log" "$work/log2"
done | awk '
    function median(v, n,    i, j, t) {
        for (i = 2; i <= n; i++)
            for (j = i; j > 1 && v[j - 1] > v[j]; j--) { t = v[j]; v[j] = v[j - 1]; v[j - 1] = t }
        return v[int((n + 1) / 2)]
    }
    $1 == "bare" { n++; bw[n] = $2; br[n] = $3; c[n] = $4; bm[n] = $5 }
    $1 == "added" { aw[n] = $2 - bw[n]; ar[n] = $3 - br[n]; am[n] = $5 - bm[n] }
    $1 == "counted" { cm[n] = $5 - bm[n] }
    END {
        if (n < 7)
            exit 1
        for (i = 1; i <= n; i++) { sw[i] = aw[i]; sr[i] = ar[i] }
        clock = median(c, n)
        w = median(sw, n); r = median(sr, n)
        printf "%-46s %9.1f %9.1f %7.2f %7.1f %8.1f\n", "MPI_File_write_at 1 byte", median(bw, n), w, w / clock, 3, 8.8
        printf "%-46s %9.1f %9.1f %7.2f %7.1f %8.1f\n", "MPI_File_read_at 1 byte", median(br, n), r, r / clock, 3, 8.8
        m = median(cm, n); o = median(am, n); bare = median(bm, n)
        printf "%-46s %9.1f %9.1f %7.2f %7.1f %8s\n", "MPI_Sendrecv 1 byte, with APMPI", bare, m, m / clock, 1.2, "-"
        printf "%-46s %9.1f %9.1f %7.2f %7.1f %8s\n", "MPI_Sendrecv 1 byte, without", bare, o, o / clock, 0.1, "-"
    }'
