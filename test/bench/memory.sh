#!/bin/sh
# memory.sh - `make bench-start`: what the library adds to a program's memory and to the stack of its signal handlers
# SPDX-License-Identifier: BSD-3-Clause
#
# Usage: memory.sh LIBRARY DIRECTORY. How many pages of libraries are resident depends on the kernel, the C library and the
# file system, what a first call needs on the stack on the processor: figures beside their bounds, no tests. Logs go below
# DIRECTORY, survival files where they go without settings.
set -eu
library=$1 directory=$2
work=$(cd "$(dirname "$0")/../work" && pwd)
unset DARSHAN_MMAP_LOGPATH DARSHAN_MODMEM DARSHAN_NAMEMEM
cd "$directory"

# line WHAT UNIT BARE WITH BOUND
line() {
    printf '%-34s %-5s %9s %9s %9s %7s\n' "$1" "$2" "$3" "$4" $(($4 - $3)) "$5"
}

tool() {
    DARSHAN_ENABLE_NONMPI=1 DARSHAN_LOGFILE=log LD_PRELOAD=$library "$@"
    rm -f log
}

# each_log COMMAND...: for one that starts many programs
each_log() {
    DARSHAN_ENABLE_NONMPI=1 DARSHAN_LOGPATH=$PWD/logs LD_PRELOAD=$library "$@"
}

printf '%-34s %-5s %9s %9s %9s %7s\n' memory '' bare with above bound
mkdir -p logs data
for day in 0 1; do # midnight may come
    mkdir -p "logs/$(date -d "+$day day" +%-Y/%-m/%-d)"
done
${CC:-cc} -O2 -o one-file "$work/one-file.c"
${CC:-cc} -O2 -static -o resident "$work/resident.c"
for how in plain stream; do
    bare=$(./resident 30 ./one-file $how line)
    line "one file, $how" KiB "$bare" "$(each_log ./resident 30 ./one-file $how line)" 1024
done
${CC:-cc} -g -o million "$work/million.c" -lpthread
for threads in 1 8; do
    bare=$(./million "$PWD/data" 100000 $threads)
    with=$(tool ./million "$PWD/data" 100000 $threads)
    line "100,000 files, $threads threads" KiB "${bare%% *}" "${with%% *}" 4096
done
${CC:-cc} -g -o storms "$work/storms.c" -lpthread
bare=$(./storms "$PWD/data" stacks)
with=$(tool ./storms "$PWD/data" stacks)
line 'stack of a handler, first calls' bytes "${bare%% *}" "${with%% *}" 2048
line 'stack of a handler, later calls' bytes "${bare##* }" "${with##* }" 1024
