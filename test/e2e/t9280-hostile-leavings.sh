# t9280-hostile-leavings.sh - darshan-recover as root: with the user's rights only, and files of one user do not prevent
# another's recovery
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"
. "$DSN_SRC/test/e2e/known.sh"

[ "$(id -u)" = 0 ] && setpriv --reuid 65534 --regid 65534 --clear-groups true 2>/dev/null || skip_all 'rights of root, setpriv (util-linux)'

open=$(mktemp -d "${TMPDIR:-/tmp}/darshan-open.XXXXXX") && chmod 755 "$open" || exit 1
holder=
trap 'kill $holder 2>/dev/null; rm -rf "$open"' EXIT
mkdir -m 1777 "$open/shm" "$open/logs"
cp "$DSN_PREFIX/lib/libdarshan.so" "$open/"
check 'compiles what is killed' cc -g -Wall -o "$open/endings" "$work/endings.c"
good=60001 bad=60002 # the second one comes first in no order that matters: both are tried

for uid in $good $bad; do
    mkdir -m 700 "$open/data.$uid"
    chown $uid:$uid "$open/data.$uid"
done

# killed UID GROUP: a program of that user leaves what it has counted
killed() {
    (cd / && exec setpriv --reuid "$1" --regid "$2" --clear-groups env "LOGNAME=u$1" "DARSHAN_LOGPATH=${logs:-$open/logs}" \
        "DARSHAN_MMAP_LOGPATH=$open/shm" DARSHAN_ENABLE_NONMPI=1 "LD_PRELOAD=$open/libdarshan.so" \
        "$open/endings" "$open/data.$1" kill) >out 2>err
}

# recover [OPTION]...: as root, for all, in less than a minute
recover() {
    DARSHAN_MMAP_LOGPATH=$open/shm timeout 60 "$DSN_PREFIX/bin/darshan-recover" --all "$@" >recover.out 2>recover.err
    echo $?
}

logs_of() {
    find "$open/logs" -type f -user "$1" -name '*.darshan' | wc -l | tr -d ' '
}

