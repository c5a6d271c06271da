# t0192-lbio-peers.sh - log-based I/O: stopped or dead peers, and invalid files, block nobody
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"
bin=$DSN_PREFIX/bin
library=$DSN_PREFIX/lib/liblbio.so
mkdir logs
export LBIO_OPTS="logdir=$PWD/logs"
no_logs() { [ -z "$(ls -A "${1:-logs}")" ]; }
# -- peers that are stopped or dead, files that are not what they should be -------------------------------------------
cat >peer.py <<'END'
import fcntl, os, struct, sys, time
what, path = sys.argv[1], sys.argv[2]
if what == 'lock': # all of a file, as long as it runs
    f = os.open(path, os.O_RDWR | os.O_CREAT)
    fcntl.fcntl(f, 37, struct.pack('hhqqi4x', fcntl.F_WRLCK, os.SEEK_SET, 0, 0, 0)) # F_OFD_SETLK
    open('locked', 'w').close()
    time.sleep(60)
elif what == 'write':
    f = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.write(f, b'p' * 200000)
    os.close(f)
elif what == 'read':
    begun = time.time()
    f = os.open(path, os.O_RDONLY)
    print(int(time.time() - begun))
END
# locked PATH COMMAND...: while another process, which is stopped, has it locked
locked() {
    rm -f locked
    python3 peer.py lock "$1" &
    keeper=$!
    wait_until test -e locked
    kill -STOP $keeper
    shift
    status 0 timeout -s KILL 20 "$@"
    locked_status=$?
    kill -9 $keeper
    wait $keeper 2>/dev/null
    return $locked_status
}
rm -f peers report
check 'a stopped process has the marker locked: a write goes on' locked .peers.lbio env LBIO_PATTERN="^$PWD/peers\$" \
    LD_PRELOAD="$library" python3 peer.py write peers
is "$(wc -c <peers)" 200000 'and nothing is lost'
rm -f .peers.lbio
check 'a stopped process has the report locked' locked report env LBIO_OPTS="$LBIO_OPTS,report=$PWD/report" \
    LBIO_PATTERN="^$PWD/peers\$" LD_PRELOAD="$library" python3 peer.py write peers
check 'a stopped process has all tokens' locked slots env LBIO_OPTS="$LBIO_OPTS,slots=$PWD/slots,tokens=2" \
    LBIO_PATTERN="^$PWD/peers\$" LD_PRELOAD="$library" python3 peer.py write peers
is "$(wc -c <peers)" 200000 'it goes on without'
python3 -c 'import os, time
child = os.fork()
if child == 0:
    os._exit(0)
open("child.new", "w").write(str(child))
os.rename("child.new", "child")
time.sleep(60)' & # its child is not reaped
parent=$!
wait_until test -e child
zombie=$(cat child)
echo "$(uname -n) $zombie closed $PWD/logs/nowhere" >.peers.lbio
check 'a marker of a process that has ended' status 0 env LBIO_PATTERN="^$PWD/peers\$" LD_PRELOAD="$library" \
    timeout -s KILL 20 python3 peer.py read peers
check 'is not waited for' test "$(cat out)" -le 2
kill -9 $parent
wait $parent 2>/dev/null
rm -f .peers.lbio
cat >removed.py <<'END'
import os, subprocess
f = os.open('removed', os.O_RDWR | os.O_CREAT)
os.write(f, b'before')
subprocess.run(['rm', 'removed'], check=True) # by a process that does not know it
open('from', 'w').close()
os.rename('from', 'to') # when all files are asked for their names
os.write(f, b'behind')
print(sorted(name for name in ('.removed.lbio', '.removed (deleted).lbio') if os.path.exists(name)), os.pread(f, 20, 0))
os.close(f)
END
LBIO_PATTERN="^$PWD/(removed|from|to)" LBIO_OPTS="$LBIO_OPTS,threshold=1g,order=off" LD_PRELOAD="$library" python3 removed.py >out 2>&1
is "$(cat out)" "['.removed.lbio'] b'beforebehind'" 'the marker of a file that has been removed has the name that the file had'
is "$(find . -name '*.lbio')" '' 'and does not stay'
echo precious >precious
for place in .peers.lbio report slots; do
    for kind in fifo link symlink directory; do
        rm -rf "$place"
        case $kind in
            fifo) mkfifo "$place" ;;
            link) ln precious "$place" ;;
            symlink) ln -s precious "$place" ;;
            directory) mkdir "$place" ;;
        esac
        check "$place is a $kind: a program goes on" status 0 env LBIO_PATTERN="^$PWD/peers\$" LD_PRELOAD="$library" \
            LBIO_OPTS="$LBIO_OPTS,report=$PWD/report,slots=$PWD/slots,tokens=1" timeout -s KILL 20 python3 peer.py write peers
        is "$(wc -c <peers) $(cat precious)" '200000 precious' "$place is a $kind: its bytes are there, and nothing else is written"
    done
    rm -rf "$place"
