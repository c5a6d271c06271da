# t1015-by-number.sh - system calls that a program makes by number, with syscall(), count as the functions of their names
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"
. "$DSN_SRC/test/e2e/known.sh"

case $(uname -m) in x86_64 | aarch64) ;; *) skip_all 'processor: x86_64 or aarch64' ;; esac
check 'compiles' compile nonmpi ./by-number by-number.c -D_GNU_SOURCE

# run_it HOW: bare, and with the tool
run_it() {
    rm -rf data
    mkdir data
    ./by-number "$1" data >bare 2>&1
    echo "exit status $?" >>bare
    rm -rf data
    mkdir data
    DARSHAN_LOGFILE=$PWD/$1.log execute nonmpi 0 ./by-number "$1" data >"$1.out" 2>&1
    echo "exit status $?" >>"$1.out"
    check "$1: as without the tool" alike bare "$1.out"
    decode "$1.log" --text | awk -F '\t' '$1 == "POSIX" && $4 !~ /_F_|TIME_SIZE/ { print $4, $5, $6 }' | sort >"$1.counters"
}

# counter NAME FILE
counter() {
    awk -v name="POSIX_$1" -v file="/$2\$" '$1 == name && $3 ~ file { print $2 }' number.counters
}

run_it function
run_it number
check 'the same counters' alike function.counters number.counters
is "$(counter OPENS data) $(counter BYTES_WRITTEN data) $(counter WRITES data)" '1 3000 5' 'one file by hand: opens, bytes, writes'
is "$(counter BYTES_READ reused) $(counter OPENS reused)" '0 8' 'a number given again is another file'
is "$(grep -c 'POSIX_OPENS 1 .*/many[0-9]*$' number.counters)" 300 'each of 300 files was opened once'
is "$(awk '$1 == "POSIX_BYTES_WRITTEN" && /many/ { sum += $2 } END { print sum }' number.counters)" $((299 * 300 / 2)) 'their bytes'
finish
