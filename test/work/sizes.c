/* sizes.c - a program of a given size (open files, threads, length of a path, nested forks) that starts others in every way
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * sizes DIRECTORY FILES THREADS LENGTH DEPTH: prints how each child ended, at last what all of them have opened and written. */
#define _GNU_SOURCE // clone
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static const char *directory;
static long opens, bytes;
static int last = -1; /* the file that children inherit and write */
static pthread_barrier_t all_run, all_end;

static int say(const char *what)
{
    fprintf(stderr, "sizes: %s: %s\n", what, strerror(errno));
    exit(3);
}

static int create(const char *path, int n)
{
    static const char text[64] = "";
    const int fd = open(path, O_CREAT | O_WRONLY | O_TRUNC, 0644);

    if (fd < 0 || write(fd, text, (size_t)n) != n)
        say(path);
    return fd;
}

static void create_files(int n)
{
    char path[4096];

    for (int i = 0; i < n; i++) {
        snprintf(path, sizeof path, "%s/f%d", directory, i);
        last = create(path, 1 + i % 7);
        opens++;
        bytes += 1 + i % 7;
    }
}

/* A file whose path has that many bytes, in directories of up to 200. */
static void create_long(int length)
{
    char path[4096];
    size_t n = (size_t)snprintf(path, sizeof path, "%s/", directory);

    while (n + 201 < (size_t)length) {
        memset(path + n, 'd', 200);
        path[n + 200] = '\0';
        if (mkdir(path, 0755) != 0 && errno != EEXIST)
            say("mkdir");
        path[n + 200] = '/';
        n += 201;
    }
    while (n < (size_t)length)
        path[n++] = 'n';
    path[n] = '\0';
    if (path[n - 1] == '/')
        return;
    close(create(path, 5));
    opens++;
    bytes += 5;
}

/* What a child does that shares nothing with its parent, or is another program. */
static int be_child(const char *name)
{
    char path[4096];

    snprintf(path, sizeof path, "%s/child-%s", directory, name);
    close(create(path, 11));
    return 7;
}

static void count_child(void)
{
    opens++;
    bytes += 11;
}

static void *be_thread(void *number)
{
    char path[4096];

    snprintf(path, sizeof path, "%s/t%d", directory, *(int *)number);
    close(create(path, 2));
    pthread_barrier_wait(&all_run);
    pthread_barrier_wait(&all_end);
    return NULL;
}

static void start_threads(int n, pthread_t *thread, int *number)
{
    pthread_attr_t small;

    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, (size_t)128 * 1024);
    pthread_barrier_init(&all_run, NULL, (unsigned)n + 1);
    pthread_barrier_init(&all_end, NULL, (unsigned)n + 1);
    for (int i = 0; i < n; i++) {
        number[i] = i;
        if ((errno = pthread_create(&thread[i], &small, be_thread, &number[i])) != 0)
            say("thread");
    }
    pthread_barrier_wait(&all_run);
    opens += n;
    bytes += 2 * (long)n;
}

static void wait_for(const char *how, pid_t child)
{
    int status = -1;

    if (child < 0 || waitpid(child, &status, 0) != child)
        say(how);
    printf("%s %#x\n", how, (unsigned)status);
    fflush(stdout);
}

/* Each child writes to the inherited file, opens one of its own, and has the next one. */
static void fork_nested(int depth)
{
    const pid_t child = fork();
    char name[32];
    int status = 0;

    if (child != 0) {
        wait_for("fork", child);
        return;
    }
    if (last >= 0 && write(last, "abc", 3) != 3)
        _exit(4);
    snprintf(name, sizeof name, "fork%d", depth);
    be_child(name);
    if (depth > 1) {
        const pid_t next = fork();

        if (next == 0) {
            fork_nested(depth - 1);
            _exit(8);
        }
        if (next < 0 || waitpid(next, &status, 0) != next || status != 8 << 8)
            _exit(5);
    }
    _exit(7);
}

static int cloned(void *name)
{
    return be_child(name);
}

/* Those that execute this program again as `sizes DIRECTORY child NAME`. */
static void start_programs(const char *self)
{
    char spawned[] = "spawned", child[] = "child", vforked[] = "vforked", command[3 * 4096];
    char *arguments[] = { (char *)self, (char *)directory, child, spawned, NULL };
    pid_t pid;
    FILE *pipe;

    if ((errno = posix_spawn(&pid, self, NULL, NULL, arguments, environ)) != 0)
        say("posix_spawn");
    wait_for("posix_spawn", pid);
    arguments[3] = vforked;
    pid = vfork();
    if (pid == 0) {
        execv(self, arguments);
        _exit(9);
    }
    wait_for("vfork", pid);
    snprintf(command, sizeof command, "'%s' '%s' child by-system", self, directory);
    printf("system %#x\n", (unsigned)system(command));
    snprintf(command, sizeof command, "'%s' '%s' child by-popen", self, directory);
    pipe = popen(command, "r");
    printf("popen %#x\n", pipe ? (unsigned)pclose(pipe) : 99);
    fflush(stdout);
    for (int i = 0; i < 4; i++)
        count_child();
}

static void raise_limit(void)
{
    struct rlimit most;

    getrlimit(RLIMIT_NOFILE, &most);
    most.rlim_cur = most.rlim_max;
    setrlimit(RLIMIT_NOFILE, &most);
}

int main(int argc, char **argv)
{
    static char stack[128 * 1024] __attribute__((aligned(64)));
    char done[2][32], cloned_name[] = "cloned", executed[] = "executed";
    int threads, depth;
    pthread_t *thread;
    int *number;

    directory = argv[1];
    if (argc == 4)
        return be_child(argv[3]);
    if (argc == 5) { /* executed in place */
        be_child(executed);
        printf("opens %ld\nbytes %ld\n", atol(argv[3]) + 1, atol(argv[4]) + 11);
        return 0;
    }
    raise_limit();
    threads = atoi(argv[3]);
    depth = atoi(argv[5]);
    thread = calloc((size_t)threads + 1, sizeof *thread);
    number = calloc((size_t)threads + 1, sizeof *number);
    create_long(atoi(argv[4]));
    create_files(atoi(argv[2]));
    start_threads(threads, thread, number);
    fork_nested(depth);
    opens += depth;
    bytes += depth * (11 + (last >= 0 ? 3 : 0));
    wait_for("clone", clone(cloned, stack + sizeof stack, SIGCHLD, cloned_name));
    count_child();
    start_programs(argv[0]);
    pthread_barrier_wait(&all_end);
    for (int i = 0; i < threads; i++)
        pthread_join(thread[i], NULL);
    snprintf(done[0], sizeof done[0], "%ld", opens);
    snprintf(done[1], sizeof done[1], "%ld", bytes);
    execl(argv[0], argv[0], directory, executed, done[0], done[1], (char *)NULL);
    return say("exec");
}
