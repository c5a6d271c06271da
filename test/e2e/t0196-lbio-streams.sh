# t0196-lbio-streams.sh - streams of C under log-based I/O: the same results, errors and files as without it, logged in large
# pieces; what was flushed survives a kill; a full file system is reported; Darshan counts the same
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"
bin=$DSN_PREFIX/bin
library=$DSN_PREFIX/lib/liblbio.so
work=$DSN_SRC/test/work
mkdir logs
export LBIO_OPTS="logdir=$PWD/logs"
no_logs() { [ -z "$(ls -A logs)" ]; }
figure() { awk -v "of=$1=" '/^process/ { for (i = 5; i <= NF; i++) if (index($i, of) == 1) n += substr($i, length(of) + 1) } END { print n + 0 }' report; }

# both OPTIONS COMMAND DIRECTORY ARGUMENT...: runs it without the library in `bare`, with it in `logged`; all must be alike
both() {
    options=$1 command=$2
    shift 2
    rm -rf data bare logged report
    mkdir data
    timeout 120 "$command" data "$@" >bare.out 2>bare.err
    echo "exit status $?" >>bare.out
    mv data bare
    mkdir data
    env LBIO_PATTERN="^$PWD/data/" LBIO_OPTS="$LBIO_OPTS,report=$PWD/report,$options" LD_PRELOAD="$library" \
        timeout 120 "$command" data "$@" >logged.out 2>logged.err
    echo "exit status $?" >>logged.out
    mv data logged
    diff bare.out logged.out && diff bare.err logged.err && diff -r bare logged && no_logs &&
        [ "$(tail -n 1 bare.out)" = 'exit status 0' ]
}

# -- each function -----------------------------------------------------------------------------------------------------
check 'compiles' cc -Wall -Wextra -O1 -o stdio "$work/lbio-stdio.c" -lpthread
for options in threshold=1g threshold=0 threshold=64k,order=window,fsync=log shared=log,merge=64k; do
    check "the functions of <stdio.h>, $options: the same" both "$options" ./stdio
    check 'bytes were logged' test "$(figure bytes)" -gt 2000000
done
check 'more than 500 calls' test "$(grep -c ' = ' bare.out)" -gt 500

# -- random calls ------------------------------------------------------------------------------------------------------
check 'compiles' cc -Wall -Wextra -O1 -o random "$work/lbio-stdio-random.c"
seed=0
for options in threshold=1g threshold=0 threshold=100k,maxlog=2m; do
    for i in 1 2; do
        seed=$((seed + 1))
        check "10,000 random calls, seed $seed, $options: the same" both "$options" ./random $seed 10000
        check 'bytes were logged' test "$(figure bytes)" -gt 5000000
    done
done

# -- small lines -------------------------------------------------------------------------------------------------------
cat >lines.c <<'CODE'
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    FILE *f = fopen(argv[1], "w");
    for (long i = 0; i < 1000000; i++)
        fprintf(f, "line %ld\n", i);
    return fclose(f) == 0 && argc > 1 ? 0 : 1;
}
CODE
check 'compiles' cc -O1 -o lines lines.c
rm -f report
check 'a million lines' env LBIO_PATTERN="^$PWD/logged.lines" LBIO_OPTS="$LBIO_OPTS,report=$PWD/report" LD_PRELOAD="$library" ./lines logged.lines
seq 0 999999 | sed 's/^/line /' >want
check 'all of them' cmp want logged.lines
is "$(figure bytes) $(figure direct_files)" "$(wc -c <want) 0" 'all bytes were logged'
check 'in pieces of 64 KiB' test "$(figure writes)" -le $(($(wc -c <want) / 65536 + 1))

# -- kills -------------------------------------------------------------------------------------------------------------
cat >killed.c <<'CODE'
#include <stdio.h>
int main(void)
{
    FILE *f = fopen("killed", "w");
    for (long i = 0; ; i++) {
        fprintf(f, "%09ld %0990d\n", i, 0);
        if (i % 7 == 6 && fflush(f) == 0) {
            printf("%ld\n", i + 1);
            fflush(stdout);
        }
    }
}
CODE
check 'compiles' cc -O1 -o killed.bin killed.c
for try in 1 2 3 4; do
    rm -f killed progress
    env "LBIO_OPTS=$LBIO_OPTS,threshold=$((try * 300000 - 300000))" "LBIO_PATTERN=^$PWD/killed\$" "LD_PRELOAD=$library" \
        ./killed.bin >progress &
    pid=$!
    wait_until test -s progress
    sleep "0.$try"
    kill -9 $pid
    wait $pid 2>/dev/null
    n=$(grep . progress | tail -n 1)
    check "killed, try $try: recovered" status 0 "$bin/lbio" recover --all
    awk -v "n=$n" 'BEGIN { for (i = 0; i < n; i++) printf "%09d %0990d\n", i, 0 }' >want
    check "the $n lines that had been flushed are there" cmp -n "$(wc -c <want)" want killed
    check 'no log is left' no_logs
