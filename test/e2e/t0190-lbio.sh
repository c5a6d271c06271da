# t0190-lbio.sh - log-based I/O: programs see the same data and leave the same files, kills and full disks lose nothing,
# messages of the commands
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"
bin=$DSN_PREFIX/bin
library=$DSN_PREFIX/lib/liblbio.so
work=$DSN_SRC/test/work
mkdir logs
export LBIO_OPTS="logdir=$PWD/logs"
no_logs() { [ -z "$(ls -A "${1:-logs}")" ]; }
with() { env LBIO_PATTERN="^$PWD/" LD_PRELOAD="$library" "$@"; }

# -- the command -------------------------------------------------------------------------------------------------------
check '--help' status 0 "$bin/lbio" --help
check '--help names the options' grep -q '^  maxlog ' out
is "$("$bin/lbio" -h | cksum)" "$(cksum <out)" '-h is the same'
is "$("$bin/lbio" -V),$("$bin/lbio" --version)" "$(for i in 1 2; do "$bin/darshan-recover" --version | sed 's/^darshan-recover/lbio/'; done | paste -sd,)" \
    '-V and --version say what those of the other commands do'
for wrong in '' nonsense '--all recover' 'run -- true' 'run --files ( -- true' 'wait' 'recover' 'run --files x --options maxlog=lots -- true' \
    'run --files x' 'wait --timeout soon x' 'status --nonsense'; do
    check "wrong usage: $wrong" status 2 env -u LBIO_PATTERN "$bin/lbio" $wrong
    is "$(wc -l <err)" 1 "one line says so: $wrong"
done
check 'the status of the command' status 7 "$bin/lbio" run --files . -- sh -c 'exit 7'
check 'a command that is killed' status 143 "$bin/lbio" run --files . -- sh -c 'kill $$'
check 'one that is not there' status 127 "$bin/lbio" run --files . -- ./nothing-there
check 'a file that is not there' status 1 "$bin/lbio" status nothing-there

# -- programs ----------------------------------------------------------------------------------------------------------
head -c 3000000 /dev/urandom >data
cat >programs.sh <<'END'
set -e
dd if=../data of=dd bs=7k 2>dd.err && rm dd.err
cp -p ../data cp
cat ../data >cat
tail -c 100 cat >>cat
git init -q repository
for i in 1 2 3; do
    seq $i 5000 >repository/f$i
    git -C repository add f$i
    git -C repository -c user.name=n -c user.email=e commit -q -m "$i"
done
git -C repository gc -q
git -C repository fsck --full 2>/dev/null
git clone -q repository clone
rm -rf repository/.git clone/.git
tar cf archive.tar repository
mkdir unpacked
tar xf archive.tar -C unpacked
rm archive.tar
gzip -c ../data | gunzip >unzipped
sqlite3 base 'create table t(a integer primary key, b); begin; with recursive c(x) as (select 1 union all
    select x + 1 from c where x < 3000) insert into t select x, x * x from c; commit; pragma integrity_check;' >sql
sqlite3 base .dump >>sql
rm base
END
cat >stores.py <<'END'
import ctypes, os, subprocess, sys
s = os.open('sparse', os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o644)
os.pwrite(s, b'e', 5000000)
assert os.fstat(s).st_blocks * 512 < 1000000
os.pwrite(s, bytes(range(250)) * 20000, 0)
assert os.fstat(s).st_blocks * 512 >= 5000000
f = os.open('stored', os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o644)
for i in range(1000):
    os.write(f, bytes([i % 251]) * 3000)
os.pwrite(f, b'head', 0)
assert os.fstat(f).st_size == os.stat('stored').st_size == os.lseek(f, 0, 2) == 3000000
assert os.pread(f, 10, 0) == b'head' + bytes(6) and os.pread(f, 5000, 2998000) == bytes([999 % 251]) * 2000
os.ftruncate(f, 2000001)
os.pwrite(f, b'tail', 2500000)
assert os.pread(f, 10, 2499998) == b'\0\0tail'
if len(sys.argv) > 1:
    assert os.access('.stored.lbio', os.F_OK)
    n = (ctypes.c_uint64 * 14)()
    ctypes.CDLL(None).lbio_stats(n, ctypes.sizeof(n))
    assert n[0] == 1004 and n[1] == 8000009, list(n)
    os.pwrite(f, b'T', 2500000)
    assert subprocess.run([sys.argv[1], 'status', 'stored'], stdout=subprocess.DEVNULL).returncode == 0 # a child sees all
os.pwrite(f, b'T', 2500000)
os.rename('stored', 'renamed')
os.write(f, b'end')
os.close(f)
with open('text', 'w') as t:
    print('line', file=t)
