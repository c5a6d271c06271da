# lib.sh - functions for end-to-end tests; to be sourced by test/e2e/t*.sh
# SPDX-License-Identifier: BSD-3-Clause
#
# A test prints TAP ("ok 1 - ...", "not ok 2 - ...") and ends with `finish`, which prints the plan: a script that ends
# elsewhere fails. A missing file that is built, or part of the sources, is a failure. test/run sets
#   DSN_SRC      the sources            DSN_PREFIX   an installation of the build
#   DSN_BUILD    the build tree         DSN_SCRATCH  an empty directory, which is the working directory
#
# Ways to instrument a program; arguments of `build` and `run`:
#   preload      the program is built without the tool and run under LD_PRELOAD
#   linked       built by the MPI's ordinary compiler command after sourcing darshan-on.sh
#   static       the same after sourcing darshan-on-static.sh: libdarshan.a with --wrap
#   plain        without the tool
# The variable MPI selects the MPI (openmpi or mpich; initially the default one).

. "$DSN_BUILD/test/config.sh"
set -u
MPI=${MPI:-$DEFAULT_MPI}
lib_count=0
lib_failed=0

# -- results ----------------------------------------------------------------------------------------------------------

# ok DESCRIPTION: reports a passed check
ok() {
    lib_count=$((lib_count + 1))
    echo "ok $lib_count - $*"
}

# not_ok DESCRIPTION [LINE]...: reports a failed check, with lines that say why
not_ok() {
    lib_count=$((lib_count + 1))
    lib_failed=$((lib_failed + 1))
    echo "not ok $lib_count - $1"
    shift
    for lib_line; do
        printf '%s\n' "$lib_line" | sed 's/^/# /'
    done
}

# skip DESCRIPTION PROPERTY: reports a check that is impossible because this machine lacks the property (a package, a
# privilege, a kernel feature)
skip() {
    lib_count=$((lib_count + 1))
    echo "ok $lib_count - $1 # skip ${2:?a skip needs the property that the machine lacks}"
}

# skip_all PROPERTY: the same for all remaining checks; ends the script
skip_all() {
    skip 'all checks' "$1"
    finish
}

# is GOT WANT DESCRIPTION
is() {
    if [ "$1" = "$2" ]; then
        ok "$3"
    else
        not_ok "$3" "got:  $1" "want: $2"
    fi
}

# check DESCRIPTION COMMAND...: passes if the command succeeds; otherwise shows its output
check() {
    lib_what=$1
    shift
    if lib_out=$("$@" 2>&1); then
        ok "$lib_what"
    else
        not_ok "$lib_what" "exit status $? of: $*" "$lib_out"
    fi
}

# alike WANT GOT: succeeds if two files are identical and not empty; otherwise shows the first differences
alike() {
    [ -s "$1" ] || { echo "nothing to compare with: $1 is missing or empty"; return 1; }
    diff "$1" "$2" >"$DSN_SCRATCH/lib.difference" 2>&1 && return 0
    head -n 10 "$DSN_SCRATCH/lib.difference"
    return 1
}

# status WANT COMMAND...: succeeds if the command exits with that status; its output is in the files out and err
status() {
    lib_want=$1
    shift
    "$@" >out 2>err
    lib_got=$?
    [ "$lib_got" = "$lib_want" ] || { echo "exit status $lib_got"; cat out err; return 1; }
}

# wait_until COMMAND...: until it succeeds, for a minute at most: then it says so, and returns 1. With eval, a condition whose
# values change: wait_until eval '[ "$(count_logs)" = 1 ]'
wait_until() {
    wait_n=0
    until "$@" 2>/dev/null; do
        wait_n=$((wait_n + 1))
        [ $wait_n -le 1200 ] || { echo "# waited in vain for: $*"; return 1; }
        sleep 0.05
    done
}

# wait_until_ended [FILE]: until darshan-recover sees no running process: those that a killed one had started end a little
# later. What it says in the end goes to the file.
wait_until_ended() {
    wait_said=${1:-$DSN_SCRATCH/lib.ended}
    wait_until eval '"$DSN_PREFIX/bin/darshan-recover" --dry-run >"$wait_said" && ! grep -q "still running" "$wait_said"'
}

# finish: prints the plan, and exits with the status
finish() {
    echo "1..$lib_count"
    [ "$lib_failed" = 0 ]
    exit
}

# real_logs DESCRIPTION: whether there are real logs in $real. They are kept beside the checkout. If they are required
# (CI=true, and not DSN_SHARED=none), their absence is a failure, otherwise a skip.
real=$DSN_SRC/../shared/logs
[ "${DSN_SHARED:-}" != none ] || real=$DSN_SRC/no-real-logs
real_logs() {
    [ ! -d "$real/ref" ] || return 0
    if [ "${CI:-}" = true ] && [ "${DSN_SHARED:-}" != none ]; then
        not_ok "$1" 'no ../shared beside the checkout (CI=true)'
    else
        skip "$1" '../shared beside the checkout'
    fi
    return 1
}