done

# -- a file system that is full ----------------------------------------------------------------------------------------
cat >full.c <<'CODE'
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    FILE *f = fopen(argv[1], "w");
    int ret = 0, error, tries = 0;
    for (int i = 0; i < 30000; i++)
        ret |= fprintf(f, "%099d\n", i) < 0;
    for (; argc > 2 && ret >= 0 && !ferror(f) && tries < 1000; tries++) {
        usleep(10000);
        ret = fputs("more\n", f) < 0 || fflush(f) != 0 ? -1 : 0;
    }
    error = argc > 2 ? errno : 0;
    printf("%d %s\n", ferror(f) != 0, strerror(error));
    ret = fclose(f);
    printf("%d %s\n", ret, ret ? strerror(errno) : "-");
    return 0;
}
CODE
check 'compiles' cc -O1 -o full.bin full.c
mkdir small
if mount -t tmpfs -o size=1m none small 2>/dev/null; then
    trap 'umount -l small' EXIT
    is "$(env LBIO_PATTERN="^$PWD/small/" LBIO_OPTS="$LBIO_OPTS,threshold=0" LD_PRELOAD="$library" ./full.bin small/full flushes)" \
        '1 No space left on device
-1 No space left on device' 'a full file system: fflush and fclose report it'
    mount -o remount,size=10m small
    check 'when there is room' status 0 "$bin/lbio" recover --all
    { seq 0 29999 | awk '{ printf "%099d\n", $1 }'; yes more | head -n 1000; } >want # until the error was there
    check 'what had been written is there' test "$(wc -c <small/full)" -ge 1048576
    check 'and nothing else' cmp -n "$(wc -c <small/full)" want small/full
    check 'no log is left' no_logs
else
    skip 'a full file system' 'the right to mount'
fi

# -- beside Darshan ----------------------------------------------------------------------------------------------------
# counted NAME VARIABLE=VALUE...: what Darshan counts of the streams, without times, goes to NAME
counted() {
    counted_as=$1
    shift
    rm -rf data
    mkdir data
    env "$@" DARSHAN_ENABLE_NONMPI=1 "DARSHAN_LOGFILE=$PWD/$counted_as.darshan" ./stdio data >/dev/null 2>&1
    decode "$counted_as.darshan" --text | awk -F '\t' '$1 == "STDIO" && $4 !~ /^STDIO_F_/' | sort >"$counted_as"
}
counted alone "LD_PRELOAD=$DSN_PREFIX/lib/libdarshan.so"
check 'Darshan counts streams' test "$(wc -l <alone)" -gt 300
counted above "LD_PRELOAD=$DSN_PREFIX/lib/libdarshan.so:$library" "LBIO_PATTERN=^$PWD/data/"
check 'the same with log-based I/O' diff alone above
counted below "LD_PRELOAD=$library:$DSN_PREFIX/lib/libdarshan.so" "LBIO_PATTERN=^$PWD/data/"
check 'and in the other order' diff alone below
check 'no log is left' no_logs
# -- streams that cannot be reopened -----------------------------------------------------------------------------------
cat >lost.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static long size(void)
{
    char line[200];
    long kib = 0;
    FILE *f = fopen("/proc/self/status", "r");
    while (fgets(line, sizeof line, f))
        if (strncmp(line, "VmSize:", 7) == 0)
            kib = atol(line + 7);
    fclose(f);
    return kib;
}
int main(void)
{
    long before = 0;
    for (int i = 0; i < 2000; i++) {
        FILE *f = fopen("lost.text", "w");
        fputs("text", f);
        if (freopen("/nonexistent/lost", "w", f))
            return 1;
        fclose(f);
        if (i == 500)
            before = size();
    }
    return size() - before > 10000;
}
END
check 'compiles: lost' cc -O1 -w -o lost lost.c
if ./lost 2>/dev/null; then
    check '2,000 of them do not keep their buffers' status 0 "$bin/lbio" run --files "^$PWD/lost.text$" -- ./lost
else
    skip 'streams that cannot be reopened' 'a C library that lets a program close them once more'
fi
is "$(cat lost.text)" text 'what they had is written'
finish