END
mkdir bare logged
(cd bare && sh ../programs.sh && python3 ../stores.py)
check 'programs run under it' status 0 env -C logged "$bin/lbio" run --files "^$PWD/logged/" -- \
    sh -ec "sh ../programs.sh; python3 ../stores.py $bin/lbio"
check 'what they leave is the same' diff -r --no-dereference bare logged
is "$(ls -A logged)" "$(ls -A bare)" 'and no marker'
check 'and no log' no_logs

cat >sizes.py <<'END'
import os, sys
f = os.open('sizes', os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o644)
wrong = 0
for i in range(8000):
    os.pwrite(f, b'x', i * 700)
    for size in lambda: os.fstat(f).st_size, lambda: os.stat('sizes').st_size, lambda: os.lseek(f, 0, 2):
        wrong += size() != i * 700 + 1
    if i % 40 == 0: # then replay may be what closes it last
        os.close(f)
        wrong += os.stat('sizes').st_size != i * 700 + 1
        f = os.open('sizes', os.O_RDWR)
    g = os.open('short', os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o644)
    wrong += sum(os.fstat(g).st_size for k in range(5))
    os.write(g, b'y' * 3000)
    os.close(g)
print(wrong)
END
is "$(LBIO_OPTS="$LBIO_OPTS,threshold=0" with python3 sizes.py)" 0 'sizes are right at any moment of replay'

# -- streams of C++ --------------------------------------------------------------------------------------------------
check 'compiles: C++' c++ -Wall -O2 -o streams "$work/lbio-streams.cc"
mkdir cxx.bare
./streams cxx.bare
is $? 0 'C++: alone'
for also in '' "$DSN_PREFIX/lib/libdarshan.so "; do # which calls fopen in its place
    for threshold in 0 1g; do
        rm -rf cxx.logged report
        mkdir cxx.logged
        check "C++, threshold=$threshold${also:+, with Darshan}" env DARSHAN_LOGFILE=/dev/null LBIO_PATTERN="^$PWD/cxx.logged/" \
            LBIO_OPTS="$LBIO_OPTS,threshold=$threshold,report=$PWD/report" LD_PRELOAD="$also$library" ./streams cxx.logged
        check 'the same files' diff -r cxx.bare cxx.logged
        is "$(sed -n 's/.* bytes=\([0-9]*\) .* direct_files=\([0-9]*\) .*/\1 \2/p' report)" '1327399 1' 'all but what was appended was logged'
    done
done

# -- by path -----------------------------------------------------------------------------------------------------------
mkdir bare.paths logged.paths
(cd bare.paths && python3 -u "$DSN_SRC/test/work/lbio-paths.py") >bare.said 2>&1
(cd logged.paths && LBIO_OPTS="$LBIO_OPTS,threshold=1g,report=$OLDPWD/paths.report" with python3 -u "$DSN_SRC/test/work/lbio-paths.py") >logged.said 2>&1
check 'stat, lstat, statx, access, rename, unlink, truncate by path: the same' cmp bare.said logged.said
is "$(wc -l <bare.said)" 32 'all of them'
check 'what they leave is the same' diff -r --no-dereference bare.paths logged.paths
check 'their bytes went through the log' awk '/^process/ { for (i = 5; i <= NF; i++) if ($i ~ /^bytes=/) n += substr($i, 7) }
    END { exit !(n > 1000000) }' paths.report
check 'no log is left' no_logs

# -- what a file server is asked ---------------------------------------------------------------------------------------
if ! command -v strace >/dev/null; then
    skip 'what a file server is asked' 'package strace'
else
    cat >asks.py <<'END'
import os
f = os.open('asked.data', os.O_RDWR | os.O_CREAT)
for i in range(1000):
    os.write(f, bytes(1000))
END
    check 'writes under strace' status 0 strace -f -o asked -e trace=fstat,newfstatat -E LD_PRELOAD="$library" \
        -E LBIO_PATTERN="^$PWD/" python3 asks.py
    is "$(stat -c %s asked.data)" 1000000 'all of it is there'
    is "$(($(grep -c 'fstat([0-9]*, {st_mode=S_IFREG|[0-9]*, st_size=0' asked) > 500))" 0 'a logged write asks for no attributes of the file'
fi

# -- random calls, alone and beside libdarshan -------------------------------------------------------------------------
# What a stream has in its buffer shows in the position of its descriptor, so buffers have the same size. With these seeds
# no stream is used after its descriptor has been, without a flush: then glibc's own streams may not know where they are.
check 'compiles' cc -O1 -DSTREAM_BUFFER=4096 -o random "$work/random-calls.c" "$work/random-posix.c" "$work/random-stdio.c" "$work/random-wild.c"
echo '10 20 thirty 40' >input

