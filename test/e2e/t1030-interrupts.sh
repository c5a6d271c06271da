# t1030-interrupts.sh - I/O in signal handlers, exit during I/O, the smallest stack: no hang, no crash, correct sums
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"
. "$DSN_SRC/test/e2e/known.sh"

interrupted() {
    check "signals, $1: compiles" compile "$1" "./signals-$1" signals.c
    mkdir "data-$1"
    for round in 1 2 3; do
        fresh_logs
        handled=$(execute "$1" 1 "./signals-$1" "$PWD/data-$1")
        log=$(latest_log)
        missed=$(decode "$log" | sed -n 's/.*"RANK_MISSED": \([0-9]*\).*/\1/p')
        check "signals, $1, round $round" decode "$log" --strict --want "$work/signals.want" \
            -D "rank=$2" -D "handled=$handled" -D "missed=$missed"
    done
}

interrupted nonmpi 0
interrupted static -1
for round in 1 2 3 4 5; do
    known nonmpi 0 exit-busy.c
done
known nonmpi 0 small-stack.c
known static 1 small-stack.c
finish