fresh() {
    rm -rf "$open/shm"/* "$open/logs"/*
    killed $good $good
    killed $bad $bad
}

# leave COMMAND...: by the user who is hostile, in his directory
leave() {
    (cd "$open/shm/darshan-$bad" && exec setpriv --reuid $bad --regid $bad --clear-groups "$@")
}

# -- groups
fresh
chgrp 60099 "$open/shm/darshan-$good"
is "$(recover)" 0 'the directory has a foreign group: recovered'
is "$(find "$open/logs" -user $good -printf '%G\n')" 65534 'the directory has a foreign group: the log has not'
nobody=$(id -g nobody 2>/dev/null)
if [ -n "$nobody" ]; then
    rm -rf "$open/data.65534"
    mkdir -m 700 "$open/data.65534"
    chown 65534 "$open/data.65534"
    killed "$(id -u nobody)" 60099
    recover >/dev/null
    is "$(find "$open/logs" -user nobody -printf '%G\n')" "$nobody" 'a user whom the user database knows: the group is that of the database'
else
    skip 'a user whom the user database knows' 'user nobody'
fi

# -- what may stand there
# others TEXT STATUS: the other user's log is made
others() {
    is "$(recover --time-limit 8)" "$2" "$1: exit status"
    is "$(logs_of $good)" 1 "$1: the other user's log is made"
    rm -rf "$open/shm/darshan-$bad"
}
fresh
file=$(basename "$(ls "$open/shm/darshan-$bad"/*.survival)")
prefix=${file%-*.survival}
leave sh -c 'rm "$1"; mkfifo "$1"' sh "$file"
others 'a pipe in the place of a survival file' 1
fresh
leave mkfifo k0000000000000001-1.exit_records
others 'a pipe in the place of exit records' 0
fresh
file=$(basename "$(ls "$open/shm/darshan-$bad"/*.survival)")
prefix=${file%-*.survival}
leave mkfifo "$prefix-0.lock"
others 'a pipe in the place of the lock' 1
fresh
file=$(basename "$(ls "$open/shm/darshan-$bad"/*.survival)")
prefix=${file%-*.survival}
leave flock "$prefix-0.lock" sleep 100 &
holder=$!
wait_until test -e "$open/shm/darshan-$bad/$prefix-0.lock"
sleep 0.3
others 'a lock that is held' 1
kill $holder 2>/dev/null
check 'a lock that is held: who it is stands on stderr' grep -q "user $bad: not finished within 8 s" recover.err
fresh
leave truncate -s 5G k0000000000000001-1.exit_records
leave truncate -s 5G k0000000000000001-2.survival
others 'files of 5 GB without contents' 0
fresh
leave truncate -s 2T k0000000000000001-1.exit_records
leave truncate -s 2T k0000000000000001-2.survival
others 'files of 2 TB without contents' 0
fresh
leave ln -s /etc/shadow k0000000000000001-1.exit_records
leave mkdir -p k0000000000000001-2.survival/a k0000000000000001-2.exit_records k0000000000000001-0.lock
others 'links and directories' 1
fresh
rm -rf "$open/shm/darshan-$bad"
leave_many() {
    (cd "$open/shm" && setpriv --reuid $bad --regid $bad --clear-groups sh -c \
        'for i in $(seq 3000); do : >darshan-0000$1$i; : >darshan-$(printf %0${i}.0f 0)$1; done; mkdir -p darshan-00000$1' sh $good) 2>/dev/null
}
leave_many
others 'thousands of names for the same user' 0
rm -rf "$open/shm"/*

# -- side by side: six users whose lock is held take as long as one
rm -rf "$open/shm"/* "$open/logs"/*
holders=
for uid in 60003 60004 60005 60006 60007 60008; do
    mkdir -m 700 "$open/data.$uid" && chown $uid:$uid "$open/data.$uid"
    killed $uid $uid
    file=$(basename "$(ls "$open/shm/darshan-$uid"/*.survival)")
    (cd "$open/shm/darshan-$uid" && exec setpriv --reuid $uid --regid $uid --clear-groups flock "${file%-*.survival}-0.lock" sleep 100) &
    holders="$holders $!"
done
killed $good $good
wait_until eval '[ "$(ls "$open"/shm/*/*-0.lock | wc -l)" = 6 ]'
sleep 0.3
begun=$(date +%s)
is "$(recover --time-limit 5) $(logs_of $good)" '1 1' 'six users do not end: the log of the other is made'
took=$(($(date +%s) - begun))
[ $took -lt 25 ] && ok 'six users do not end: side by side' || not_ok 'six users do not end: side by side' "$took s"
is "$(grep -c 'not finished within 5 s' recover.err)" 6 'six users do not end: each is named'
kill $holders
rm -rf "$open/shm"/*

# -- without /dev/null
if unshare -m sh -c 'mount -t tmpfs none /dev' 2>/dev/null; then
    fresh
    is "$(unshare -m sh -c 'mount -t tmpfs none /dev && DARSHAN_MMAP_LOGPATH=$0 exec "$@"' "$open/shm" \
        "$DSN_PREFIX/bin/darshan-recover" --all 2>&1 | wc -l) $(logs_of $good) $(logs_of $bad)" '2 1 1' 'without /dev/null: the logs are made, and named'
else
    skip 'without /dev/null' 'mount namespaces'
fi

# -- what is printed
logs="$open/logs/line
darshan-recover: forged$(printf '\033')[2J"
fresh
mkdir -m 1777 "$logs"
killed $bad $bad
unset logs
recover >/dev/null
is "$(cat recover.out recover.err | grep -c '^darshan-recover: forged')" 0 'a line in the name of a directory is none in the output'
is "$(cat recover.out recover.err | tr -d '\n' | LC_ALL=C grep -c '[[:cntrl:]]')" 0 'what is printed has no control characters'
check 'what is printed is the path' grep -q '/logs/line?darshan-recover: forged?\[2J/' recover.out

# -- what stands in them (`make damaged`: many more)
check 'survival files in which anything may stand' "$PYTHON3" "$DSN_SRC/test/faults/damaged.py" "$DSN_PREFIX" 300 "$(date +%s)"

finish