# random NAME SEED VARIABLE=VALUE...: what the program sees, and what it leaves
random() {
    random_name=$1 random_seed=$2
    shift 2
    rm -rf here "$random_name"
    mkdir here
    env "$@" timeout 100 ./random "$PWD/here" "$random_seed" 500 "$PWD/trace" "$PWD/books" wild <input >random.out 2>random.err
    echo "exit status $?" >>trace
    (cd here && for file in *; do [ -f "$file" ] && stat -c '%n %F %a %s %h' "$file"; done; ls -A) >>trace
    mkdir "$random_name"
    mv here trace books random.out random.err "$random_name"
}
for seed in 1 2 4 36 42 47; do
    random plain $seed NOTHING=1
    random lbio $seed "LD_PRELOAD=$library" "LBIO_PATTERN=^$PWD/here/" "LBIO_OPTS=$LBIO_OPTS,marker=off,threshold=$((seed * 1000))"
    check "random calls, seed $seed: the same" diff -r --no-dereference plain lbio
    random both $seed "LD_PRELOAD=$DSN_PREFIX/lib/libdarshan.so:$library" "LBIO_PATTERN=^$PWD/here/" \
        "LBIO_OPTS=$LBIO_OPTS,marker=off" DARSHAN_ENABLE_NONMPI=1 "DARSHAN_LOGFILE=$PWD/darshan.$seed"
    check "random calls beside libdarshan, seed $seed: the same" diff -r --no-dereference plain both
done
check 'no log is left' no_logs
with env "LD_PRELOAD=$DSN_PREFIX/lib/libdarshan.so:$library" DARSHAN_ENABLE_NONMPI=1 "DARSHAN_LOGFILE=$PWD/once.darshan" \
    dd if=data of=once bs=30000 count=100 conv=notrunc 2>dd.err
decode once.darshan --text >text
is "$(awk -F '\t' '$1 == "POSIX" && $4 == "POSIX_BYTES_WRITTEN" && /\/once\t/ { print $5 }' text)" 3000000 \
    'libdarshan counts what the program has written, once'

# -- kills -------------------------------------------------------------------------------------------------------------
cat >slow.py <<'END'
import os, sys, time
f = os.open('killed', os.O_RDWR | os.O_CREAT, 0o644)
for i in range(100000):
    os.pwrite(f, b'%09d\n' % i * 100, i * 1000)
    print(i, flush=True)
END
for try in 1 2 3 4 5; do
    rm -f killed progress
    env "LBIO_OPTS=$LBIO_OPTS,threshold=$((try * 100000 - 100000))" "LBIO_PATTERN=^$PWD/" "LD_PRELOAD=$library" \
        python3 slow.py >progress &
    pid=$!
    wait_until test -s progress
    sleep "0.$try"
    kill -9 $pid
    wait $pid 2>/dev/null
    n=$(grep -c . progress)
    awk -v "n=$n" 'BEGIN { for (i = 0; i < n; i++) for (k = 0; k < 100; k++) printf "%09d\n", i }' >want
    [ $try != 1 ] || cp -a logs logs.again
    if [ -e .killed.lbio ]; then
        check "killed, try $try: it is not complete" status 1 "$bin/lbio" status killed
        check 'and waiting ends' status 1 "$bin/lbio" wait --timeout 0.1 killed
    fi
    check "killed, try $try: recovered" status 0 "$bin/lbio" recover --all
    check "all $n calls that had returned are there" cmp -n $((n * 1000)) want killed
    check 'and the one that had not, or not' test $(($(wc -c <killed) / 1000)) -le $((n + 1))
    check 'it is complete' status 0 "$bin/lbio" status killed
    check 'no log is left' no_logs
    if [ $try = 1 ]; then
        before=$(cksum <killed)
        "$bin/lbio" recover --logdir "$PWD/logs.again" --all >/dev/null 2>&1
        is "$(cksum <killed)" "$before" 'a copy of the log, recovered once more: the same bytes'
        rm -f killed.lbio-pending*
    fi
done

# -- data that is left to lbio recover ------------------------------------------------------------------------------
rm -rf left report
mkdir left
cat >leaves.py <<'END'
import atexit, os
f = os.open('left/data', os.O_RDWR | os.O_CREAT)
for i in range(100):
    os.pwrite(f, b'%04d' % i * 1000, i * 4000)
