# t9285-lbio-as-root.sh - lbio as root does no more for a user than that user can do, whatever that user leaves
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"

[ "$(id -u)" = 0 ] && setpriv --reuid 65534 --regid 65534 --clear-groups true 2>/dev/null || skip_all 'rights of root, setpriv (util-linux)'

# Where all users can come to: the test's own directory is closed.
open=$(mktemp -d "${TMPDIR:-/tmp}/lbio-open.XXXXXX") && chmod 755 "$open" || exit 1
holder=
trap 'kill $holder 2>/dev/null; rm -rf "$open"' EXIT
trap 'exit 1' HUP INT TERM
bin=$DSN_PREFIX/bin forged=$DSN_SRC/test/work/lbio-forged.py
good=60001 bad=60002
check 'compiles' cc -g -Wall -shared -fPIC -o "$open/exchange.so" "$DSN_SRC/test/work/exchange.c" -ldl
cd "$open" || exit 1

# as UID COMMAND...
as() {
    as_uid=$1
    shift
    setpriv --reuid "$as_uid" --regid "$as_uid" --clear-groups "$@"
}

# log OWNER DIRECTORY HOW TARGET...: made by root, who can see all targets, and given to OWNER
log() {
    log_owner=$1 log_directory=$2 log_how=$3
    shift 3
    "$PYTHON3" "$forged" "$log_how" "$log_directory" "$@" && chown -R "$log_owner:$log_owner" "$log_directory"
}

# marker OWNER TARGET LOG: that a process of this host, which has ended, has data of TARGET in LOG
marker() {
    marker_path=$(dirname "$2")/.$(basename "$2").lbio
    printf '\n%s 999999999 %s\n' "$(uname -n)" "$3" >"$marker_path" && chown "$1:$1" "$marker_path"
}

# fresh: users' own directories, a place for logs, and a file of root's
fresh() {
    find "${open:?}" -mindepth 1 -maxdepth 1 -type d -exec rm -rf {} + # a link to a directory is none
    mkdir -m 1777 logs
    for uid in $good $bad; do
        mkdir -m 700 "data.$uid"
        echo old >"data.$uid/file"
        chown -R $uid:$uid "data.$uid"
    done
    mkdir -m 700 root
    echo "root's" >root/file
}

# lbio STATUS ARGUMENT...: as root, in half a minute
lbio() {
    lbio_want=$1
    shift
    timeout 30 "$bin/lbio" "$@" >out 2>err
    lbio_got=$?
    [ $lbio_got = "$lbio_want" ] || { echo "exit status $lbio_got"; cat out err; return 1; }
}

# -- what it is for -----------------------------------------------------------------------------------------------------
fresh
log $good logs/lbio.1.-1.1 log "data.$good/file" new
log $bad logs/lbio.2.-1.1 log "data.$bad/file" new
check 'status lists the logs of all users' lbio 1 status --logdir logs
is "$(grep -c ': 3 bytes are in the log of ended process' out)" 2 'status lists the logs of all users: two lines'
check 'recover --user: one user' lbio 0 recover --logdir logs --user $good
is "$(cat data.*/file | tr '\n' ' ')$(ls logs)" 'new old lbio.2.-1.1' 'recover --user: nobody else'
check 'recover --all: all' lbio 0 recover --logdir logs --all
is "$(cat data.*/file | tr '\n' ' ')$(ls logs)" 'new new ' 'recover --all: the file is complete, the log is removed'
log $good logs/lbio.1.-1.1 log "data.$good/file" own
marker $good "data.$good/file" "$open/logs/lbio.1.-1.1"
check 'status FILE' lbio 1 status "data.$good/file"
is "$(cat out)" "data.$good/file: bytes are in the log $open/logs/lbio.1.-1.1 on $(uname -n)" 'status FILE says where its data is'
check 'drain FILE' lbio 0 drain --timeout 5 "data.$good/file"
is "$(cat data.$good/file)" own 'drain FILE: it is complete'

# -- groups -------------------------------------------------------------------------------------------------------------
fresh
mkdir proj && echo budget >proj/file && chown 0:60099 proj/file && chmod 664 proj/file
log $bad logs/lbio.1.-1.1 log proj/file stolen
chgrp 60099 logs/lbio.1.-1.1
check 'the log has a foreign group' lbio 1 recover --logdir logs --all
is "$(cat proj/file)" budget 'the log has a foreign group: its rights are not used'

