# t0195-lbio-tokens.sh - log-based I/O: a token server, as a process and in rank 0; its loss; hostile peers
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"
bin=$DSN_PREFIX/bin
library=$DSN_PREFIX/lib/liblbio.so
mkdir logs slow
export LBIO_OPTS="logdir=$PWD/logs"
no_logs() { [ -z "$(ls -A logs)" ]; }

# serve [OPTION]...: starts a server; its place is in $server then
serve() {
    rm -f place
    "$bin/lbio" tokend "$@" >place 2>place.err &
    server_process=$!
    wait_until test -s place
    server=$(cat place)
}

# The raw protocol: peer.py COMMAND HOST:PORT ...
cat >peer.py <<'END'
import os, resource, select, socket, sys, time
what = sys.argv[1]
host, port = sys.argv[2].rsplit(':', 1)
def peer(hello=b'HELLO peer\n'):
    s = socket.create_connection((host, int(port)), 5)
    s.settimeout(20)
    s.sendall(hello)
    return s
def line(s):
    text = b''
    while not text.endswith(b'\n'):
        more = s.recv(1)
        if not more:
            return text + b'END'
        text += more
    return text.decode().strip()
def ask(s, text):
    s.sendall(text.encode() + b'\n')
    return line(s)
if what == 'stat':
    print(ask(peer(), 'STAT'))
elif what == 'talk': # the order of grants, and what is returned by whom
    a, b, c, d = peer(), peer(), peer(), peer()
    print(ask(a, 'ACQ'), ask(b, 'ACQ'))
    c.sendall(b'ACQ\n')
    while ask(a, 'STAT') != '0 1 2 2':
        pass
    d.sendall(b'ACQ\n')
    while ask(a, 'STAT') != '0 2 2 2':
        pass
    b.close()
    print(line(c))
    a.sendall(b'REL 1 4096\n')
    print(line(d))
    print(ask(a, 'STAT'))
elif what == 'take': # all N tokens, until the file `go` is there
    held = [peer() for i in range(int(sys.argv[3]))]
    for s in held:
        ask(s, 'ACQ')
    open('taken', 'w').close()
    while not os.path.exists('go'):
        time.sleep(0.02)
elif what == 'most': # the largest number granted, and waiting, until the file `go` is there
    s, granted, waiting = peer(), 0, 0
    while not os.path.exists('go'):
        free, now_waiting, now, most = map(int, ask(s, 'STAT').split())
        granted, waiting = max(granted, now), max(waiting, now_waiting)
        time.sleep(0.002)
    print(granted, waiting)
elif what == 'many': # more than there is room for
    all, away = [], 0
    for i in range(100):
        all.append(socket.create_connection((host, int(port)), 5))
        all[-1].settimeout(20)
        try:
            all[-1].sendall(b'HELLO x\nSTAT\n')
            text = line(all[-1])
        except ConnectionError:
            text = 'ERR'
        away += text.startswith('ERR')
    print(away > 0 and away < 100, ask(all[0], 'STAT'))