atexit.register(lambda: os.pwrite(f, b'last', 0))
END
# the only token is taken, however long it takes
mkfifo never
python3 -c 'import fcntl, os, struct, sys
f = os.open("token", os.O_RDWR | os.O_CREAT)
fcntl.fcntl(f, 37, struct.pack("hhqqi4x", fcntl.F_WRLCK, 0, 0, 0, 0)) # F_OFD_SETLK
open("taken", "w").close()
sys.stdin.read()' <never &
keeper=$!
exec 9>never
check 'the only token is taken' wait_until test -e taken
check 'end=leave: the status is the command'"'"'s' status 0 "$bin/lbio" run --files "^$PWD/left/" \
    --options "$LBIO_OPTS,end=leave,threshold=1g,report=$PWD/report,slots=$PWD/token,tokens=1" -- python3 leaves.py 9>&-
exec 9>&-
wait $keeper
check 'the file is marked' status 1 "$bin/lbio" status left/data
is "$(sed -n 's/.* \(bytes=[0-9]*\) .* \(incomplete_files=[0-9]*\) .*/\1 \2/p' report)" 'bytes=400004 incomplete_files=1' 'the report counts it'
is "$(du -k left/data | cut -f 1)" 0 'nothing was replayed'
check 'lbio recover' status 0 "$bin/lbio" recover --all
is "$(cksum <left/data)" "$(python3 -c 'print("".join("last" + "0000" * 999 if i == 0 else "%04d" % i * 1000 for i in range(100)), end="")' | cksum)" \
    'it is complete'
check 'no log is left' no_logs

# -- full disks --------------------------------------------------------------------------------------------------------
small=$PWD/small
mkdir small
if mount -t tmpfs -o size=1m none "$small" 2>/dev/null; then
    trap 'umount -l "$small"' EXIT
    cat >fills.py <<'END'
import os
for name in 'small/full', 'other':
    f = os.open(name, os.O_WRONLY | os.O_CREAT, 0o644)
    for i in range(300):
        os.write(f, b'%07d\n' % i * 1000)
    try:
        os.close(f)
    except OSError:
        pass
END
    check 'a file system that is full: lbio run says so' status 1 "$bin/lbio" run --files "^$PWD/" --options \
        "$LBIO_OPTS,threshold=1g" -- python3 fills.py
    check 'and which file it is' grep -q 'small/full: No space left on device$' err
    awk 'BEGIN { for (i = 0; i < 300; i++) for (k = 0; k < 1000; k++) printf "%07d\n", i }' >want
    check 'another file is complete' cmp want other
    check 'that one is not' status 1 "$bin/lbio" status small/full
    check 'nor can it be made so' status 1 "$bin/lbio" recover --all
    mount -o remount,size=10m "$small"
    check 'when there is room it can' status 0 "$bin/lbio" recover --all
    check 'nothing is lost' cmp want small/full
    check 'no log is left' no_logs
    rm -f small/full other
    mount -o remount,size=1m "$small"
    sed -i 's|small/full|a|' fills.py
    check 'a log that has no room: nobody notices' status 0 "$bin/lbio" run --files "^$PWD/" --options \
        "logdir=$small,threshold=1g" -- python3 fills.py
    check 'the file is complete' cmp want a
    check 'and the other' cmp want other
    check 'no log is left there' no_logs small
else
    skip 'full disks' 'the right to mount'
fi

# -- what the C library does by itself ---------------------------------------------------------------------------------
check 'compiles: unwrapped' cc -O1 -o unwrapped "$DSN_SRC/test/work/lbio-unwrapped.c"
mkdir unwrapped.bare
(cd unwrapped.bare && ../unwrapped >../unwrapped.said)
for threshold in 0 1g; do
    rm -rf unwrapped.logged
    mkdir unwrapped.logged
    check "threshold=$threshold: runs" status 0 env -C unwrapped.logged "$bin/lbio" run --files "^$PWD/unwrapped.logged/" --options \
        "$LBIO_OPTS,threshold=$threshold" -- ../unwrapped
    check 'it finds the same' cmp unwrapped.said out
    check 'it leaves the same' diff -r unwrapped.bare unwrapped.logged
done

# -- threads that are cancelled ---------------------------------------------------------------------------------------
cat >mapped.c <<'END'
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
int main(void)
{
    char bytes[8192], *map;
    int f = open("mapped", O_RDWR | O_CREAT | O_TRUNC, 0644);
    memset(bytes, 'x', sizeof bytes);
    write(f, bytes, sizeof bytes);
    map = mmap(NULL, sizeof bytes, PROT_READ | PROT_WRITE, MAP_SHARED, f, 0);
    close(f);
    f = open("mapped", O_WRONLY);
    memset(bytes, 'y', sizeof bytes);
    write(f, bytes, sizeof bytes);
    printf("%c\n", map[9]);
    memcpy(map, "stored", 6);
    return munmap(map, sizeof bytes) | close(f);
}
END
check 'compiles: mapped' cc -w -o mapped-by mapped.c
is "$(LBIO_OPTS="$LBIO_OPTS,threshold=1g" with ./mapped-by) $(head -c 8 mapped)" 'y storedyy' 'a file that is mapped, closed and opened again: what is written and what is stored'
check 'compiles: cancel' cc -O1 -pthread -o cancel "$DSN_SRC/test/work/lbio-cancel.c"
for how in write sync stream; do
    check "cancelled in $how" status 0 timeout -s KILL 60 "$bin/lbio" run --files "^$PWD/(cancelled|stream)$" -- ./cancel $how
    is "$(cat out)" ended 'the others can still write'