# -- building and running ---------------------------------------------------------------------------------------------

# have_mpi NAME: is that MPI (openmpi, mpich) installed?
have_mpi() {
    case $1 in
    openmpi) [ -n "$OPENMPI_CC" ] ;;
    mpich) [ -n "$MPICH_CC" ] ;;
    *) return 1 ;;
    esac
}

# compiler FILE: the compiler command of $MPI for that source; fails if there is none
compiler() {
    case $MPI,$1 in
    openmpi,*.c) lib_cc=$OPENMPI_CC ;;
    openmpi,*.cc | openmpi,*.cpp | openmpi,*.cxx) lib_cc=$OPENMPI_CXX ;;
    openmpi,*.f | openmpi,*.f90) lib_cc=$OPENMPI_FC ;;
    mpich,*.c) lib_cc=$MPICH_CC ;;
    mpich,*.cc | mpich,*.cpp | mpich,*.cxx) lib_cc=$MPICH_CXX ;;
    mpich,*.f | mpich,*.f90) lib_cc=$MPICH_FC ;;
    *) lib_cc= ;;
    esac
    [ -n "$lib_cc" ] && echo "$lib_cc"
}

# build WAY PROGRAM SOURCE [ARGUMENT]...: compiles and links; the compiler's output goes to stderr
build() {
    lib_way=$1 lib_program=$2 lib_source=$3
    shift 3
    lib_compiler=$(compiler "$lib_source") || return 1
    (
        case $lib_way in
        linked) . "$DSN_PREFIX/share/darshan/darshan-on.sh" ;;
        static) . "$DSN_PREFIX/share/darshan/darshan-on-static.sh" ;;
        esac
        exec "$lib_compiler" -g -o "$lib_program" "$lib_source" "$@" >&2
    )
}

build_plain() {
    build plain "$@"
}

build_linked() {
    build linked "$@"
}

build_static() {
    build static "$@"
}

# run WAY RANKS PROGRAM [ARGUMENT]...: runs it with $MPI; 0 ranks: without mpirun. Only the program is run with
# LD_PRELOAD, not mpirun.
run() {
    lib_way=$1 lib_ranks=$2
    shift 2
    [ "$lib_way" = preload ] && set -- env "LD_PRELOAD=$DSN_PREFIX/lib/libdarshan.so" "$@"
    case $lib_ranks,$MPI in
    0,*) "$@" ;;
    *,openmpi) "$OPENMPI_RUN" -n "$lib_ranks" "$@" ;;
    *,mpich) "$MPICH_RUN" -n "$lib_ranks" "$@" ;;
    *) return 1 ;;
    esac
}

# run_plain, run_preload RANKS PROGRAM [ARGUMENT]...
run_plain() {
    run plain "$@"
}

run_preload() {
    run preload "$@"
}

# -- logs -------------------------------------------------------------------------------------------------------------

# fresh_logs: from now on logs go to a new empty directory, $DARSHAN_LOGPATH, with the directories of the possible
# dates; darshan-mk-log-dirs would create all 731, which takes longer than most tests
lib_today=$(date +%-Y/%-m/%-d) lib_tomorrow=$(date -d tomorrow +%-Y/%-m/%-d)
fresh_logs() {
    lib_logs=$((${lib_logs:-0} + 1))
    DARSHAN_LOGPATH=$DSN_SCRATCH/logs.$lib_logs
    export DARSHAN_LOGPATH
    (umask 022 && mkdir -p -m 1777 "$DARSHAN_LOGPATH/$lib_today" "$DARSHAN_LOGPATH/$lib_tomorrow")
}

# count_logs: the number of logs
count_logs() {
    find "$DARSHAN_LOGPATH" -name '*.darshan' | wc -l | tr -d ' '
}

# latest_log: the path of the newest log; fails if there is none
latest_log() {
    lib_log=$(find "$DARSHAN_LOGPATH" -name '*.darshan' -printf '%T@ %p\n' | sort -n | tail -n 1 | cut -d' ' -f2-)
    [ -n "$lib_log" ] && echo "$lib_log"
}

# decode LOG [ARGUMENT]...: the tests' own decoder, which shares no code with our reader
decode() {
    "$PYTHON3" "$DSN_SRC/test/decode/decode.py" "$@"
}

# forge LOG <DESCRIPTION: creates a log by hand (test/decode/forge.py)
forge() {
    "$PYTHON3" "$DSN_SRC/test/decode/forge.py" "$1"
}

# Leftovers of killed programs must not outlive the test.
DARSHAN_MMAP_LOGPATH=$DSN_SCRATCH
export DARSHAN_MMAP_LOGPATH

fresh_logs
