# t7000-parser-agrees.sh - two independent readers, darshan-parser and the tests' decoder, read the same out of our logs
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"
. "$DSN_SRC/test/e2e/known.sh"

parser=$DSN_PREFIX/bin/darshan-parser
[ -x "$parser" ] || skip_all 'darshan-parser is not installed'

facts() {
    grep -aE '^(POSIX|MPI-IO|STDIO)	|^# (darshan log version|compression method|exe|uid|jobid|start_time|end_time|nprocs|run time|metadata|job data|record table|mount entry|[A-Z0-9_/-]+ module):'
}

agree() {
    "$parser" --base "$1" >parsed 2>said || { cat said; return 1; }
    [ ! -s said ] || { cat said; return 1; }
    facts <parsed >ours
    decode "$1" --text | facts >theirs
    [ -s theirs ] && diff ours theirs | head -n 10 >difference
    [ ! -s difference ] || { cat difference; return 1; }
}

# one WAY RANKS SOURCE
one() {
    fresh_logs
    mkdir -p data
    compile "$1" ./program "$3" 2>err && execute "$1" "$2" ./program "$PWD/data" >out 2>err || cat out err
    check "$3, $1" agree "$(latest_log)"
}

one nonmpi 0 posix-basic.c
one nonmpi 0 stdio-basic.c
one preload 4 mpiio-basic.c
one preload 4 mpi-shared.c
echo 'int MPI_Init(int *, char ***); int MPI_Finalize(void); int main(void) { MPI_Init(0, 0); return MPI_Finalize(); }' >idle.c
fresh_logs
build plain idle idle.c && run preload 2 ./idle
check 'a program without I/O' agree "$(latest_log)"
finish