done

# -- markers of those who cannot remove them ---------------------------------------------------------------------------
cat >vforks.c <<'END'
#include <fcntl.h>
#include <unistd.h>
int main(void)
{
    const int f = open("vforked", O_WRONLY | O_CREAT | O_TRUNC, 0644);
    if (write(f, "parent\n", 7) != 7)
        return 1;
    if (vfork() == 0) {
        write(f, "child\n", 6);
        _exit(0);
    }
    return write(f, "parent\n", 7) != 7 || close(f);
}
END
check 'compiles: vfork' cc -O1 -w -o vforks vforks.c
check 'a child of vfork writes' status 0 "$bin/lbio" run --files "^$PWD/vforked$" --options "$LBIO_OPTS,threshold=1g" -- ./vforks
is "$(tr '\n' ' ' <vforked)" 'parent child parent ' 'all is there'
check 'no marker is left' status 0 "$bin/lbio" status vforked
if [ "$(id -u)" = 0 ]; then
    cat >becomes.py <<'END'
import os, time
f = os.open('became', os.O_WRONLY | os.O_CREAT, 0o644)
os.write(f, b'text')
os.close(f)
os.seteuid(65534)
time.sleep(2.5)
os.seteuid(0)
END
    check 'a process becomes another user for a while' status 0 "$bin/lbio" run --files "^$PWD/became$" --options \
        "$LBIO_OPTS,visibility=drain" -- python3 becomes.py
    is "$(cat became)" text 'its file is complete'
    check 'and no marker is left of it' status 0 "$bin/lbio" status became
else
    skip 'another user' 'root'
fi

# -- few descriptors ---------------------------------------------------------------------------------------------------
cat >many.py <<'END'
# opens as many files as it can, and writes to each
import errno, os, sys
files = []
while True:
    try:
        files.append(os.open('%s/%d' % (sys.argv[1], len(files)), os.O_RDWR | os.O_CREAT))
    except OSError as e:
        assert e.errno == errno.EMFILE
        break
    os.write(files[-1], b'%d' % len(files))
for i, f in enumerate(files):
    assert os.pread(f, 9, 0) == b'%d' % (i + 1)
print(len(files))
END
for limit in 100 256 1024; do
    rm -rf many.bare many.logged
    mkdir many.bare many.logged
    few() { (ulimit -n $limit && "$@"); }
    few python3 many.py many.bare >many.said
    check "$limit descriptors: runs" status 0 few "$bin/lbio" run --files "^$PWD/many.logged/" --options "$LBIO_OPTS,threshold=1g" -- \
        python3 many.py many.logged
    check 'it can open as many files' cmp many.said out
    check 'which are complete' diff -r many.bare many.logged
done

# -- a storage profile ------------------------------------------------------------------------------------------------
profile() {
    printf '{"format": "%s", "version": 1, "found": {"workers": {"write": {"one_file": {"best": %s}, "file_each": {"best": %s}}}}}\n' "$@"
}
# said ARGUMENT...: what `lbio run` has the program find in LBIO_OPTS
said() {
    env LBIO_OPTS= "$bin/lbio" run --files x "$@" -- sh -c 'echo "$LBIO_OPTS"' 2>&1
}
profile darshan-storage-profile 6 16 >profile.json
is "$(said --profile profile.json --options "slots=$PWD/slots,logdir=$PWD" | head -n 1)" "tokens=6,slots=$PWD/slots,logdir=$PWD" \
    'tokens are the best number of writers of a profile'
profile darshan-storage-profile null 16 >profile.json
is "$(said --profile profile.json --options "slots=$PWD/slots,logdir=$PWD,tokens=3" | head -n 1)" \
    "tokens=16,slots=$PWD/slots,logdir=$PWD,tokens=3" 'those of the options come later, and replace it'
is "$(said --profile profile.json --options "logdir=$PWD"; echo $?)" \
    'lbio: --profile sets the number of tokens, which needs the option slots=FILE; see '\''lbio --help'\''
