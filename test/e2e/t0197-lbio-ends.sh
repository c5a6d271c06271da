# t0197-lbio-ends.sh - log-based I/O: every way of a process to end completes its files; descriptors of access mode 3
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"
check 'compiles' cc -g -Wall -o ends "$DSN_SRC/test/work/lbio-ends.c"
mkdir logs
run_logged() {
    "$DSN_PREFIX/bin/lbio" run --files "^$PWD/data$" --options "logdir=$PWD/logs" -- ./ends "$PWD/data" "$1" 2>err
}
for how in exit _exit quick_exit open; do
    is "$(run_logged $how)" '0 5' "a child that ends by $how: its parent reads what it has written"
done
is "$(run_logged 3) $(cat data)" '5 6 0 0 -1 firstsecond' 'a descriptor that cannot write is not written to'
is "$(./ends "$PWD/data" 3) $(cat data)" '5 6 0 0 -1 firstsecond' 'as without log-based I/O'
finish
