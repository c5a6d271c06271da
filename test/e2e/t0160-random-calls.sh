# t0160-random-calls.sh - random sequences of calls: the behaviour is unchanged, and the counters are exact
# SPDX-License-Identifier: BSD-3-Clause
#
# RANDOM_SECONDS (make transparency) goes on so long, with ever new seeds from RANDOM_SEED on.
. "$DSN_SRC/test/lib/lib.sh"
. "$DSN_SRC/test/e2e/known.sh"

# program COMMAND...: compiles it with that command
program() {
    "$@" "$work/random-calls.c" "$work/random-posix.c" "$work/random-stdio.c" "$work/random-wild.c" ${mpi_flag:-}
}
check 'compiles' program cc -g -O1 -Wall -o random
# What the program is given as its standard streams lies where paths are excluded, so that the books need not say from which call
# on each is known; t1080 is about those that count.
given=$(mktemp -d /dev/shm/t0160.XXXXXX) || given=$(mktemp -d /var/tmp/t0160.XXXXXX)
trap 'rm -rf "$given"' EXIT
echo '10 20 thirty 40' >"$given/input"
printf 'NAME_EXCLUDE /f1[0-9]$,/f3$ POSIX,STDIO\nMAX_RECORDS 1000 *\n' >exclude.conf
printf 'MAX_RECORDS 5 POSIX,STDIO\n' >fold.conf

# once DIRECTORY SEED STEPS KIND: runs the program in a new directory, which is called the same each time
once() {
    once_dir=$1
    rm -rf here
    mkdir here
    timeout 200 ${tool:-} ./random "$PWD/here" "$2" "$3" "$PWD/trace" "$PWD/books" "$4" <"$given/input" >"$given/out" 2>"$given/err"
    echo "exit status $?" >>trace
    rm -rf "$once_dir"
    mkdir "$once_dir"
    (cd here && for file in *; do [ -f "$file" ] && stat -c '%n %F %a %s %h' "$file"; done) >>trace
    mv here trace "$given/out" "$given/err" books "$once_dir"
}

# same: is what the program saw and left behind as without the tool?
same() {
    diff -r --no-dereference bare tool >difference
}

# exact AWK-CONDITION: the log's counters are those of the books
exact() {
    decode log --text >text && awk -F '\t' -v "how=$1" '
        function sum_of(what) { return what ~ /^POSIX|^STDIO/ ? how == "sums" : 0 }
        FNR == 1 { file++ }
        file == 1 { key = how == "sums" ? $1 "\t" $2 : $1 "\t" $2 "\t" $3; want[key] += $4; next }
        /^(POSIX|STDIO)\t/ { key = how == "sums" ? $1 "\t" $4 : $1 "\t" $4 "\t" $6; got[key] += $5 }
        how == "exclude" && /^(POSIX|STDIO)\t.*\/(f1[0-9]|f3)\t/ { print "is excluded: " $0; bad = 1 }
        END {
            for (key in want) {
                if (got[key] != want[key]) { print key ": " got[key] + 0 ", not " want[key]; bad = 1 }
                n++
            }
            exit bad || n < 18
        }' tool/books text
}

# try NAME HOW SEED STEPS KIND VARIABLE=VALUE...: with the tool and those settings, against what was done without
try() {
    try_name=$1 try_how=$2 try_seed=$3 try_steps=$4 try_kind=$5
    shift 5
    rm -f log
    tool="env LD_PRELOAD=$preload DARSHAN_LOGFILE=$PWD/log $*" once tool "$try_seed" "$try_steps" "$try_kind"
    if ! same; then
        not_ok "$try_name, seed $try_seed: same as without" "$(head -n 20 difference)"
        return
    fi
    case $try_how in
    off) is "$(ls log 2>/dev/null)" '' "$try_name, seed $try_seed: same as without, and no log" ;;
    *) check "$try_name, seed $try_seed: same as without, and counts are exact" exact "$try_how" ;;
    esac
}

seed() {
    on=DARSHAN_ENABLE_NONMPI=1
    tool= once bare "$1" "$2" wild
    try enabled files "$1" "$2" wild $on
    try 'only preloaded' off "$1" "$2" wild NOTHING=1
    tool= once bare "$1" "$2" excluding
    try excluding exclude "$1" "$2" excluding $on "DARSHAN_CONFIG_PATH=$PWD/exclude.conf"
    tool= once bare "$1" "$2" tame
    try 'small memory' sums "$1" "$2" tame $on DARSHAN_MODMEM=0.25 DARSHAN_NAMEMEM=64K
    try 'folded' sums "$1" "$2" tame $on "DARSHAN_CONFIG_PATH=$PWD/fold.conf"
}

first=${RANDOM_SEED:-1}
until=$(($(date +%s) + ${RANDOM_SECONDS:-0}))
for i in 1 2 3; do
    seed $((first + i)) 4000
done
while [ "$(date +%s)" -lt "$until" ] && [ "$lib_failed" = 0 ]; do
    i=$((i + 1))
    seed $((first + i)) 20000
done

# Linked statically: an MPI program. Its descriptors are the MPI's, too, so it is compared with itself, unlinked.
with_mpi() {
    mpi_flag=-DWITH_MPI
    check "$MPI: compiles" program build plain ./random
    check "$MPI: compiles statically" program build static ./random-static
    tool= once bare "$first" 4000 wild
    cp random-static random
    rm -f log
    DARSHAN_LOGFILE=$PWD/log
    export DARSHAN_LOGFILE
    tool= once tool "$first" 4000 wild
    unset DARSHAN_LOGFILE
    check "$MPI, static: same as without" same
    check "$MPI, static: counts are exact" exact files
}
each_mpi with_mpi
finish
