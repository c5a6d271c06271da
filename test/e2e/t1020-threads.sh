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

# ---- streams: each has a position of its own, and many threads wait for no lock of a file's record
cat >streams.c <<'END'
#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { THREADS = 8, ITEMS = 20000 };

static FILE *all;
static int is_own, failed;

static void *write_items(void *unused)
{
    FILE *f = is_own ? fopen("streams.data", "r+") : all;

    for (int i = 0; i < ITEMS; i++)
        failed |= fwrite("0123456789", 1, 10, f) != 10;
    if (is_own)
        failed |= fclose(f) != 0;
    return unused;
}

int main(int argc, char **argv)
{
    pthread_t thread[THREADS];

    is_own = argc > 1 && strcmp(argv[1], "own") == 0;
    all = fopen("streams.data", "w");
    for (int i = 0; i < THREADS; i++)
        pthread_create(&thread[i], NULL, write_items, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    return fclose(all) != 0 || failed;
}
END
check 'compiles: streams' cc -Wall -O2 -o streams streams.c -lpthread
# streams OPENS HIGHEST HOW: what 8 threads write by one stream or by their own, 200,000 bytes each
streams() {
    rm -f streams.darshan
    env DARSHAN_ENABLE_NONMPI=1 DARSHAN_LOGFILE="$PWD/streams.darshan" LD_PRELOAD="$preload" ./streams "$3" &&
        "$DSN_PREFIX/bin/darshan-parser" streams.darshan >streams.txt &&
        awk -v opens="$1" -v highest="$2" '
            /streams.data/ { v[$4] = $5 }
            END {
                time = v["STDIO_F_WRITE_TIME"]
                span = v["STDIO_F_WRITE_END_TIMESTAMP"] - v["STDIO_F_WRITE_START_TIMESTAMP"]
                if (v["STDIO_OPENS"] == opens && v["STDIO_MAX_BYTE_WRITTEN"] == highest && v["STDIO_WRITES"] == 160000 &&
                    v["STDIO_BYTES_WRITTEN"] == 1600000 && time > 0 && time <= span + 0.000002)
                    exit 0
                for (name in v)
                    print name, v[name]
                exit 1
            }' streams.txt
}
check 'one stream of 8 threads' streams 1 1599999 one
check 'own streams of 8 threads on one file' streams 9 199999 own

# ---- the moment at which a second thread comes to a file, in each of 200 files: no thread may take back what another moved
cat >meet.c <<'END'
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

enum { FILES = 200, THREADS = 8, ITEMS = 3000 };

static FILE *stream;
static int fd, failed;

static void *write_items(void *unused)
{
    for (int i = 0; i < ITEMS; i++)
        failed |= fwrite("0123456789", 1, 10, stream) != 10;
    for (int i = 0; i < ITEMS / 10; i++)
        failed |= write(fd, "0123456789", 10) != 10;
    return unused;
}

int main(void)
{
    pthread_t thread[THREADS];
    char name[40];

    for (int k = 0; k < FILES; k++) {
        snprintf(name, sizeof name, "meet.%d.stream", k);
        stream = fopen(name, "w");
        snprintf(name, sizeof name, "meet.%d.data", k);
        fd = open(name, O_CREAT | O_WRONLY | O_TRUNC, 0644);
        for (int i = 0; i < THREADS; i++)
            pthread_create(&thread[i], NULL, write_items, NULL);
        for (int i = 0; i < THREADS; i++)
            pthread_join(thread[i], NULL);
        failed |= fclose(stream) != 0 || close(fd) != 0;
    }
    return failed;
}
END
check 'compiles: meet' cc -Wall -O2 -o meet meet.c -lpthread
check 'runs: meet' env DARSHAN_ENABLE_NONMPI=1 DARSHAN_LOGFILE="$PWD/meet.darshan" LD_PRELOAD="$preload" ./meet
# highest COUNTER NAME: of how many files whose name ends so the counter is what
highest() {
    "$DSN_PREFIX/bin/darshan-parser" meet.darshan | awk -v counter="$1" -v name="$2" '
        $4 == counter && index($6, "meet.") && index($6, name) { n[$5]++ }
        END { for (value in n) print n[value], value }'
}
is "$(highest STDIO_MAX_BYTE_WRITTEN .stream)" '200 239999' 'streams: the last byte of each'
is "$(highest POSIX_MAX_BYTE_WRITTEN .data)" '200 23999' 'descriptors: the last byte of each'
finish
