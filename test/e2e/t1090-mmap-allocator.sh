# t1090-mmap-allocator.sh - an allocator that calls mmap inside malloc, before and after the library in search order: no
# deadlock, and mappings of files are counted; and one that opens files
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
# an allocator that opens files while it holds its lock, and expressions, whose matching allocates: no thread waits for
# another one
check 'the allocator that opens files compiles' cc -g -O1 -Wall -D_GNU_SOURCE -DALLOCATOR -shared -fPIC -fno-builtin \
    -o opens.so "$work/allocator-opens.c" -lpthread
check 'the program compiles' cc -g -O1 -Wall -D_GNU_SOURCE -fno-builtin -o opens "$work/allocator-opens.c" -lpthread
fresh_logs
rm -rf data
mkdir data
echo 'NAME_EXCLUDE file[.]1[.] *' >conf
check 'expressions: runs' timeout 200 env DARSHAN_ENABLE_NONMPI=1 DARSHAN_CONFIG_PATH="$PWD/conf" DARSHAN_MODMEM=16 \
    DARSHAN_NAMEMEM=4 "ALLOCATOR_FILES=$PWD/data" "LD_PRELOAD=$preload $PWD/opens.so" ./opens "$PWD/data"
"$DSN_PREFIX/bin/darshan-parser" --base "$(latest_log)" >base
is "$(grep -c 'POSIX_BYTES_WRITTEN.*/data/file[.]' base)" 600 'expressions: all files but those that are excluded'
is "$(grep 'POSIX_BYTES_WRITTEN.*/data/file[.]' base | awk '{ n += $5 } END { print n }')" 600 'expressions: their bytes'
# a program that is not recorded: the library asks nobody for memory
check 'the allocator that writes lines compiles' cc -g -Wall -shared -fPIC -fno-builtin -o lines.so "$work/hooked-malloc.c"
calls() {
    rm -f malloc.log
    : >malloc.log # of none there is no line
    env -u DARSHAN_ENABLE_NONMPI "LD_PRELOAD=$1" true
    grep -c . malloc.log
}
if [ "$(printf '%s\n' 2.34 "$(getconf GNU_LIBC_VERSION | cut -d' ' -f2)" | sort -V | head -n 1)" = 2.34 ]; then
    is "$(calls "$PWD/lines.so $preload")" "$(calls "$PWD/lines.so")" 'not enabled: calls of malloc are those of the program'
else
    skip 'not enabled: calls of malloc' 'glibc 2.34' # older ones ask for memory to say that a function is not there
fi
finish
