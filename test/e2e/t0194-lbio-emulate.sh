# t0194-lbio-emulate.sh - the emulated slow file system: which calls are charged, for how long, and when a process dies
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"
lbio=$DSN_PREFIX/bin/lbio
mkdir slow slow-too logs
export LBIO_OPTS="logdir=$PWD/logs"
figure() { sed -n "s/.*\\<$1=\\([^ ]*\\).*/\\1/p" report; }

# emulate PARAMETERS COMMAND...: leaves its figures in `report`
emulate() {
    emulate_model=slow$1
    shift
    rm -f report
    "$lbio" emulate --report report "$emulate_model" -- "$@"
}

# -- the command -------------------------------------------------------------------------------------------------------
check 'the status of the command' status 7 emulate '' sh -c 'exit 7'
check 'a command that is killed' status 143 emulate '' sh -c 'kill $$'
check 'one that is not there' status 127 emulate '' ./nothing-there
for wrong in 'slow' 'slow --' 'slow,speed=1 -- true' 'slow,unit=0 -- true' 'slow,jitter=101 -- true' 'slow,open=soon -- true' 'nothing -- true'; do
    check "wrong usage: $wrong" status 2 "$lbio" emulate $wrong
    is "$(wc -l <err)" 1 "one line says so: $wrong"
done
check '--help lists the parameters' sh -c "'$lbio' --help | grep -q '^  jitter '"

# -- which calls -------------------------------------------------------------------------------------------------------
cat >calls.py <<'END'
import ctypes, os
def make(path, way=os.O_RDWR | os.O_CREAT):
    return os.open(path, way, 0o644)
f = make('slow/a')
os.write(f, bytes(10))
os.pwrite(f, bytes(20), 10)
os.writev(f, [bytes(15), bytes(15)])
os.pwritev(f, [bytes(40)], 60)
g = os.dup(f)
os.write(g, bytes(50))
os.close(g)
assert ctypes.CDLL(None).syscall(1, f, bytes(60), 60) == 60 or os.uname().machine != 'x86_64'
if os.fork() == 0:
    os.write(f, bytes(70))
    os._exit(0)
os.wait()
os.close(f)
os.close(make('slow/a', os.O_PATH))
for other in 'slow-too/a', 'a':
    f = make(other)
    os.write(f, bytes(1000000))
    os.close(f)
END
check 'runs' status 0 emulate ,write=0,open=0,close=0,unit=1,bandwidth=1g python3 calls.py
[ "$(uname -m)" = x86_64 ] && more=0 || more=60
is "$(figure writes) $(($(figure bytes) + more))" "$((7 - (more > 0))) 280" \
    'all writes below the directory, by whatever call and descriptor, and no others'
is "$(figure opens) $(figure closes)" '1 2' 'opens and closes'
is "$(figure in_service)" 0 'no transfer is left'

cat >streams.c <<'END'
#include <stdio.h>
#include <string.h>
#include <unistd.h>
static char bytes[100000], got[8];
int main(void)
{
    FILE *f = fopen("slow/s", "w+");
    if (!f || fwrite(bytes, 1, sizeof bytes, f) != sizeof bytes || fflush(f) || lseek(fileno(f), 0, SEEK_CUR) != sizeof bytes)
        return 1;
    if (fseek(f, 10, SEEK_SET) || fputs("within", f) < 0 || fseek(f, -6, SEEK_CUR) || fread(got, 1, 6, f) != 6 ||
        strcmp(got, "within") || fclose(f))
        return 2;
    f = fopen("slow/s", "a");
    if (!f || fprintf(f, "%d", 12345) != 5 || fclose(f))
        return 3;
    f = fopen("slow/s", "r");
    return !f || fseek(f, -5, SEEK_END) || fread(got, 1, 5, f) != 5 || memcmp(got, "12345", 5) || fclose(f) ? 4 : 0;
}
END
check 'compiles: streams' cc -O1 -o streams streams.c
check 'streams' status 0 emulate ,write=0,open=0,close=0,unit=1,bandwidth=1g ./streams
is "$(figure bytes) $(figure opens) $(figure closes)" '100011 3 2' 'their bytes, opens, and closes of those that were written'
is "$(stat -c %s slow/s)" 100005 'the file is as it should be'

cat >reopens.c <<'END'
#include <fcntl.h>
#include <stdio.h>
#include <wchar.h>
int main(void)
{
    FILE *f = fopen("w", "we");
    fputs("a", f);
    printf("%d %d\n", fileno(f), fcntl(fileno(f), F_GETFD));
    f = freopen("w2", "w", f);
    fputs("b", f);
    printf("%d\n", fclose(f));
    f = fopen("w3", "w");
    printf("%d\n", freopen("/nonexistent/x", "w", f) != NULL);
    f = fopen("w4", "w");
    fputs("x", f);
    printf("%d\n", freopen(NULL, "w", f) != NULL);
    fclose(f);
    f = fopen("w5", "w");
    printf("%d %d\n", fwide(f, 1) > 0, fputws(L"wide", f));
    fclose(f);
    f = fopen("w6", "w,ccs=UTF-8");
    printf("%d\n", fwide(f, 0) > 0);
    return fclose(f);
}
END
check 'compiles: reopens' cc -O1 -w -o reopens reopens.c
rm -rf slow bare
mkdir slow bare
(cd bare && ../reopens >../bare.said)
check 'streams that are reopened, or wide' status 0 env -C slow "$lbio" emulate .,open=0,close=0,write=0 -- ../reopens
check 'are as without it' cmp bare.said out
check 'and leave the same' diff -r bare slow

