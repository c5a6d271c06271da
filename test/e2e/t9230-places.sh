# t9230-places.sh - without a directory for survival files, or with a manipulated one, programs run normally and have a
# log
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"
. "$DSN_SRC/test/e2e/known.sh"

survival=darshan-$(id -u)
mkdir data
check 'compiles' cc -g -Wall -o family "$work/family.c"
check 'compiles what refuses calls' cc -g -Wall -o refuse "$work/refuse.c"
check 'compiles another library' cc -g -Wall -shared -fPIC -o chain.so "$work/chain.c"
check 'compiles what loads the library' cc -g -Wall -o loads "$work/loads.c" -ldl

# tried TEXT COMMAND...: the exit status is 0, and nothing is said
tried() {
    tried_text=$1
    shift
    rm -rf data
    mkdir data
    fresh_logs
    check "$tried_text: runs" status 0 "$@"
    is "$(cat err)" '' "$tried_text: nothing on stderr"
}

# place TEXT COMMAND...: there is a log of family's ("fork") parent and child, in one or two parts
place() {
    place_text=$1
    shift
    tried "$@"
    for log in $(find "$DARSHAN_LOGPATH" -name '*.darshan'); do
        decode "$log" --text
    done | awk '/\tPOSIX_BYTES_WRITTEN\t.*\/(root|two)\t/ { n += $5 } END { print n + 0 }' >place.sum
    is "$(cat place.sum)" 4 "$place_text: all is in the log"
}

tool() {
    env DARSHAN_ENABLE_NONMPI=1 "LD_PRELOAD=$preload" "$@"
}

# with DIRECTORY: the program with its survival files there
with() {
    DARSHAN_MMAP_LOGPATH=$1 tool ./family "$PWD/data" fork
}

usual() {
    place "$1" "$1" with "$2"
}

# -- directories
usual 'no such directory' "$PWD/nowhere"
usual 'a relative directory' img
: >file
usual 'a file' "$PWD/file"
usual 'none' none
mkdir link others wide
mkdir elsewhere
ln -s "$PWD/elsewhere" "link/$survival"
usual 'a symbolic link in the place of the directory' "$PWD/link"
is "$(ls elsewhere)" '' 'a symbolic link in the place of the directory: nothing was written behind it'
mkdir -m 777 "wide/$survival"
chmod 777 "wide/$survival"
usual 'a directory that all may write to' "$PWD/wide"
is "$(ls "wide/$survival")" '' 'a directory that all may write to: nothing was written there'
if [ "$(id -u)" = 0 ]; then
    mkdir -m 700 "others/$survival"
    chown 65534 "others/$survival"
    usual "somebody else's directory" "$PWD/others"
    is "$(ls "others/$survival")" '' "somebody else's directory: nothing was written there"
else
    skip "somebody else's directory" 'rights of root'
fi

# -- file systems
# mounted SIZE OPTION: a small tmpfs at ./mounted
mounted() {
    mkdir -p mounted
    mount -t tmpfs -o "size=$1" none mounted 2>/dev/null
}
if mounted 16k; then
    usual 'a file system of 16 KB' "$PWD/mounted"
    is "$(ls "mounted/$survival")" '' 'a file system of 16 KB: nothing is left there'
    umount mounted
    mounted 400k
    DARSHAN_MMAP_LOGPATH=$PWD/mounted
    known nonmpi 1 many-files.c
    umount mounted
    mounted 1m
    mount -o remount,ro mounted
    usual 'a file system that cannot be written to' "$PWD/mounted"
    umount mounted
    DARSHAN_MMAP_LOGPATH=$DSN_SCRATCH
else
    skip 'full file systems' 'right to mount'
fi
if unshare -m true 2>/dev/null; then
    mkdir shm
    place 'no /proc' 'no /proc' unshare -m sh -c 'mount -t tmpfs none /proc && exec "$@"' sh \
        env DARSHAN_ENABLE_NONMPI=1 "LD_PRELOAD=$preload" ./family "$PWD/data" fork
    place 'no /dev/shm' 'no /dev/shm' unshare -m sh -c 'mount -t tmpfs -o ro none /dev/shm && unset DARSHAN_MMAP_LOGPATH && exec "$@"' \
        sh env DARSHAN_ENABLE_NONMPI=1 "LD_PRELOAD=$preload" ./family "$PWD/data" fork
else
    skip 'no /proc, no /dev/shm' 'right to make namespaces'
fi

# -- limits
limited() {
    place "$1" "$1" sh -c "ulimit $2; exec \"\$@\"" sh env DARSHAN_ENABLE_NONMPI=1 "LD_PRELOAD=$preload" \
        ./family "$PWD/data" fork
}
limited 'files of 512 KB at most' '-f 1024'
limited '8 descriptors' '-n 8'
limited '20 MB of address space' '-v 20000'
echo word >small
tried 'the limit of files is set before an exec' tool dash -c \
    'read x <small; ulimit -f 0; exec ./family "$0" child none 0' "$PWD/data"
