# t0110-log-failures.sh - if no log can be written, the program's output and exit status are unchanged, and one line
# reports it
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"
. "$DSN_SRC/test/e2e/known.sh"

# Root may write everywhere; so file systems are mounted, where that is possible, in a name space of our own.
if [ -z "${PRIVATE-}" ] && [ "$(id -u)" = 0 ] && unshare -m true 2>/dev/null; then
    PRIVATE=yes exec unshare -m sh "$0"
fi

dated=$(date +%-Y/%-m/%-d)

# without_log NAME WAY RANKS STATUS: the program as it runs alone, then with the tool and DARSHAN_LOGPATH as it is
without_log() {
    execute plain "$3" "./$2" "$PWD" "$4" >bare.out 2>bare.err
    bare=$?
    execute "$2" "$3" "./$2" "$PWD" "$4" >tool.out 2>tool.err
    is $? "$bare" "$1, $2, $3 ranks: exit status"
    is "$(wc -l <tool.out)" "$(wc -l <bare.out)" "$1, $2, $3 ranks: output"
    grep '^darshan: ' tool.err >said
    is "$(wc -l <said | tr -d ' ')" 1 "$1, $2, $3 ranks: one warning"
    grep -v '^darshan: ' tool.err >other
    grep -v '^darshan: ' bare.err >bare.other
    is "$(wc -l <other)" "$(wc -l <bare.other)" "$1, $2, $3 ranks: nothing else on stderr"
    remains=$(find "$DARSHAN_LOGPATH" -type f -name '*darshan*' 2>/dev/null)
    is "$remains" '' "$1, $2, $3 ranks: no remains"
}

all() {
    without_log "$1" nonmpi 0 7
    without_log "$1" preload 1 0
    without_log "$1" preload 3 0
    without_log "$1" static 2 0
}

for way in nonmpi preload static; do
    check "compiles, $way" compile $way "./$way" hello.c
done

DARSHAN_LOGPATH=$PWD/nowhere
all 'directory missing'
: >file
DARSHAN_LOGPATH=$PWD/file
all 'a file in place of the directory'

DARSHAN_LOGPATH=$PWD/mounted
mkdir -p "$DARSHAN_LOGPATH"
if [ -n "${PRIVATE-}" ] && mount -t tmpfs -o size=64k none "$DARSHAN_LOGPATH" 2>/dev/null; then
    mkdir -p "$DARSHAN_LOGPATH/$dated"
    dd if=/dev/zero of="$DARSHAN_LOGPATH/filler" bs=1k 2>/dev/null
    all 'file system full'
    rm "$DARSHAN_LOGPATH/filler"
    mount -o remount,ro "$DARSHAN_LOGPATH"
    all 'file system read-only'
    umount "$DARSHAN_LOGPATH"
else
    skip 'file system full' 'right to mount'
    skip 'file system read-only' 'right to mount'
fi

# Writing over the limit raises SIGXFSZ, which would kill the program.
DARSHAN_LOGPATH=$PWD/limited
mkdir -p "$DARSHAN_LOGPATH/$dated"
sh -c 'ulimit -f 1; exec "$@"' sh env DARSHAN_LOGPATH="$DARSHAN_LOGPATH" DARSHAN_ENABLE_NONMPI=1 \
    LD_PRELOAD="$DSN_PREFIX/lib/libdarshan.so" ./nonmpi "$PWD" 7 >tool.out 2>tool.err
is $? 7 'file size limit: exit status'
is "$(grep -c '^darshan: ' tool.err)" 1 'file size limit: one warning'
is "$(find "$DARSHAN_LOGPATH" -type f)" '' 'file size limit: no remains'

# A process that may open nothing more at its end still says so.
cat >closing.c <<'END'
#include <stdio.h>
#include <sys/resource.h>

int main(void)
{
    const struct rlimit none = { 0, 0 };

    return fclose(fopen("file.written", "w")) == 0 && setrlimit(RLIMIT_NOFILE, &none) == 0 ? 7 : 1;
}
END
check 'no descriptors: compiles' cc -o closing closing.c
env DARSHAN_LOGPATH="$DARSHAN_LOGPATH" DARSHAN_ENABLE_NONMPI=1 LD_PRELOAD="$DSN_PREFIX/lib/libdarshan.so" ./closing >tool.out 2>tool.err
is $? 7 'no descriptors: exit status'
is "$(grep -c '^darshan: no log of this job: .*Too many open files' tool.err)" 1 'no descriptors: one warning'

# A file system that loses a byte without an error: the log is read back. SPOILED: of which writes, by size.
cat >spoils.c <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

ssize_t pwrite(int fd, const void *bytes, size_t n, off_t at)
{
    ssize_t (*next)(int, const void *, size_t, off_t) =
        (ssize_t(*)(int, const void *, size_t, off_t))dlsym(RTLD_NEXT, "pwrite");
    char *copy;
    ssize_t done;

    if (n < (size_t)atol(getenv("SPOILED")))
        return next(fd, bytes, n, at);
    copy = malloc(n);
    memcpy(copy, bytes, n);
    copy[n - 1] ^= 1;
    done = next(fd, copy, n, at);
    free(copy);
    return done;
}
END
check 'a byte is lost: compiles' cc -shared -fPIC -o spoils.so spoils.c -ldl
check 'a byte is lost: compiles what has many files' compile nonmpi ./many many-files.c
mkdir -p data logs
for size in 1 65537 100000000; do
    rm -f logs/*
    env SPOILED=$size DARSHAN_LOGFILE="$PWD/logs/log" DARSHAN_MAX_RECORDS=5000 DARSHAN_MODMEM=16 DARSHAN_NAMEMEM=16 \
        DARSHAN_ENABLE_NONMPI=1 LD_PRELOAD="$DSN_PREFIX/lib/libdarshan.so:$PWD/spoils.so" ./many "$PWD/data" >out 2>err
    is $? 0 "a byte is lost of writes from $size on: exit status"
    if [ $size = 100000000 ]; then
        is "$(ls logs)" log 'no byte is lost: there is a log'
        check 'no byte is lost: a part of the log is large' test "$(stat -c %s logs/log)" -gt 131072
    else
        is "$(grep -c '^darshan: no log of this job: .*Input/output error' err)" 1 "a byte is lost, $size: one warning"
        is "$(ls logs)" '' "a byte is lost, $size: no remains"
    fi
done

if [ "$(id -u)" != 0 ]; then
    DARSHAN_LOGPATH=$PWD/closed
    mkdir -p "$DARSHAN_LOGPATH/$dated"
    chmod 555 "$DARSHAN_LOGPATH/$dated"
    execute nonmpi 0 ./nonmpi "$PWD" 0 >tool.out 2>tool.err
    is "$(find "$DARSHAN_LOGPATH/${dated%/*}" -maxdepth 1 -name '*.darshan' | wc -l)" 1 'day not writable: the log is in the month'
    rm -f "$DARSHAN_LOGPATH/${dated%/*}"/*.darshan
    find "$DARSHAN_LOGPATH" -type d -exec chmod 555 {} +
    all 'directory not writable'
    chmod -R u+w "$DARSHAN_LOGPATH"
else
    skip 'directory not writable' 'another user than root'
fi
# -- no directory
DARSHAN_LOGPATH= DARSHAN_ENABLE_NONMPI=1 run preload 0 sh -c 'echo x >empty.to' 2>err
is "$(cut -d: -f 1-3 err)" 'darshan: no log of this job: no directory, or too long a path' 'no directory is set: says so'
finish
