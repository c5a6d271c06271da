# t1080-posix-edges.sh - calls that fail or move nothing, and descriptors that are replaced unseen: exact counters
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"
. "$DSN_SRC/test/e2e/known.sh"

all_ways() {
    for way in preload static; do
        known $way 1 posix-edges.c
    done
}

# given OPTION...: with the descriptors that given.c says
given() {
    rm -rf given.data
    mkdir given.data
    head -c 1000 /dev/zero >given.data/in.dat
    head -c 100 /dev/zero >given.data/log.dat
    cp given.data/log.dat given.data/later.dat
    (
        exec 6>given.data/gone.dat 7>pipe 8<>given.data/later.dat 5>>given.data/log.dat
        rm given.data/gone.dat
        exec "$@" <given.data/in.dat >given.data/out.dat 2>&1
    )
}

exec 7>"$DSN_SCRATCH/inherited.dat"
known nonmpi 0 posix-edges.c
known nonmpi 0 posix-edges.c -D_FILE_OFFSET_BITS=64
exec 7>&-
each_mpi all_ways

# -- descriptors that a program is given when it is started: by a program without the tool, by one that has it
check 'given descriptors: compiles' cc -g -Wall -o program "$work/given.c"
mkfifo pipe
exec 9<>pipe
fresh_logs
check 'given descriptors: runs' given env DARSHAN_ENABLE_NONMPI=1 "LD_PRELOAD=$preload" ./program
check 'given descriptors: counters' wanted "$(latest_log)" "$PWD" 0 given.want
fresh_logs
check 'given descriptors, of a process tree: runs' given env DARSHAN_ENABLE_NONMPI=1 "LD_PRELOAD=$preload" \
    sh -c './program; exit $?'
check 'given descriptors, of a process tree: counters' decode "$(latest_log)" --strict --want "$work/given-tree.want"
exec 9>&-

# -- what waits for other processes
fresh_logs
known nonmpi 0 channels.c

# -- what a shell redirects is its commands' output, of whatever name; what is no file is not in the log
fresh_logs
head -c 100000 /dev/urandom >a
env DARSHAN_ENABLE_NONMPI=1 "LD_PRELOAD=$preload" sh -c 'gzip -c a >b; cat <a | cat >c; exec cat a' >d
printf '%s\n' "sum POSIX */b POSIX_BYTES_WRITTEN $(wc -c <b)" 'sum POSIX */c POSIX_BYTES_WRITTEN 100000' \
    'sum POSIX */d POSIX_BYTES_WRITTEN 100000' 'sum POSIX */a POSIX_BYTES_READ 300000' 'exe sh?-c?gzip*' >redirected.want
check 'redirected by a shell: bytes, and the name of the job' decode "$(latest_log)" --strict --want redirected.want
check "redirected by a shell: the log's name" expr "$(basename "$(latest_log)")" : '[^_]*_\(sh\|dash\|bash\)_id'
fresh_logs
env DARSHAN_ENABLE_NONMPI=1 "LD_PRELOAD=$preload" env NAME=value sh -c 'exec cat a' >d
echo 'exe cat?a' >started.want
check 'programs that only start another one do not name the job' decode "$(latest_log)" --strict --want started.want

# -- what it redirects for its own commands, and for a while: dup2 onto the descriptor of its stream
if command -v bash >/dev/null 2>&1; then
    fresh_logs
    env DARSHAN_ENABLE_NONMPI=1 "LD_PRELOAD=$preload" \
        bash -c 'for i in 1 2 3; do echo "line $i"; done >e; exec 3>&1 >g; echo later; exec >&3; echo back' | cat >h
    is "$(wc -c <e) $(wc -c <g) $(cat h)" '21 6 back' 'redirected for a while: what the shell writes'
    printf '%s\n' 'sum STDIO */e STDIO_BYTES_WRITTEN 21' 'sum STDIO */g STDIO_BYTES_WRITTEN 6' \
        'sum STDIO <STDOUT> STDIO_BYTES_WRITTEN 5' >while.want
    check 'redirected for a while: counted in the file that is written' decode "$(latest_log)" --strict --want while.want

    fresh_logs
    env DARSHAN_ENABLE_NONMPI=1 "LD_PRELOAD=$preload" \
        bash -c 'exec >i; echo 1234; echo a >j; echo 5678; echo b >j; echo c >>j; echo d >>j; echo 9'
    is "$(wc -c <i) $(wc -c <j)" '12 6' 'redirected again: what the shell writes'
    printf '%s\n' 'sum STDIO */i STDIO_BYTES_WRITTEN 12' 'sum STDIO */i STDIO_MAX_BYTE_WRITTEN 11' \
        'sum STDIO */j STDIO_BYTES_WRITTEN 8' 'sum STDIO */j STDIO_MAX_BYTE_WRITTEN 5' >again.want
    check 'redirected again: the highest offset is one that the file had' decode "$(latest_log)" --strict --want again.want
else
    skip 'redirected for a while' 'command bash'
fi

# -- standard streams that are files
cat >streams.c <<'END'
#include <stdio.h>
int main(void)
{
    int c;

    while ((c = getchar()) != EOF)
        putchar(c);
    fputs("said\n", stderr);
    return fflush(stdout);
}
END
check 'standard streams: compiles' cc -o streams streams.c
fresh_logs
head -c 1000 a >d
env DARSHAN_ENABLE_NONMPI=1 "LD_PRELOAD=$preload" ./streams <a >>d 2>e
printf '%s\n' 'STDIO 0 */a STDIO_OPENS 0' 'STDIO 0 */a STDIO_BYTES_READ 100000' 'STDIO 0 */d STDIO_BYTES_WRITTEN 100000' \
    'STDIO 0 */d STDIO_MAX_BYTE_WRITTEN 100999' 'STDIO 0 */e STDIO_BYTES_WRITTEN 5' 'records STDIO 3' >files.want
check 'standard streams that are files are these' decode "$(latest_log)" --strict --want files.want
fresh_logs
cat a | env DARSHAN_ENABLE_NONMPI=1 "LD_PRELOAD=$preload" ./streams 2>&1 >/dev/null | cat >f
printf '%s\n' 'STDIO 0 <STDIN> STDIO_BYTES_READ 100000' 'STDIO 0 <STDOUT> STDIO_BYTES_WRITTEN 100000' \
    'STDIO 0 <STDERR> STDIO_BYTES_WRITTEN 5' 'records STDIO 3' >streams.want
check 'others keep their names' decode "$(latest_log)" --strict --want streams.want
finish