"$DSN_PREFIX/bin/darshan-recover" --mine >recover.out 2>&1
is "$(count_logs)" 1 'the limit of files is set before an exec: a log of what was before, by darshan-recover at the latest'
[ "$(id -u)" = 0 ] && umask 0777 || umask 0577 # the program opens its file twice, to write
tried 'umask 0777' tool ./family "$PWD/data" none
umask 022
is "$(count_logs)" 1 'umask 0777: a log'
is "$(ls "$survival")" '' 'umask 0777: nothing is left behind'

# -- names
long=$(printf '%0300d' 7)
place 'a long user name' 'a long user name' env "USER=$long" "LOGNAME=$long" DARSHAN_ENABLE_NONMPI=1 \
    "LD_PRELOAD=$preload" ./family "$PWD/data" fork
place 'a job id that is no number' 'a job id that is no number' env 'SLURM_JOB_ID=a/../b c' 'PBS_JOBID=x[]' \
    DARSHAN_ENABLE_NONMPI=1 "LD_PRELOAD=$preload" ./family "$PWD/data" fork

# -- other libraries
place 'another library behind' 'another library behind' env DARSHAN_ENABLE_NONMPI=1 "LD_PRELOAD=$preload $PWD/chain.so" \
    ./family "$PWD/data" fork
is "$(count_logs)" 1 'another library behind: one log'
place 'another library before' 'another library before' env DARSHAN_ENABLE_NONMPI=1 "LD_PRELOAD=$PWD/chain.so $preload" \
    ./family "$PWD/data" fork
is "$(count_logs)" 1 'another library before: one log'
tried 'dlopen and dlclose' env DARSHAN_ENABLE_NONMPI=1 ./loads "$preload" "$PWD/data"
is "$(ls "$survival")" '' 'dlopen and dlclose: nothing is left behind'

# -- calls that a sandbox refuses: there is another way for each
if ./refuse flock 1 true; then
    for call in $(./refuse list); do
        for error in 1 38; do
            rm -rf data
            mkdir data
            fresh_logs
            timeout 200 ./refuse "$call" $error env DARSHAN_ENABLE_NONMPI=1 "LD_PRELOAD=$preload" ./family "$PWD/data" none \
                >out 2>err
            is $? 0 "$call fails with $error: exit status"
            check "$call fails with $error: a log" decode "$(latest_log)" --strict
        done
    done
    rm -rf "$survival"
else
    skip 'calls that are refused' 'kernel: seccomp'
fi

# -- a container of 64 MB, to which survival files count, too
group=/sys/fs/cgroup/memory/darshan-test.$$
if mkdir "$group" 2>/dev/null && echo 67108864 >"$group/memory.limit_in_bytes"; then
    check 'compiles what fills memory' cc -g -Wall -o fills "$work/fills.c"
    for grows in '' grow; do
        rm -rf data
        mkdir data
        fresh_logs
        sh -c 'echo $$ >"$0/tasks"; exec "$@"' "$group" env DARSHAN_ENABLE_NONMPI=1 "LD_PRELOAD=$preload" \
            ./fills "$PWD/data" $grows >out 2>err
        is $? "$([ "$grows" ] && echo 137 || echo 0)" "64 MB, fills $grows: exit status"
        [ ! "$grows" ] || "$DSN_PREFIX/bin/darshan-recover" --all >recover.out 2>&1
        is "$("$DSN_PREFIX/bin/darshan-parser" --total --show-incomplete "$(latest_log)" |
            sed -n 's/^total_POSIX_\(OPENS\|BYTES_WRITTEN\): //p' | tr '\n' ' ')" '2000 20000 ' "64 MB, fills $grows: totals"
    done
    rmdir "$group"
else
    skip 'a container of 64 MB' 'right to make memory groups (cgroup v1)'
fi

# -- without survival files the log is made before an exec; one that fails is not the end
check 'compiles what ends' cc -g -Wall -o endings "$work/endings.c"
tried 'an exec fails without survival files' env DARSHAN_MMAP_LOGPATH=none DARSHAN_ENABLE_NONMPI=1 "LD_PRELOAD=$preload" \
    ./endings "$PWD/data" exec-fails
is "$(count_logs)" 2 'an exec fails without survival files: a log of what was before, another of what came then'
for log in $(find "$DARSHAN_LOGPATH" -name '*.darshan'); do
    check 'an exec fails without survival files: a sound log' decode "$log" --strict
    decode "$log" --text >>both
done
is "$(awk '/\tPOSIX_BYTES_WRITTEN\t.*\/(own.0|after)\t/ { n += $5 } END { print n + 0 }' both)" 107 \
    'an exec fails without survival files: all is in them'

