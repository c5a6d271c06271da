/* forked.c - forked children that do nothing at first: recording begins with their first call that counts
 * SPDX-License-Identifier: BSD-3-Clause
 * Each child is one of the processes of the log, but for those that execute another program at once. */
#include "work.h"

#include <dirent.h>
#include <pthread.h>
#include <sys/wait.h>
#include <time.h>

static int kept;   /* a descriptor that all children inherit */
static FILE *text; /* and a stream, with a byte in its buffer */

static void put(const char *name, size_t n)
{
    char path[PATH_MAX];
    int fd = open(work_path_in(path, name), O_CREAT | O_WRONLY, 0644);

    CHECK(fd >= 0 && write(fd, "0123456789", n) == (ssize_t)n && close(fd) == 0);
}

static void *put_own(void *name)
{
    put(name, 5);
    return NULL;
}

static void wait_for(pid_t pid)
{
    int status;

    CHECK(pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

/* Runs as a child of its own. */
static void in_child(void (*what)(void))
{
    const pid_t pid = fork();

    if (pid == 0) {
        what();
        exit(0);
    }
    wait_for(pid);
}

static void uses_inherited(void)
{
    CHECK(write(kept, "abc", 3) == 3);
}

/* The number of a file that the parent had is another's. */
static void closes_and_opens(void)
{
    CHECK(close(kept) == 0);
    CHECK(open(work_path("instead.dat"), O_CREAT | O_WRONLY, 0644) == kept && write(kept, "12", 2) == 2);
}

/* The same through dup2 of a descriptor that no table has. */
static void replaces(void)
{
    int fd[2];

    CHECK(pipe(fd) == 0 && dup2(fd[1], kept) == kept && write(kept, "12345", 5) == 5);
}

static void prints(void)
{
    CHECK(fputs("xyz", text) >= 0 && fflush(text) == 0);
}

static void begins_in_threads(void)
{
    static char names[][16] = { "thread-0.dat", "thread-1.dat", "thread-2.dat",
                                "thread-3.dat", "thread-4.dat", "thread-5.dat" };
    pthread_t thread[6];

    for (int i = 0; i < 6; i++)
        CHECK(pthread_create(&thread[i], NULL, put_own, names[i]) == 0);
    for (int i = 0; i < 6; i++)
        CHECK(pthread_join(thread[i], NULL) == 0);
}

static void grandchild_writes(void)
{
    put("grandchild.dat", 4);
}

static void forks_first(void)
{
    in_child(grandchild_writes);
}

static void vforks_first(void)
{
    const pid_t pid = vfork();

    if (pid == 0) {
        close(kept);
        _exit(0);
    }
    wait_for(pid);
    CHECK(write(kept, "d", 1) == 1);
}

static void does_nothing(void)
{
}

static void comes_late(void)
{
    const struct timespec second = { 1, 0 };

    nanosleep(&second, NULL);
    put("late.dat", 6);
}

/* Afterwards it could not reach what belongs to its parent. */
static void becomes_other_user(void)
{
    CHECK(setuid(geteuid() == 0 ? 65534 : getuid()) == 0 && write(kept, "f", 1) == 1);
}

static void changes_root(void)
{
    CHECK((geteuid() != 0 || chroot(work_dir) == 0) && write(kept, "g", 1) == 1);
}

/* How many survival files a process has. */
static int survival_files(pid_t pid)
{
    char path[PATH_MAX], end[32];
    DIR *d;
    int n = 0;

    snprintf(path, sizeof path, "%s/darshan-%d", getenv("DARSHAN_MMAP_LOGPATH"), (int)geteuid());
    snprintf(end, sizeof end, "-%d.survival", (int)pid);
    d = opendir(path);
    for (struct dirent *e; d && (e = readdir(d)) != NULL;)
        n += strlen(e->d_name) > strlen(end) && strcmp(e->d_name + strlen(e->d_name) - strlen(end), end) == 0;
    if (d)
        closedir(d);
    return n;
}

/* A child has one from its first call on. */
static void has_file_late(void)
{
    int down[2], up[2];
    pid_t pid;
    char c;

    CHECK(pipe(down) == 0 && pipe(up) == 0);
    pid = fork();
    if (pid == 0) {
        (void)!write(up[1], "1", 1);
        (void)!read(down[0], &c, 1);
        put("has-file.dat", 7);
        (void)!write(up[1], "2", 1);
        (void)!read(down[0], &c, 1);
        exit(0);
    }
    CHECK(read(up[0], &c, 1) == 1 && survival_files(getpid()) == 1 && survival_files(pid) == 0);
    CHECK(write(down[1], "1", 1) == 1 && read(up[0], &c, 1) == 1 && survival_files(pid) == 1);
    CHECK(write(down[1], "2", 1) == 1);
    wait_for(pid);
    CHECK(close(down[0]) == 0 && close(down[1]) == 0 && close(up[0]) == 0 && close(up[1]) == 0);
}

/* No process of the log: the program is. */
static void executes(const char *self)
{
    const pid_t pid = fork();

    if (pid == 0) {
        execl(self, self, "-", (char *)NULL);
        _exit(127);
    }
    wait_for(pid);
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "-") == 0)
        return 0;
    work_start(&argc, &argv);
    kept = open(work_path("kept.dat"), O_CREAT | O_WRONLY, 0644);
    text = fopen(work_path("text.dat"), "w");
    CHECK(kept >= 0 && text && write(kept, "0123456789", 10) == 10);
    in_child(uses_inherited);
    in_child(closes_and_opens);
    in_child(replaces);
    in_child(prints);
    in_child(begins_in_threads);
    in_child(forks_first);
    in_child(vforks_first);
    in_child(does_nothing);
    in_child(comes_late);
    has_file_late();
    executes(argv[0]);
    in_child(becomes_other_user);
    in_child(changes_root);
    CHECK(write(kept, "e", 1) == 1);
    return work_end();
}
