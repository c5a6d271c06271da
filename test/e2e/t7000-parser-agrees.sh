# t7000-parser-agrees.sh - two independent readers, darshan-parser and the tests' decoder, agree on our logs
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"
. "$DSN_SRC/test/e2e/known.sh"

parser=$DSN_PREFIX/bin/darshan-parser

agree() {
    "$parser" --base "$1" >parsed 2>said || { cat said; return 1; }
    [ ! -s said ] || { cat said; return 1; }
    facts <parsed >ours
    decode "$1" --text | facts >theirs
    alike theirs ours
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
DARSHAN_MOD_ENABLE=APMPI
export DARSHAN_MOD_ENABLE
one preload 4 mpi-calls.c
unset DARSHAN_MOD_ENABLE
cat >idle.c <<'END'
int MPI_Init(int *, char ***);
int MPI_Finalize(void);
int main(void) { MPI_Init(0, 0); return MPI_Finalize(); }
END
fresh_logs
build plain idle idle.c && run preload 2 ./idle
check 'a program without I/O' agree "$(latest_log)"

# logs of all versions and byte orders, with all modules in all their versions; `agree.py BIN 1000 10000` for more
check 'random logs' "$PYTHON3" "$DSN_SRC/test/decode/agree.py" "$DSN_PREFIX/bin" 1 200
finish