# -- markers ------------------------------------------------------------------------------------------------------------
fresh
log 0 logs/lbio.1.-1.1 log root/file replayed
marker $bad "data.$bad/file" "$open/logs/lbio.1.-1.1"
check "a user's marker names root's log" lbio 1 drain --timeout 1 "data.$bad/file"
is "$(cat root/file)$(ls logs)" "root'slbio.1.-1.1" "a user's marker names root's log: it is left alone"
log $good logs/lbio.2.-1.1 log "data.$good/file" replayed
marker $bad "data.$bad/file" "$open/logs/lbio.2.-1.1"
check "a user's marker names another user's log" lbio 1 drain --timeout 1 "data.$bad/file"
is "$(cat data.$good/file)" old "a user's marker names another user's log: it is left alone"
printf '\nsecret 1 /to/nobody\n' >root/secret && chmod 600 root/secret
rm data.$bad/.file.lbio
ln root/secret data.$bad/.file.lbio
check "a file of root's has the name of a marker" lbio 1 status "data.$bad/file"
is "$(cat out err)" '' "a file of root's has the name of a marker: it is not printed"
rm data.$bad/.file.lbio
ln -s ../root/secret data.$bad/.file.lbio
lbio 1 status "data.$bad/file"
is "$(cat out err)" '' "a link to a file of root's has the name of a marker: it is not printed"
rm data.$bad/.file.lbio
mkfifo data.$bad/.file.lbio && chown $bad data.$bad/.file.lbio
check 'a pipe has the name of a marker' lbio 1 status "data.$bad/file"

# -- names are exchanged meanwhile --------------------------------------------------------------------------------------
# exchanged AFTER NAME OTHER COMMAND...: when it has looked at AFTER, the names are exchanged
exchanged() {
    exchange_after=$1 exchange_name=$2 exchange_other=$3
    shift 3
    env "LD_PRELOAD=$open/exchange.so" "EXCHANGE_AFTER=$exchange_after" "EXCHANGE_NAME=$exchange_name" \
        "EXCHANGE_OTHER=$exchange_other" timeout 30 "$@" >out 2>err
}

# The marker's path leads to a directory of root's, and then to the forged log.
fresh
mkdir data.$bad/forged
log $bad data.$bad/forged/bin log root/file stolen
ln -s /usr data.$bad/now
ln -s "$open/data.$bad/forged" data.$bad/then
marker $bad "data.$bad/file" "$open/data.$bad/now/bin"
exchanged /bin "$open/data.$bad/now" "$open/data.$bad/then" "$bin/lbio" drain --timeout 0 "data.$bad/file"
is "$(cat root/file)" "root's" "a marker's path is exchanged meanwhile: root's file stays"
is "$(readlink data.$bad/then)" /usr "a marker's path is exchanged meanwhile: it was so"

