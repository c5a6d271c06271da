# t1090-mmap-allocator.sh - an allocator that calls mmap from inside malloc, before and behind the library in the order of
# search: nobody waits for anybody, and mappings of files are counted
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"
. "$DSN_SRC/test/e2e/known.sh"

check 'the allocator compiles' cc -g -Wall -shared -fPIC -fno-builtin -o allocator.so "$work/allocator.c"
check 'the program compiles' compile nonmpi ./program posix-names.c
for order in "$PWD/allocator.so $preload" "$preload $PWD/allocator.so"; do
    fresh_logs
    rm -rf data
    mkdir data
    what=$([ "${order%% *}" = "$preload" ] && echo behind || echo before)
    check "$what the library: runs" timeout 200 env DARSHAN_ENABLE_NONMPI=1 "LD_PRELOAD=$order" ./program "$PWD/data"
    check "$what the library: counters" wanted "$(latest_log)" "$PWD/data" 0 posix-names.want
done
finish