# -- how long ----------------------------------------------------------------------------------------------------------
cat >writes.py <<'END'
import os, sys
f = os.open('slow/writes', os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o644)
for i in range(int(sys.argv[1])):
    os.write(f, bytes(int(sys.argv[2])))
os.close(f)
END
# one writer gets three tenths of the bandwidth
waited() { awk -v got="$(figure seconds)" -v want="$1" 'BEGIN { exit !(got - want < 1e-6 && want - got < 1e-6) }'; }
is_waited() { check "$1: $2 s" waited "$2"; }
emulate ,bandwidth=100m,write=1000,open=3000,close=4000 python3 writes.py 5 100000
is_waited 'bytes, latencies' "$(awk 'BEGIN { printf "%.9f", 5 * 100000 / (100 * 1048576 * 0.3) + 0.005 + 0.003 + 0.004 }')"
is "$(figure most_writers)" 1 'of one writer'
emulate ,bandwidth=100m,write=0,open=0,close=0,unit=8k python3 writes.py 100 10
is_waited 'small writes' "$(awk 'BEGIN { printf "%.9f", 100 * 8192 / (100 * 1048576 * 0.3) }')"
is "$(figure bytes) $(figure charged)" '1000 819200' 'their charge'
emulate ,bandwidth=100m,write=2000,open=0,close=0,jitter=50 python3 writes.py 50 10
check 'jitter varies it, within its limits' awk -v got="$(figure seconds)" 'BEGIN {
    least = 50 * (32768 / (100 * 1048576 * 0.3) + 0.002) / 2; exit !(got > least && got < 3 * least) }'

# -- beside the log ----------------------------------------------------------------------------------------------------
rm report
check 'runs with a log' status 0 env LBIO_OPTS="$LBIO_OPTS,marker=off,report=$PWD/figures" "$lbio" emulate --report report \
    slow,bandwidth=1g,write=0 -- "$lbio" run --files "^$PWD/slow/" -- python3 writes.py 8 100000
is "$(figure bytes)" 800000 'its bytes are charged once'
is "$(figure writes)" "$(sed -n 's/.* replayed_writes=\([0-9]*\).*/\1/p' figures)" 'namely those that replay writes'
is "$(stat -c %s slow/writes)" 800000 'the file is complete'

# -- opening again -----------------------------------------------------------------------------------------------------
# Each write takes a tenth of a second, so that data is pending when the file is opened again.
again() {
    again_opened=$2
    (cd bare && rm -f ./* && python3 "$DSN_SRC/test/work/lbio-reuse.py" "$1") >bare.said 2>&1
    rm -rf slow figures report && mkdir slow
    check "$1: runs" status 0 env -C slow LBIO_OPTS="$LBIO_OPTS,marker=off,report=$PWD/figures${3:-}" "$lbio" emulate \
        --report "$PWD/report" .,bandwidth=1g,write=100000,open=0,close=0 -- "$lbio" run --files "^$PWD/slow/" -- \
        python3 "$DSN_SRC/test/work/lbio-reuse.py" "$1"
    check "$1: it finds the same" cmp bare.said out
    check "$1: what it leaves is the same" diff -r bare slow
    is "$(sed -n 's/.* opens_saved=\([0-9]*\).*/\1/p' figures)" "$again_opened" "$1: opens that are saved"
}
again again 5
is "$(figure opens)" 1 'of the file system one is left'
again writing_only 1
for case in other_access other_name open_still flags_changed mode_changed user_changed name_moved child_has_it sent; do
    again $case 0
done
again again 0 ,reuse=off

# -- death -------------------------------------------------------------------------------------------------------------
cat >dies.sh <<'END'
python3 writes.py 1 1000000000 2>/dev/null &
while [ ! -e slow/writes ]; do sleep 0.01; done
sleep 0.3
kill -9 $!
wait $!
sleep 0.2
exec python3 writes.py 1 10
END
rm -rf slow && mkdir slow
check 'a writer is killed, another one writes' status 0 emulate ,bandwidth=1m,write=0,open=0,close=0,unit=4k sh dies.sh
is_waited 'the other one is alone' "$(awk 'BEGIN { printf "%.9f", 4096 / (1048576 * 0.3) }')"
is "$(figure in_service)" 0 'no transfer is left'

# -- many --------------------------------------------------------------------------------------------------------------
cat >many.sh <<'END'
for i in 1 2 3 4 5 6 7 8; do
    dd if=/dev/zero of=slow/many.$i bs=100k count=4 2>/dev/null &
done
wait
END
check 'eight writers' status 0 emulate ,bandwidth=20m,open=0,close=0 sh many.sh
is "$(figure bytes) $(figure in_service)" '3276800 0' 'all bytes'
check 'more than one, and no more than eight, were served at once' test "$(figure most_writers)" -gt 1 -a "$(figure most_writers)" -le 8
check 'they waited for each other' awk -v got="$(figure seconds)" 'BEGIN { exit !(got > 3276800 / (20 * 1048576 * 0.9)) }'
finish
