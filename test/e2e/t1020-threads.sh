# t1020-threads.sh - two threads on one file: no call and no byte is lost
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"
. "$DSN_SRC/test/e2e/known.sh"

known nonmpi 0 threads.c
known static 1 threads.c

# ---- a user-level thread that another thread goes on with in the middle of a call, as runtimes of tasks do
cat >moved.c <<'END'
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <ucontext.h>
#include <unistd.h>

static ucontext_t first, second, task, *holder = &first;
static char stack[1 << 18];
static int in_task;

void yield_within(void)
{
    if (in_task) {
        in_task = 0;
        swapcontext(&task, holder);
    }
}

static void run(void)
{
    const int fd = open("data", O_RDWR | O_CREAT, 0600);
    char text[6] = "abcdef";

    if (write(fd, text, sizeof text) != sizeof text)
        _exit(3);
    in_task = 1;
    printf("%zd bytes after moving\n", pread(fd, text, 4, 0));
    close(fd);
    swapcontext(&task, holder);
}

static void *go_on(void *unused)
{
    holder = &second;
    swapcontext(&second, &task);
    return unused;
}

int main(void)
{
    pthread_t other;
    int fd;

    getcontext(&task);
    task.uc_stack.ss_sp = stack;
    task.uc_stack.ss_size = sizeof stack;
    makecontext(&task, run, 0);
    swapcontext(&first, &task);
    pthread_create(&other, NULL, go_on, NULL);
    pthread_join(other, NULL);
    fd = open("later", O_RDWR | O_CREAT, 0600); /* by the thread whose call another one ended */
    return fd < 0 || write(fd, stack, 7) != 7 || close(fd) != 0;
}
END
cat >yielding.c <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <unistd.h>

extern void yield_within(void) __attribute__((weak));

ssize_t pread(int fd, void *to, size_t n, off_t at)
{
    ssize_t (*real)(int, void *, size_t, off_t) = dlsym(RTLD_NEXT, "pread");

    if (yield_within)
        yield_within();
    return real(fd, to, n, at);
}
END
check 'compiles: a call that yields' cc -Wall -O2 -rdynamic -o moved moved.c -lpthread
check 'compiles: the library that yields' cc -Wall -O2 -shared -fPIC -o yielding.so yielding.c
is "$(env DARSHAN_ENABLE_NONMPI=1 DARSHAN_LOGFILE="$PWD/moved.darshan" "LD_PRELOAD=$preload $PWD/yielding.so" ./moved) $?" \
    '4 bytes after moving 0' 'a call ends in another thread than it began in'
"$DSN_PREFIX/bin/darshan-parser" moved.darshan >moved.txt
is "$(awk '$4 ~ /^POSIX_(READS|WRITES|BYTES_READ|BYTES_WRITTEN)$/ { print $4 "=" $5 }' moved.txt | sort | tr '\n' ' ')" \
    'POSIX_BYTES_READ=0 POSIX_BYTES_READ=4 POSIX_BYTES_WRITTEN=6 POSIX_BYTES_WRITTEN=7 POSIX_READS=0 POSIX_READS=1 POSIX_WRITES=1 POSIX_WRITES=1 ' \
    'it is counted, and so is what both threads do later'
finish