# -- without survival files each process makes a log, under a name of its own where DARSHAN_LOGFILE names one
DARSHAN_LOGFILE=$PWD/named/job.darshan
export DARSHAN_LOGFILE
# named TEXT COMMAND...: all processes together write $named_want bytes, and each has a log
named() {
    named_text=$1
    shift
    rm -rf named
    mkdir named
    tried "$named_text" "$@"
    is "$(ls named/job.darshan)" named/job.darshan "$named_text: the first process has the name"
    is "$(ls named | grep -Evc '^job(\.[0-9]+)*\.darshan$')" 0 "$named_text: the others have numbers in theirs"
    for log in named/*; do
        check "$named_text: a sound log" decode "$log" --strict
        decode "$log" --text >>named.all
    done
    is "$(awk '/\tPOSIX_BYTES_WRITTEN\t.*\/data\// { n += $5 } END { print n + 0 }' named.all)" "$named_want" \
        "$named_text: all is in them"
    rm -f named.all
}
bare() {
    DARSHAN_MMAP_LOGPATH=none tool "$@"
}
for way in fork fork-exec vfork spawn system; do
    rm -rf data
    mkdir data
    ./family "$PWD/data" "$way"
    named_want=$(cat data/* | wc -c | tr -d ' ')
    named "without survival files, $way" bare ./family "$PWD/data" "$way"
done
named_want=107
named 'without survival files, an exec fails' bare ./endings "$PWD/data" exec-fails
named_want=3
named 'without survival files, three programs in one process' bare dash -c \
    'echo >"$0/a"; exec dash -c "echo >\$0/b; exec dash -c \"echo >\\\$0/c\" \$0" "$0"' "$PWD/data"
unset DARSHAN_LOGFILE

# -- a process whose survival file has no path any more, and no descriptor, still has room in it
if [ "$(id -u)" != 0 ]; then
    skip 'another root directory' 'rights of root'
elif [ "$(./refuse try populate-write)" != 0 ]; then
    skip 'another root directory' 'kernel: MADV_POPULATE_WRITE (Linux 5.14)'
else
    mkdir root
    fresh_logs
    tool "$PYTHON3" -E -S -c 'import os, signal
os.chroot("root")
for i in range(600):
    os.close(os.open("/file%d" % i, os.O_RDWR | os.O_CREAT))
os.kill(os.getpid(), signal.SIGKILL)' >/dev/null 2>&1
    check 'another root directory: recovered' status 0 "$DSN_PREFIX/bin/darshan-recover" --mine
    is "$(decode "$(latest_log)" --text | grep -c 'POSIX_OPENS.*/file')" 600 'another root directory: all files are in the log'
fi

# -- what looks for leavings leaves none
fresh_logs
check 'darshan-recover, preloaded' tool "$DSN_PREFIX/bin/darshan-recover" --all
is "$(count_logs) $(ls -A "$survival" 2>/dev/null)" '0 ' 'darshan-recover, preloaded: is not recorded'

# -- a program with another user's rights does not listen to the environment
if [ "$(id -u)" = 0 ] && [ "$(stat -f -c %T .)" ] && command -v setpriv >/dev/null; then
    open=$(mktemp -d) && chmod 777 "$open" # where everybody can come to
    cp family "$open/family.setuid"
    chmod 4755 "$open/family.setuid"
    fresh_logs
    before=$(ls -A "$DSN_SCRATCH")
    setpriv --reuid 65534 --regid 65534 --clear-groups env DARSHAN_ENABLE_NONMPI=1 "LD_PRELOAD=$preload" \
        "$open/family.setuid" "$open" none >out 2>err
    is "$? $(count_logs)" '0 0' 'setuid: runs, unseen'
    rm -rf "$open"
    is "$(ls -A "$DSN_SCRATCH")" "$before" 'setuid: nothing is written with its rights'
else
    skip 'setuid' 'rights of root, setpriv (util-linux)'
fi

# -- a directory that the configuration file names is where programs write and commands look
mkdir -p named unnamed
echo "MMAP_LOGPATH $PWD/named" >conf
echo "MMAP_LOGPATH $PWD/unnamed" >other
check 'compiles what stays' compile nonmpi ./schedule schedule.c
fresh_logs
env -u DARSHAN_MMAP_LOGPATH DARSHAN_CONFIG_PATH="$PWD/conf" DARSHAN_ENABLE_NONMPI=1 "LD_PRELOAD=$preload" \
    ./schedule "$PWD/data/stays" w 1000 10 60 &
wait_until test -s data/stays
commands() {
    env -u DARSHAN_MMAP_LOGPATH DARSHAN_CONFIG_PATH="$PWD/$1" "$DSN_PREFIX/bin/darshan-top" --once --json | grep -c '"pid"'
    env -u DARSHAN_MMAP_LOGPATH DARSHAN_CONFIG_PATH="$PWD/$1" "$DSN_PREFIX/bin/darshan-recover" -o recovered | grep -c 'recovered/'
}
mkdir recovered
is "$(commands conf | head -1)" 1 'configured directory: darshan-top sees the program'
is "$(commands other | head -1)" 0 'another directory: darshan-top sees none'
kill -9 $!
wait $! 2>/dev/null
is "$(commands other | tail -1) $(commands conf | tail -1) $(ls recovered | grep -c .)" '0 1 1' 'configured directory: darshan-recover finds what is left'
finish