2' 'slots are needed'
is "$("$bin/lbio" run --nonsense 2>&1; echo $?) $("$bin/lbio" nonsense 2>&1; echo $?)" "lbio: unknown option --nonsense; see 'lbio --help'
2 lbio: nonsense: unknown command; see 'lbio --help'
2" 'wrong usage names what is wrong'
profile other 6 16 >profile.json
is "$(said --profile profile.json --options "slots=$PWD/slots,logdir=$PWD"; echo $?)" \
    'lbio run: profile.json: is not a storage profile; darshan-sweep --json writes one
1' 'other JSON is refused'
echo '{' >profile.json
is "$(said --profile profile.json --options "slots=$PWD/slots,logdir=$PWD"; echo $?)" \
    'lbio run: profile.json: is not valid JSON; darshan-sweep writes profiles
1' 'and what is not JSON'

# -- tokens ------------------------------------------------------------------------------------------------------------
cat >token.py <<'END'
import ctypes, glob, os, sys, time
library = ctypes.CDLL(sys.argv[1])
path = os.path.abspath('slots').encode()
what = sys.argv[2]
if what == 'share': # how many hold one at a time
    most = 0
    for i in range(5):
        assert library.lbio_token_acquire(path, 2) == 0
        assert library.lbio_token_acquire(path, 2) == -1 # one at a time
        mine = 'in.%d' % os.getpid()
        open(mine, 'w').close()
        time.sleep(0.02)
        most = max(most, len(glob.glob('in.*')))
        os.unlink(mine)
        assert library.lbio_token_release() == 0
    print(most)
elif what == 'keep':
    assert library.lbio_token_acquire(path, 1) == 0
    open('kept', 'w').close()
    time.sleep(60)