done

# -- several processes, one call after another: all is as without log-based I/O -------------------------------------------
check 'compiles' cc -O1 -o processes "$DSN_SRC/test/work/lbio-processes.c"
mkdir bare logged
for seed in $(seq 25); do
    rm -rf bare/* logged/*
    (cd bare && ../processes "$seed" 200) >bare.out
    (cd logged && LBIO_PATTERN="^$PWD/" LD_PRELOAD=$library timeout -s KILL 60 ../processes "$seed" 200) >logged.out
    is "$(wc -l <bare.out) $(diff bare.out logged.out | head -n 4)" '200 ' "seed $seed: every call"
    is "$(diff -rq bare logged)" '' "seed $seed: the files"
done
check 'no log is left' no_logs

# -- two processes have a file open, and one reads what the other one has written -----------------------------------------
cat >beside.py <<'END'
import os, sys, time
def meet(name):
    open(name + '.' + sys.argv[1], 'w').close()
    while not os.path.exists(name + '.' + sys.argv[2]):
        time.sleep(0.01)
f = os.open('beside', os.O_RDWR | os.O_CREAT)
meet('open')
if sys.argv[1] == 'writer':
    os.pwrite(f, b'w' * 300000, 1000)
meet('written')
if sys.argv[1] == 'reader':
    print(os.lseek(f, 0, 2), os.pread(f, 301000, 0) == bytes(1000) + b'w' * 300000)
meet('read')
END
for who in 'writer reader' 'reader writer'; do
    env LBIO_OPTS="$LBIO_OPTS,threshold=1g" LBIO_PATTERN="^$PWD/beside\$" LD_PRELOAD="$library" \
        timeout -s KILL 30 python3 beside.py $who >"beside.${who% *}" &
done
wait
is "$(cat beside.reader)" '301000 True' 'what another process has written to an open file is read'
check 'and no marker is left' test ! -e .beside.lbio
# One fills a file, and the token for its replay is taken for a while; another writes the same bytes. As HDF5 does.
cat >filled.py <<'END'
import fcntl, os, struct, sys, time
def await_file(name):
    while not os.path.exists(name):
        time.sleep(0.01)
if sys.argv[1] == 'token':
    f = os.open('slots', os.O_RDWR | os.O_CREAT)
    fcntl.fcntl(f, 37, struct.pack('hhqqi4x', fcntl.F_WRLCK, 0, 0, 4096, 0))
    open('taken', 'w').close()
    await_file('filled')
    time.sleep(1)
else:
    f = os.open('filled.dat', os.O_RDWR | os.O_CREAT)
    if sys.argv[1] == 'filler':
        await_file('taken')
        await_file('opened')
        os.pwrite(f, b'f' * 300000, 0)
        open('filled', 'w').close()
    else:
        open('opened', 'w').close()
        await_file('filled')
        os.pwrite(f, b'd' * 300000, 0)
END
timeout -s KILL 30 python3 filled.py token &
for who in filler,slots=$PWD/slots,tokens=1 writer; do
    env LBIO_OPTS="$LBIO_OPTS,threshold=1g,$(expr "$who" : '[^,]*,\(.*\)')" LBIO_PATTERN="^$PWD/filled.dat\$" \
        LD_PRELOAD="$library" timeout -s KILL 30 python3 filled.py "${who%%,*}" &
done
wait
is "$(tr -d d <filled.dat | wc -c) $(wc -c <filled.dat)" '0 300000' 'writes of two processes to the same bytes keep their order'
mkfifo pipe
check 'a report that is a pipe' status 1 timeout 5 "$bin/lbio" report pipe
check 'no log is left' no_logs

finish
