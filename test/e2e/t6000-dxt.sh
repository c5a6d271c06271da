# t6000-dxt.sh - traces: every operation, in order, with its offset; what is dropped when memory is used up
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"
. "$DSN_SRC/test/e2e/known.sh"
unset DARSHAN_CONFIG_PATH DARSHAN_MOD_ENABLE

dxt=$DSN_PREFIX/bin/darshan-dxt-parser
operations=250000
mkdir data

# traced WAY RANKS WHAT SETTING...: runs traced.c; its traces must be WHAT, the log keep all rules
traced() {
    way=$1 ranks=$2 what=$3
    shift 3
    fresh_logs
    (export "$@" && execute "$way" "$ranks" ./traced-$way "$PWD/data" $operations)
    is $? 0 "$what, $way: exit status"
    check "$what, $way: what was done" "$PYTHON3" "$DSN_SRC/test/decode/traced.py" "$(latest_log)" $operations $what
    check "$what, $way: keeps the rules" decode "$(latest_log)" --strict
}

# a million operations: 24 bytes each, and an eighth is for files that are still to come
check 'compiles' compile nonmpi ./traced-nonmpi traced.c
echo 'MAX_RECORDS 27500 DXT_POSIX' >conf
traced nonmpi 0 whole DARSHAN_MOD_ENABLE=DXT_POSIX DARSHAN_CONFIG_PATH="$PWD/conf"
"$dxt" "$(latest_log)" >out
is "$(grep -c '^ X_POSIX ' out) $(grep -c '^# DXT, left_out' out)" '1000000 0' 'whole: as text'

traced nonmpi 0 thinned DXT_ENABLE_IO_TRACE=
"$dxt" "$(latest_log)" >out 2>err
is "$? $(grep -c '^ X_' out) $(wc -l <err)" '1 0 1' 'thinned: flagged as incomplete'
"$dxt" --show-incomplete "$(latest_log)" >out
is "$(awk '/left_out/ { n += $NF } /^ X_POSIX/ { n++ } END { print n }' out)" 1000000 'thinned: what is left out is known'
left=$(awk '/left_out/ { n += $NF } END { print n }' out)
"$DSN_PREFIX/bin/darshan-job-summary" "$(latest_log)" >summary
check 'thinned: the summary says so' grep -q "^Incomplete *traces leave out $left operations" summary

# memory for nothing but the first operations of a file
operations=1000
echo 'MAX_RECORDS 1 DXT_POSIX' >conf
fresh_logs
(export DARSHAN_MOD_ENABLE=DXT_POSIX DARSHAN_CONFIG_PATH="$PWD/conf" && execute nonmpi 0 ./traced-nonmpi "$PWD/data" $operations)
check 'a KiB: keeps the rules' decode "$(latest_log)" --strict

# -- off unless asked for; triggers and names
echo '# nothing' >conf
# segments WANT NAME SETTING...: number of files with a trace
segments() {
    want=$1 what=$2
    shift 2
    fresh_logs
    (export DARSHAN_CONFIG_PATH="$PWD/conf" "$@" && execute nonmpi 0 ./traced-nonmpi "$PWD/data" 100)
    is "$("$dxt" "$(latest_log)" | grep -c '^# DXT, rank')" "$want" "$what"
}
segments 0 'off unless asked for' X=
segments 3 'all files' DARSHAN_MOD_ENABLE=DXT_POSIX
segments 0 'none without POSIX' DARSHAN_MOD_ENABLE=DXT_POSIX DARSHAN_MOD_DISABLE=POSIX
segments 3 'all are small' DXT_ENABLE_IO_TRACE= DARSHAN_DXT_SMALL_IO_TRIGGER=1
segments 3 'all but the first are unaligned' DXT_ENABLE_IO_TRACE= DARSHAN_DXT_UNALIGNED_IO_TRIGGER=0.95
segments 1 'one of 100, or of 200' DXT_ENABLE_IO_TRACE= DARSHAN_DXT_UNALIGNED_IO_TRIGGER=0.993
echo 'NAME_EXCLUDE own\.1 DXT_POSIX' >conf
segments 2 'excluded from traces by name' DXT_ENABLE_IO_TRACE=
check 'that is nothing left out' decode "$(latest_log)" --strict
is "$("$DSN_PREFIX/bin/darshan-parser" "$(latest_log)" | grep -c '^POSIX.*POSIX_OPENS')" 3 'but from traces only'

# -- MPI
all_ways() {
    DARSHAN_MOD_ENABLE=DXT_POSIX,DXT_MPIIO
    export DARSHAN_MOD_ENABLE
    for way in preload linked static; do
        known $way 4 mpi-traced.c
    done
    operations=2000
    for way in preload static; do
        check "$MPI: compiles" compile $way ./traced-$way traced.c
        traced $way 1 whole X=
    done
    unset DARSHAN_MOD_ENABLE
}
each_mpi all_ways
finish