elif what == 'write':
    f = os.open('token', os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.write(f, b'x' * 100000)
elif what == 'both': # what it holds itself is not in the way of its own bytes
    assert library.lbio_token_acquire(path, 1) == 0
    f = os.open('token', os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.write(f, b'y' * 100000)
    os.fsync(f)
    assert library.lbio_token_release() == 0
assert library.lbio_token_acquire(b'relative', 1) == -1
END
for i in 1 2 3 4; do python3 token.py "$library" share >most.$i & done
wait
is "$(sort -u most.? | tr '\n' ' ' | sed 's/^1 2/2/')" '2 ' 'of four processes two at a time hold one of two tokens'
python3 token.py "$library" keep &
keeper=$!
wait_until test -e kept
rm -f report
env "LBIO_OPTS=$LBIO_OPTS,slots=$PWD/slots,tokens=1,threshold=0,report=$PWD/report" "LBIO_PATTERN=^$PWD/" \
    "LD_PRELOAD=$library" python3 token.py "$library" write &
writer=$!
wait_until grep -q . .token.lbio
sleep 0.3
is "$(wc -c <token)" 0 'while another process holds the only token nothing is replayed'
kill -9 $keeper
wait $writer
is "$?" 0 'when that one is killed it is'
is "$(wc -c <token)" 100000 'all of it'
check 'and the waiting is counted' awk '/^process/ { sub(/.* token=/, ""); exit !($1 + 0 >= 0.2) }' report
check 'a process that holds the only token does not wait for itself' status 0 env \
    "LBIO_OPTS=$LBIO_OPTS,slots=$PWD/slots,tokens=1" "LBIO_PATTERN=^$PWD/" "LD_PRELOAD=$library" timeout 20 \
    python3 token.py "$library" both
check 'without a place for tokens it goes on' status 0 env "LBIO_OPTS=$LBIO_OPTS,slots=/nonexistent/slots" \
    "LBIO_PATTERN=^$PWD/" "LD_PRELOAD=$library" timeout 20 python3 token.py "$library" write
is "$(wc -c <token)" 100000 'and loses nothing'
wait 2>/dev/null

for wrong in slots=here slots=mpi report=here tokens=0 tokens=4097 tokens=mpi; do
    is "$("$bin/lbio" run --files x --options "logdir=$PWD/logs,$wrong" -- true 2>&1; echo $?)" \
        "lbio: unknown option or invalid value: $wrong; see 'lbio --help'
2" "refused: $wrong"
done

# -- the line at the end -----------------------------------------------------------------------------------------------
mkdir closing closing.logs
cat >closing.py <<'END'
import fcntl, mmap, os, sys
def make(name, flags=0):
    return os.open('closing/' + name, os.O_RDWR | os.O_CREAT | flags)
os.write(make('logged'), bytes(3 << 20))
for name in 'append1', 'append2':
    os.write(make(name, os.O_APPEND), b'x')
f = make('mapped'); os.write(f, bytes(8192)); mmap.mmap(f, 8192)
f = make('locked'); fcntl.flock(f, fcntl.LOCK_EX)
f = make('standard'); os.dup2(f, 1); os.write(1, b'x')
f = make('removed'); os.unlink('closing/removed'); os.write(f, b'x')
os.write(os.open('other', os.O_WRONLY | os.O_CREAT), b'x')
END
# closing PATTERN COMMAND...: what lbio run says on stderr
closing() {
    closing_pattern=$1
    shift
    "$bin/lbio" run --files "$closing_pattern" --options "logdir=$PWD/closing.logs" -- "$@" 2>&1 >/dev/null |
        sed 's/took [0-9.]* s, [0-9.]* s of it/took T s, T s of it/'
}
is "$(closing "^$PWD/closing/" python3 closing.py)" "lbio: logged on this node: 2 writes, 3.0 MiB; writing them to the files took T s, T s of it beside the program. \
Written directly: one opened with O_APPEND, O_SYNC, O_DSYNC or O_DIRECT (2 times); one that was standard output (descriptors 0, 1 and 2); a mapped one; \
a locked one, which those of HDF5 are without HDF5_USE_FILE_LOCKING=FALSE; one that was removed while it was open" 'what was logged, and what was not'
is "$(closing "^$PWD/closing/append" python3 closing.py)" \
    'lbio: nothing was logged on this node. Written directly: one opened with O_APPEND, O_SYNC, O_DSYNC or O_DIRECT (2 times)' \
    'where nothing could be'
is "$(closing "$PWD/closing/*.chk" python3 closing.py)" \
    "lbio: nothing was logged on this node: no process of a dynamically linked program opened a file that matches '$PWD/closing/*.chk', a regular expression (.* where a shell has *), and wrote to it" \
    'where a glob was given'
is "$(ls -A closing.logs)" '' 'nothing stays of it'

# -- linked with the program -------------------------------------------------------------------------------------------
cat >init.c <<'END'
#include <errno.h>
#include <fcntl.h>
#include <lbio.h>
#include <stdio.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    const int ret = lbio_init(argv[1], argv[2]), error = errno;
    const int fd = open("initialised", O_WRONLY | O_CREAT | O_TRUNC, 0600);
    struct lbio_statistics n = { 0 };

    if (write(fd, "12345", 5) != 5)
        return 1;
    lbio_stats(&n, sizeof n);
    printf("%d %d %d\n", ret, ret && error == ENOTSUP, (int)n.bytes);
    return argc == 3 ? 0 : 2;
}
END
check 'compiles, in order' cc -I"$DSN_PREFIX/include" -o init init.c -L"$DSN_PREFIX/lib" -Wl,-rpath,"$DSN_PREFIX/lib" -llbio
check 'compiles, behind the C library' cc -I"$DSN_PREFIX/include" -o init-late init.c -L"$DSN_PREFIX/lib" \
    -Wl,-rpath,"$DSN_PREFIX/lib" -Wl,--no-as-needed -lc -llbio
is "$(env -u LBIO_OPTS ./init '/initialised$' "logdir=$PWD/logs")" '0 0 5' 'lbio_init: what is written is logged'
is "$(env -u LBIO_OPTS ./init-late '/initialised$' "logdir=$PWD/logs")" '-1 1 0' 'behind the C library it is refused'

# -- signals while the end waits ---------------------------------------------------------------------------------------
cat >ends.py <<'END'
import ctypes, os, signal, sys
how = sys.argv[1]
process, library = ctypes.CDLL(None), ctypes.CDLL(sys.argv[2])
if how == 'handled':
    process.signal(signal.SIGTERM, ctypes.cast(process._exit, ctypes.c_void_p))
elif how == 'blocked':
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])
f = os.open('ends', os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
os.write(f, b'z' * 300000)
os.close(os.open('wrote', os.O_WRONLY | os.O_CREAT)) # open() lists the directory before Python 3.10, so all is replayed
if how == 'fsync':
    os.fsync(f)
elif how == 'handled':
    library.lbio_finalize()
END
head -c 300000 /dev/zero | tr '\0' z >want
for how in exit:143 fsync:143 handled:15 blocked:0; do
    what=${how%:*}
    rm -f kept wrote
    python3 token.py "$library" keep &
    keeper=$!
    wait_until test -e kept
    env "LBIO_OPTS=$LBIO_OPTS,slots=$PWD/slots,tokens=1,threshold=1g" "LBIO_PATTERN=^$PWD/ends\$" "LD_PRELOAD=$library" \
        python3 ends.py $what "$library" &
    writer=$!
    wait_until test -e wrote
    sleep 0.3
    kill $writer
    [ $what != blocked ] || { sleep 0.5; kill -9 $keeper; }
    begun=$(date +%s%N)
    wait $writer 2>/dev/null
    is "$?" "${how#*:}" "SIGTERM while all is waited for, $what: the status"
    check "$what: it ends at once" test $(($(date +%s%N) - begun)) -lt 3000000000
    kill -9 $keeper 2>/dev/null
    wait $keeper 2>/dev/null
    if [ $what != blocked ]; then
        check "$what: the file is not complete" status 1 "$bin/lbio" status ends
        check "$what: recovered" status 0 "$bin/lbio" recover --all
    fi
    check "$what: nothing is lost" cmp want ends
    check "$what: no log is left" no_logs
done

# -- a replaced file, a removed one ------------------------------------------------------------------------------------
leave() {
    rm -f killed
    LBIO_OPTS="$LBIO_OPTS,threshold=1g" with python3 -c 'import os
f = os.open("killed", os.O_RDWR | os.O_CREAT)
os.write(f, b"mine")
os.kill(os.getpid(), 9)'
}

# recovered STATUS WANTED WHAT: what recovery leaves of `killed` and `moved`
recovered() {
    check "$3: recovery" status "$1" "$bin/lbio" recover --all
    is "$(head -n 99 killed* moved* 2>/dev/null | tr '\n' ' ')" "$2" "$3"
    check "$3: no log is left" no_logs
    status 0 "$bin/lbio" recover --all
    is "$(cat out err)" '' "$3: a second one finds nothing"
    rm -rf killed* moved*
}
leave 2>/dev/null
mv killed moved
check 'a file that has been renamed: it is not complete' status 1 "$bin/lbio" status moved
is "$(sed 's/process [0-9]*/process N/' out)" "moved: 4 bytes are in the log of ended process N, for $PWD/killed" 'and why'
check 'and is waited for' status 1 "$bin/lbio" wait --timeout 0.1 moved
recovered 0 '==> moved <== mine' 'a file that has been renamed is found'
leave 2>/dev/null
mv killed moved
echo other >killed
recovered 0 '==> killed <== other  ==> moved <== mine' 'a file that has been renamed, and another has its name'
leave 2>/dev/null
rm killed
recovered 1 '==> killed.lbio-pending <== mine' 'what was logged for a file that has been removed is kept beside it'
leave 2>/dev/null
echo other >killed
recovered 1 '==> killed <== other  ==> killed.lbio-pending <== mine' 'a file that was written since stays'
leave 2>/dev/null
rm killed
echo other >killed
recovered 1 '==> killed <== other  ==> killed.lbio-pending <== mine' 'a file that was replaced, perhaps with the same inode, stays'
leave 2>/dev/null
with python3 -c 'open("killed", "w").write("other\n")'
recovered 0 '==> killed <== other ' 'a program with log-based I/O that writes the file completes it first'
leave 2>/dev/null
is "$(with python3 -c 'import os
f = os.open("killed", os.O_RDONLY)
print(os.read(f, 9))')" "b'mine'" 'so does one that reads it'
recovered 0 '==> killed <== mine' 'which has it all, then'
mkdir moved.d
(
    cd moved.d && leave
) 2>/dev/null
mv moved.d elsewhere
check 'a renamed directory: recovery says so' status 1 "$bin/lbio" recover --all
is "$(cat err)" "lbio recover: $PWD/moved.d/killed: cannot be found, nor its directory; its data stays in the log (--discard drops it)" 'and why'
mv elsewhere moved.d
check 'and succeeds when it is back' status 0 "$bin/lbio" recover --all
is "$(cat moved.d/killed)" mine 'the file has its data'
(
    cd moved.d && leave
) 2>/dev/null
rm -r moved.d
check 'the log can be dropped' status 0 "$bin/lbio" recover --discard --all
check 'then it is' no_logs

# -- the page's commands, as they stand --------------------------------------------------------------------------------
mkdir page
awk '/^```sh$/ { inside = 1; next } /^```/ { inside = 0 } inside' "$DSN_SRC/doc/lbio.md" >page/commands
(
    cd page && EXAMPLES=$DSN_SRC/share/examples PATH=$bin:$PATH sh -ex ./commands >out 2>err
)
is "$?" 0 'the page: its commands succeed'
is "$(grep -c ': complete$' page/out)" 2 'and both checkpoints are complete'
check 'and what the run has done is told' grep -q '^bytes  *16777216 ' page/out
is "$(cd page/files && stat -c %s checkpoint-0005.dat checkpoint-0010.dat | tr '\n' ' ')" '16777216 16777216 ' 'of 16 MiB each'
finish