# Below a directory in which all may rename, the log of one user and a forged one have one name.
fresh
chmod 777 logs
mkdir logs/lbio.1.-1.1 && chown $good logs/lbio.1.-1.1
log $bad logs/forged log "data.$good/file" stolen
chmod 666 logs/forged/*
exchanged lbio.1.-1.1 "$open/logs/lbio.1.-1.1" "$open/logs/forged" "$bin/lbio" recover --logdir logs --all
is "$(cat data.$good/file)" old "a log's directory is exchanged meanwhile: another user's file stays"
is "$(stat -c %u logs/forged)" $good "a log's directory is exchanged meanwhile: it was so"

# -- what a user may leave does not harm others -------------------------------------------------------------------------
# others TEXT STATUS [OPTION]...: the other user's log is recovered all the same, soon
others() {
    text=$1 want=$2
    shift 2
    log $good logs/lbio.9.-1.1 log "data.$good/file" new
    begun=$(date +%s)
    check "$text: ends" lbio "$want" recover --logdir logs --all --time-limit 4 "$@"
    is "$(cat data.$good/file)" new "$text: the other user's log is recovered"
    [ $(($(date +%s) - begun)) -le 12 ] && ok "$text: soon" || not_ok "$text: soon" "$(($(date +%s) - begun)) s"
}
fresh
log $bad logs/lbio.1.-1.1 sparse data.$bad/file
echo old >data.$bad/file.2 && chown $bad data.$bad/file.2
log $bad logs/lbio.2.-1.1 sparse data.$bad/file.2
others 'logs of 32 GB without contents' 0
fresh
log $bad logs/lbio.1.-1.1 numbered data.$bad/file
others 'a log with the largest number of a file' 1
fresh
log $bad logs/lbio.1.-1.1 log data.$bad/file new
rm logs/lbio.1.-1.1/meta.0 && mkfifo logs/lbio.1.-1.1/meta.0 && chown $bad logs/lbio.1.-1.1/meta.0
mkdir logs/lbio.2.-1.1 && mkfifo logs/lbio.2.-1.1/map && chown -R $bad logs/lbio.2.-1.1
ln -s /etc logs/lbio.3.-1.1
others 'pipes and links' 1
fresh
for i in $(seq 200); do
    echo old >"data.$bad/f$i"
    marker $bad "data.$bad/f$i" "$open/logs/lbio.1.-1.1"
done
chown -R $bad data.$bad
log $bad logs/lbio.1.-1.1 many data.$bad/f[1-9]*
cat >lock.py <<'END'
import fcntl, struct, sys, time
files = [open(name, 'r+') for name in sys.argv[1:]]
for f in files:
    fcntl.fcntl(f, 37, struct.pack('hhqqi4x', fcntl.F_WRLCK, 0, 0, 0, 0)) # F_OFD_SETLK
print('held', flush=True)
time.sleep(100)
END
as $bad "$PYTHON3" lock.py data.$bad/.f*.lbio >held &
holder=$!
wait_until test -s held
others 'markers that are locked' 1
check 'markers that are locked: who it is stands on stderr' grep -q "^lbio: user $bad: not finished within 4 s" err
kill $holder

# -- what is not in a log -------------------------------------------------------------------------------------------------
fresh
echo old >"data.$good/other" && chown $good "data.$good/other"
log $good logs/lbio.1.-1.1 absent "data.$good/file" "data.$good/other"
check 'recover of a log without all of its data' lbio 1 recover --logdir logs --all
is "$(cat err)" "lbio recover: $open/logs/lbio.1.-1.1: the data of 1 writes is not in the log, which stays (--discard drops it)" \
    'recover of a log without all of its data says so'
is "$(head -c 1 "data.$good/file")$(head -c 1 "data.$good/other")" xo 'what is there is recovered'

# -- what is no log -----------------------------------------------------------------------------------------------------
fresh
ln -s root link
check 'recover of what is not there' lbio 1 recover nowhere
is "$(cat err)" 'lbio recover: nowhere: No such file or directory' 'recover of what is not there says so'
check 'recover of a link' lbio 1 recover link
is "$(cat err)" "lbio recover: link: is not a directory, or is a user's mount" 'recover of a link says so'
rm link
mkdir -m 755 other && chown $good other
is "$(as $bad "$bin/lbio" recover other 2>&1)" 'lbio recover: other: belongs to another user' "nobody recovers another user's"

# -- what is printed ----------------------------------------------------------------------------------------------------
fresh
name=$(printf 'a\033[2Jb\nforged: 1\302\233c\342\200\256d\377e\330\234f')
echo old >"data.$bad/$name" && chown $bad "data.$bad/$name"
log $bad logs/lbio.1.-1.1 log "data.$bad/$name" new
check 'status with a hostile name' lbio 1 status --logdir logs
is "$(cat out)" "$open/data.$bad/a?[2Jb?forged: 1??c???d?e??f: 3 bytes are in the log of ended process 999999999: run lbio recover --all" \
    'status: nothing of the name acts on a terminal'
marker $bad "data.$bad/$name" "$open/logs/lbio.1.-1.1$(printf '\302\233')"
lbio 1 status "data.$bad/$name"
is "$(cat out)" "data.$bad/a?[2Jb?forged: 1??c???d?e??f: bytes are in the log $open/logs/lbio.1.-1.1?? on $(uname -n)" 'status FILE: nor of a marker'
as $bad env LC_ALL=C "$bin/lbio" status --logdir logs >out 2>err
is "$(grep -c "a?\[2Jb?forged: 1??c???d?e??f: 3 bytes" out)" 1 'status: nor for the user'
rm "data.$bad/$name"
check 'recover with a hostile name' lbio 1 recover --logdir logs --all
is "$(cat err)" "lbio recover: $open/data.$bad/a?[2Jb?forged: 1??c???d?e??f: has been changed, replaced or removed since; 3 bytes that were logged for it are, at their offsets, in $open/data.$bad/a?[2Jb?forged: 1??c???d?e??f.lbio-pending" 'recover: nor there'
finish