elif what == 'hostile':
    resource.setrlimit(resource.RLIMIT_NOFILE, (4096, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
    silent = [socket.create_connection((host, int(port))) for i in range(300)]
    half = []
    for i in range(50):
        s = peer(b'HEL')
        s.shutdown(socket.SHUT_WR)
        half.append(s)
    deaf = [peer() for i in range(20)] # ask without end, and do not read
    for s in deaf:
        s.setblocking(False)
    noise = [b'\0' * 5000, b'\n' * 5000, b'A' * 100000, b'ACQ\n' * 100, b'REL 1 99999999999999999999\n', os.urandom(5000),
             b'HELLO x\nACQ\nACQ\nREL -1 -1\n', b'STAT\n' * 10000, b'GET / HTTP/1.1\r\n\r\n', b'HELLO \xff\xfe\nACQ\n']
    slowest = 0
    good = peer()
    end = time.time() + float(sys.argv[3])
    n = 0
    while time.time() < end:
        s = socket.create_connection((host, int(port)))
        s.settimeout(5)
        try:
            s.sendall(noise[n % len(noise)])
        except OSError:
            pass
        n += 1
        if n % 2:
            s.close() # else garbage collection closes it, with answers that were not read
        for t in deaf:
            try:
                t.send(b'STAT\n' * 1000)
            except OSError:
                pass
        begun = time.time()
        grant = ask(good, 'ACQ')
        assert grant.startswith('GRANT '), grant
        good.sendall(grant.replace('GRANT', 'REL').encode() + b' 10\n')
        slowest = max(slowest, time.time() - begun)
    print('slowest', '%.3f' % slowest, 'of', n, file=sys.stderr)
    print(slowest < 2 and n > 20)
END

# -- the command -------------------------------------------------------------------------------------------------------
for wrong in '--port x:--port x: invalid N (tokend: 0 (any free port, the default) to 65535)' '--port 65536:--port 65536: invalid N (tokend: 0 (any free port, the default) to 65535)' \
    '--tokens 0:--tokens 0: invalid N|auto (tokend: the number of tokens, 1 to 4096, or auto: as many as are fastest together (16))' '--tokens some:--tokens some: invalid N|auto (tokend: the number of tokens, 1 to 4096, or auto: as many as are fastest together (16))' \
    'more:tokend: unexpected argument more'; do
    is "$("$bin/lbio" tokend ${wrong%%:*} 2>&1; echo $?)" "lbio: ${wrong#*:}; see 'lbio --help'
2" "tokend ${wrong%%:*}"
done
serve --tokens 2
check 'it prints where it listens' expr "$server" : '127\.0\.0\.1:[1-9][0-9]*$'
check 'a port that is in use' status 1 "$bin/lbio" tokend --bind 127.0.0.1 --port "${server#*:}"
is "$(cat err)" "lbio tokend: $server: Address already in use; choose another with --bind ADDRESS or --port N" 'is named'
check 'an address of another node' status 1 env LBIO_SECRET=0123456789abcdef "$bin/lbio" tokend --bind 192.0.2.1
is "$(cat err)" 'lbio tokend: 192.0.2.1:0: Cannot assign requested address; choose another with --bind ADDRESS or --port N' \
    'is named, too'
is "$(python3 peer.py talk "$server")" 'GRANT 1 GRANT 2
GRANT 3
GRANT 4
0 0 2 2' 'first come, first served; a disconnect returns the token'
is "$(python3 peer.py stat "$server")" '2 0 0 2' 'all are returned'
check 'hostile peers do not keep others waiting' test "$(python3 peer.py hostile "$server" 3)" = True
check 'and the server runs' kill -0 $server_process
check 'in little memory' awk '/^VmRSS/ { exit !($2 < 40000) }' /proc/$server_process/status
is "$(python3 peer.py stat "$server")" '2 0 0 2' 'nothing is held'
kill -TERM $server_process
wait $server_process
is $? 0 'SIGTERM ends it'
port=${server#*:}
serve --port "$port" --tokens auto
is "$server" "127.0.0.1:$port" 'it can begin again at the same port'
is "$(python3 peer.py stat "$server")" '16 0 0 16' 'auto begins with 16'
kill -TERM $server_process
wait $server_process

(
    ulimit -n 64
    exec "$bin/lbio" tokend --bind 127.0.0.1 >few
) &
server_process=$!
wait_until test -s few
is "$(python3 peer.py many "$(cat few)")" 'True 16 0 0 16' 'connections that it has no room for are turned away, the others are served'
check 'when they are gone there is room again' wait_until sh -c "python3 peer.py stat $(cat few) | grep -q '^16 0 0 16'"
kill -TERM $server_process
wait $server_process
is $? 0 'and SIGTERM ends it'

# -- beyond this node --------------------------------------------------------------------------------------------------
for wrong in '' short 'with a blank in it' 012345678901234567890123456789012; do
    check "beyond this node, the secret '$wrong'" status 1 env "LBIO_SECRET=$wrong" timeout 10 "$bin/lbio" tokend --bind 0.0.0.0
    is "$(cut -c 1-54 err)" 'lbio tokend: 0.0.0.0: beyond this node a secret is nee' "beyond this node, the secret '$wrong': is refused"
done
check 'on this node, an unusable secret' status 1 env LBIO_SECRET=short timeout 10 "$bin/lbio" tokend
check 'beyond this node, by IPv6' status 1 env -u LBIO_SECRET timeout 10 "$bin/lbio" tokend --bind ::ffff:192.0.2.1
LBIO_SECRET=0123456789abcdef serve --bind 0.0.0.0 --tokens 2
is "${server%:*}" "$(uname -n)" 'with a secret it listens at all addresses'
server=127.0.0.1:${server##*:}
is "$(python3 peer.py stat "$server")" 'ERR wrong key' 'who does not know the secret gets nothing'
# acquire SECRET: 0 if the library gets a token
acquire() {
    LBIO_SECRET=$1 LD_PRELOAD=$library "$PYTHON3" -c 'import ctypes, sys
print(ctypes.CDLL(None).lbio_token_acquire(sys.argv[1].encode(), 1))' "$server"
}
is "$(acquire 0123456789abcdef)" 0 'a program that knows it gets a token'
is "$(acquire 0123456789abcdeX)" -1 'one that knows another one gets none'
kill -TERM $server_process
wait $server_process

# -- options -----------------------------------------------------------------------------------------------------------
# refused OPTIONS MESSAGE
refused() {
    is "$("$bin/lbio" run --files x --options "logdir=$PWD/logs,$1" -- true 2>&1; echo $?)" "lbio: $2; see 'lbio --help'
2" "refused: $1"
}
refused tokens=some 'unknown option or invalid value: tokens=some'
refused tokens=::1:80 'unknown option or invalid value: tokens=::1:80'
refused "slots=$PWD/slots,tokens=$server" 'tokens=HOST:PORT and slots exclude each other'
refused "slots=$PWD/slots,tokens=mpi" 'tokens=mpi and slots=FILE exclude each other'
refused tokens=auto 'tokens=auto needs slots=mpi, or lbio tokend --tokens auto'
refused "slots=$PWD/slots,tokens=auto" \
    'tokens=auto needs slots=mpi, or lbio tokend --tokens auto: with slots=FILE nobody knows who waits'
refused slots=here 'slots needs an absolute path, or mpi'

# -- processes that replay ---------------------------------------------------------------------------------------------
cat >writer.py <<'END'
import ctypes, os, sys, time
path, how = sys.argv[1:3]
f = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
while not all(os.path.exists(f'{os.path.dirname(path)}/{i + 1}') for i in range(int(os.environ.get('WRITERS', 1)))):
    time.sleep(0.01) # they write at once
for i in range(8):
    os.write(f, bytes([65 + i]) * 250000)
    if how == 'closes' and i == 3: # what it does not know, by a system call of its own
        time.sleep(0.3)
        for n in range(3, 1 << 20 if os.path.exists('/proc/self/fd/1000000') else 8192):
            if n != f:
                ctypes.CDLL(None).syscall(3, n)
if how == 'forks':
    os.fsync(f)
    if os.fork() == 0:
        time.sleep(10)
        os._exit(0)
os.close(f)
END
wanted() { python3 -c 'import sys; sys.stdout.buffer.write(b"".join(bytes([65 + i]) * 250000 for i in range(8)))'; }
wanted >want
# writers N HOW OPTIONS: N processes at once, all of which end well with all of their data
writers() {
    rm -f slow/* report
    for i in $(seq "$1"); do
        WRITERS=$1 "$bin/lbio" run --files "^$PWD/slow/" --options "logdir=$PWD/logs,report=$PWD/report,marker=off,hold=500k,merge=250k,$3" -- \
            python3 writer.py "slow/$i" "$2" &
        writer_processes="${writer_processes:-} $!"
    done
    writers_failed=0
    wait $writer_processes || writers_failed=1
    writer_processes=
    for i in $(seq "$1"); do cmp -s want "slow/$i" || writers_failed=1; done
    : >go
    return $writers_failed
}
# column NAME: the sum of all processes
column() { "$bin/lbio" report report | awk -v name="$1" '$1 == name { print $2 }'; }
export bin library
serve --tokens 2
python3 peer.py most "$server" >most &
rm -f go figures
emulated() {
    (
        . "$DSN_SRC/test/lib/lib.sh"
        "$bin/lbio" emulate --report figures slow,bandwidth=20m,jitter=20 -- sh ./emulated.sh "$@"
    )
}
# the same function in the emulated part
{
    sed -n '/^writers() {/,/^}/p' "$DSN_SRC/test/e2e/t0195-lbio-tokens.sh"
    echo 'writers "$@"'
} >emulated.sh
check 'six processes share two tokens' emulated 6 plain "tokens=$server"
wait_until test -s most
is "$(cut -d' ' -f1 most)" 2 'two were held at a time'
check 'others waited' test "$(cut -d' ' -f2 most)" -gt 0
is "$(sed -n 's/.*\<most_writers=\([^ ]*\).*/\1/p' figures)" 2 'and no more than two wrote at a time'
check 'each held several one after another' test "$(column tokens)" -ge 12
is "$(column without_token)" 0 'nothing was written without'
check 'without tokens more than two write at a time' emulated 6 plain tokens=off
check 'all six, that is' test "$(tail -1 figures | sed -n 's/.*\<most_writers=\([^ ]*\).*/\1/p')" -gt 2
is "$(python3 peer.py stat "$server")" '2 0 0 2' 'all tokens are returned'
check 'no log is left' no_logs

rm -f go slow/*
python3 peer.py take "$server" 2 &
wait_until test -e taken
env LBIO_OPTS="$LBIO_OPTS,threshold=0,tokens=$server" LBIO_PATTERN="^$PWD/slow/" LD_PRELOAD="$library" \
    timeout -s KILL 30 python3 writer.py slow/1 plain &
writer=$!
check 'while all tokens are held' wait_until sh -c "python3 peer.py stat $server | grep -q '^0 1 2 2'"
is "$(wc -c <slow/1)" 0 'nothing is replayed'
kill -TERM $writer
wait $writer 2>/dev/null
is $? 143 'a signal ends a process that waits at its end'
check 'which leaves the queue' wait_until sh -c "python3 peer.py stat $server | grep -q '^0 0 2 2'"
: >go
check 'recovered' status 0 "$bin/lbio" recover --all
check 'nothing is lost' cmp want slow/1
wait_until sh -c "python3 peer.py stat $server | grep -q '^2 0 0 2'"
check 'a process that closes all descriptors goes on' writers 1 closes "tokens=$server,threshold=0"
check 'a child that lives on' writers 1 forks "tokens=$server,threshold=0"
is "$(python3 peer.py stat "$server")" '2 0 0 2' 'does not keep the token of its parent'

cat >application.py <<'END'
import ctypes, errno, glob, os, sys, time
library = ctypes.CDLL(sys.argv[1], use_errno=True)
place = sys.argv[2].encode()
most = 0
open('up.%d' % os.getpid(), 'w').close()
while len(glob.glob('up.*')) < 4:
    time.sleep(0.01)
for i in range(5):
    assert library.lbio_token_acquire(place, 1) == 0
    assert library.lbio_token_acquire(place, 1) == -1 and ctypes.get_errno() == errno.EBUSY
    mine = 'in.%d' % os.getpid()
    open(mine, 'w').close()
    time.sleep(0.02)
    most = max(most, len(glob.glob('in.*')))
    assert library.lbio_token_keep() == 0
    os.unlink(mine)
    assert library.lbio_token_release() == 0
print(most)
for bad in b'relative', b'host:', b'host:0':
    assert library.lbio_token_acquire(bad, 1) == -1 and ctypes.get_errno() == errno.EINVAL
END
for i in 1 2 3 4; do python3 application.py "$library" "$server" >held.$i & done
check 'lbio_token_acquire: four processes' wait_until test -s held.1 -a -s held.2 -a -s held.3 -a -s held.4
is "$(cat held.? | sort -n | tail -1)" 2 'share two tokens, too'

# -- the server is lost ------------------------------------------------------------------------------------------------
rm -f go taken
python3 peer.py take "$server" 2 &
wait_until test -e taken
(sleep 1; kill -KILL $server_process) &
begun=$(date +%s)
check 'the server is killed while three processes wait for it: they end with all data' writers 3 plain "tokens=$server"
check 'after ten seconds' test $(($(date +%s) - begun)) -ge 9 -a $(($(date +%s) - begun)) -lt 20
check 'the report counts what was written without' test "$(column without_token)" -ge 3
is "$("$bin/lbio" report report | grep -c '^data was replayed without tokens: ')" 1 'and says so'
wait $server_process 2>/dev/null
serve --tokens 2
kill -STOP $server_process
check 'a server that is stopped, and one without a name in the network' sh -c '
    env LBIO_OPTS="$LBIO_OPTS,tokens=$1" LBIO_PATTERN="^$PWD/slow/" LD_PRELOAD="$library" timeout -s KILL 30 \
        python3 writer.py slow/1 plain &
    env LBIO_OPTS="$LBIO_OPTS,tokens=no-such-host.invalid:80" LBIO_PATTERN="^$PWD/slow/" LD_PRELOAD="$library" \
        timeout -s KILL 30 python3 writer.py slow/2 plain || exit 1
    wait $!' sh "$server"
check 'lose nothing' sh -c 'cmp want slow/1 && cmp want slow/2'
kill -CONT $server_process
kill -TERM $server_process
wait $server_process
is $? 0 'and it goes on, and ends'
check 'no log is left' no_logs

# -- what is no token server, or one that has no room ------------------------------------------------------------------
cat >other.py <<'END'
# other.py MODE FILE: what listens at the address in FILE answers like another service
import socket, sys, threading
mode, s = sys.argv[1], socket.create_server(('127.0.0.1', 0))
with open(sys.argv[2], 'w') as f:
    f.write('127.0.0.1:%d' % s.getsockname()[1])
def serve(c):
    try:
        if mode in ('banner', 'full'):
            c.sendall({'banner': b'SSH-2.0-other\r\n', 'full': b'ERR too many connections\n'}[mode])
        while mode == 'flood':
            c.sendall(b'nonsense\n' * 100)
        while mode != 'full' and (got := c.recv(1000)):
            c.sendall(got if mode == 'echo' else b'what? ' + got)
    except OSError:
        pass
    c.close()
while True:
    threading.Thread(target=serve, args=(s.accept()[0],), daemon=True).start()
END
begun=$(date +%s)
others=
for mode in banner full flood echo; do
    python3 other.py $mode place.$mode &
    others="$others $!"
    wait_until test -s place.$mode
done
check 'four of these: the data is written without tokens' sh -c '
    for mode in banner full flood echo; do
        env LBIO_OPTS="$LBIO_OPTS,tokens=$(cat place.$mode)" LBIO_PATTERN="^$PWD/slow/" LD_PRELOAD="$library" \
            timeout -s KILL 40 python3 writer.py slow/$mode plain &
    done
    wait
    for mode in banner full flood echo; do cmp want slow/$mode || exit 1; done'
check 'after ten seconds' test $(($(date +%s) - begun)) -ge 9 -a $(($(date +%s) - begun)) -lt 25
kill $others
check 'no log is left' no_logs

# -- the ranks of an MPI program, with a thread of rank 0 ----------------------------------------------------------------
cat >ranks.c <<'END'
#include <mpi.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ranks DIRECTORY plain|thread|late: each rank writes 2 MB; late: rank 0 ends before the others have written theirs */
int main(int argc, char **argv)
{
    static char block[250000];
    char path[1000];
    int rank, given, f, sum = 1, sent[100];

    if (strcmp(argv[2], "thread") == 0)
        MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &given);
    else
        MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 100; i++)
        sent[i] = rank == 0 ? i + 1 : 0;
    MPI_Bcast(sent, 100, MPI_INT, 0, MPI_COMM_WORLD); /* the first collective call */
    for (int i = 0; i < 100; i++)
        if (sent[i] != i + 1)
            abort();
    snprintf(path, sizeof path, "%s/%d", argv[1], rank + 1);
    f = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    if (strcmp(argv[2], "late") == 0) {
        MPI_Finalize();
        if (rank == 0)
            return 0;
        sleep(2);
    }
    for (int i = 0; i < 8; i++) {
        memset(block, 'A' + i, sizeof block);
        if (write(f, block, sizeof block) != sizeof block)
            abort();
    }
    close(f);
    if (strcmp(argv[2], "late") == 0)
        return 0;
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Finalize();
    return sum != 4;
}
END
# which rank has no library
cat >some.sh <<'END'
[ "${OMPI_COMM_WORLD_RANK:-$PMI_RANK}" = "$1" ] || export LD_PRELOAD="$2"
shift 2
exec "$@"
END
# mpi N HOW OPTIONS [RANK]: is the data of all ranks there; RANK: runs without the library
mpi() {
    rm -f slow/* report
    LBIO_OPTS="logdir=$PWD/logs,report=$PWD/report,marker=off,hold=500k,merge=250k,$3" LBIO_PATTERN="^$PWD/slow/" \
        run plain "$1" sh some.sh "${4:-none}" "$library${LD_PRELOAD:+:$LD_PRELOAD}" "./ranks-$MPI" "$PWD/slow" "$2" || return
    for i in $(seq "$1"); do
        [ "$i $2" = '1 late' ] || cmp want "slow/$i" || return
    done
}
for MPI in openmpi mpich; do
    export MPI
    if ! have_mpi $MPI; then
        skip "$MPI" "MPI: $MPI"
        continue
    fi
    check "$MPI: compiles" build plain ranks-$MPI ranks.c || continue
    rm -f figures
    {
        echo '. "$DSN_SRC/test/lib/lib.sh"'
        sed -n '/^mpi() {/,/^}/p' "$DSN_SRC/test/e2e/t0195-lbio-tokens.sh"
        echo 'mpi "$@"'
    } >emulated.sh
    check "$MPI: four ranks share two tokens of rank 0" emulated 4 plain slots=mpi,tokens=2
    is "$(sed -n 's/.*\<most_writers=\([^ ]*\).*/\1/p' figures)" 2 "$MPI: two write at a time"
    check "$MPI: all held some" test "$(column tokens)" -ge 8
    is "$(column without_token)" 0 "$MPI: nothing was written without"
    check "$MPI: MPI_Init_thread, tokens=auto" mpi 4 thread slots=mpi,tokens=auto
    check "$MPI: all held some then, too" test "$(column tokens)" -ge 4
    check "$MPI: tokens=mpi" mpi 4 plain tokens=mpi
    check "$MPI: all held some with it" test "$(column tokens)" -ge 4
    begun=$(date +%s)
    check "$MPI: rank 0 ends before the others have written" mpi 4 late tokens=mpi
    check "$MPI: which do not wait for it" test $(($(date +%s) - begun)) -lt 9
    for without in 2 0; do
        begun=$(date +%s)
        check "$MPI: rank $without runs without the library" mpi 4 plain tokens=mpi $without
        is "$(column tokens)" 0 "$MPI: the others have no tokens then"
        check "$MPI: for which they wait ten seconds" test $(($(date +%s) - begun)) -lt 20
    done
    for how in 1:tokens=mpi 4:tokens=2; do
        if [ ${how%%:*} = 1 ]; then # one rank has nobody to share with
            LBIO_OPTS="logdir=$PWD/logs,report=$PWD/report,tokens=mpi" LBIO_PATTERN="^$PWD/slow/" run plain 1 \
                env "LD_PRELOAD=$library" "./ranks-$MPI" "$PWD/slow" plain
        else
            mpi 4 plain "${how#*:}"
        fi
        is "$(column tokens)" 0 "$MPI: ${how%%:*} ranks with ${how#*:} have no server"
    done
done
check 'no log is left' no_logs
finish
