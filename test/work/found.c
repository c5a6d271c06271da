/* found.c - opens for writing that find nothing, an empty file, or content; files that are deleted and truncated
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * found DIRECTORY: the files that are there already are made in it first, and grow older than any step of a file system's
 * clock. Counters: found.want. */
#define _GNU_SOURCE
#include <assert.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef WITH_MPI
#include <mpi.h>
#endif

static const struct {
    const char *name, *text;
} old[] = { { "old", "12345678" },        { "old-stream", "1234" }, { "cut", "123" },     { "added", "123" },
            { "added-stream", "12345" },  { "updated", "1234567" }, { "empty", "" },      { "shrunk", "123456" },
            { "shrunk-by-name", "1234" }, { "read", "1" },          { "replaced", "12" }, { "gone", "123" } };

/* By another program, which is not recorded. */
static void prepare(void)
{
    char *const without[] = { "PATH=/usr/bin:/bin", NULL };
    char command[256], *const words[] = { "sh", "-c", command, NULL };

    for (size_t i = 0; i < sizeof old / sizeof old[0]; i++) {
        pid_t child;
        int status;

        snprintf(command, sizeof command, "printf '%%s' '%s' >%s; touch -d '1 hour ago' %s", old[i].text, old[i].name,
                 old[i].name);
        assert(posix_spawn(&child, "/bin/sh", NULL, NULL, words, without) == 0);
        assert(waitpid(child, &status, 0) == child && status == 0);
    }
    usleep(50000);
}

static int opened(const char *name, int flags)
{
    const int fd = open(name, flags, 0600);

    assert(fd >= 0);
    return fd;
}

static void put(int fd)
{
    assert(write(fd, "abcd", 4) == 4 && close(fd) == 0);
}

static void new_ones(void)
{
    char made[] = "made-XXXXXX";
    FILE *f;

    put(opened("new", O_WRONLY | O_CREAT));
    put(opened("new-dropped", O_WRONLY | O_CREAT | O_TRUNC));
    put(opened("exclusive", O_RDWR | O_CREAT | O_EXCL));
    put(creat("creat", 0600));
    put(mkstemp(made));
    assert((f = fopen("stream", "w")) && fputs("abcd", f) >= 0 && fclose(f) == 0);
    assert((f = fopen("appended-stream", "a")) && fputs("abcd", f) >= 0 && fclose(f) == 0);
    assert((f = fopen("exclusive-stream", "wx")) && fputs("abcd", f) >= 0 && fclose(f) == 0);
}

static void old_ones(void)
{
    char byte;
    FILE *f;
    int fd;

    put(opened("old", O_WRONLY | O_CREAT | O_TRUNC));
    assert((f = fopen("old-stream", "w")) && fputs("abcd", f) >= 0 && fclose(f) == 0);
    put(opened("cut", O_WRONLY | O_TRUNC));
    put(opened("added", O_WRONLY | O_CREAT | O_APPEND));
    assert((f = fopen("added-stream", "a")) && fputs("abcd", f) >= 0 && fclose(f) == 0);
    fd = opened("updated", O_RDWR);
    assert(read(fd, &byte, 1) == 1);
    put(fd);
    put(opened("empty", O_WRONLY | O_CREAT));
    fd = opened("shrunk", O_RDWR | O_CREAT);
    assert(ftruncate(fd, 0) == 0);
    put(fd);
    put(opened("shrunk-by-name", O_RDWR));
    assert(truncate("shrunk-by-name", 0) == 0);
    fd = opened("read", O_RDONLY);
    assert(read(fd, &byte, 1) == 1 && close(fd) == 0);
}

static void several_times(void)
{
    FILE *f;
    int fd;

    put(opened("again", O_WRONLY | O_CREAT));
    put(opened("again", O_WRONLY | O_CREAT | O_TRUNC));
    put(opened("again", O_WRONLY | O_APPEND));
    fd = opened("temporary", O_RDWR | O_CREAT | O_TRUNC);
    put(fd);
    assert(unlink("temporary") == 0);
    assert((f = fopen("temporary-stream", "w+")) && fputs("abcd", f) >= 0 && fclose(f) == 0);
    assert(remove("temporary-stream") == 0);
    put(opened("twice", O_WRONLY | O_CREAT | O_TRUNC));
    assert(unlink("twice") == 0);
    put(opened("twice", O_WRONLY | O_CREAT | O_TRUNC));
    put(opened("moved", O_WRONLY | O_CREAT | O_TRUNC));
    assert(rename("moved", "target") == 0);
    put(opened("moved", O_WRONLY | O_CREAT | O_TRUNC));
    assert((f = fopen("moved-stream", "w")) && fclose(f) == 0 && rename("moved-stream", "target-stream") == 0);
    assert((f = fopen("moved-stream", "w")) && fputs("abcd", f) >= 0 && fclose(f) == 0);
    put(opened("replaced", O_RDWR));
    assert(unlink("replaced") == 0);
    put(opened("replaced", O_WRONLY | O_CREAT));
    assert(unlink("gone") == 0);
    fd = opened("synced", O_WRONLY | O_CREAT);
    assert(write(fd, "abcd", 4) == 4 && fsync(fd) == 0 && fdatasync(fd) == 0 && close(fd) == 0);
}

int main(int argc, char **argv)
{
    assert(argc == 2 && chdir(argv[1]) == 0);
#ifdef WITH_MPI
    MPI_Init(&argc, &argv);
#endif
    prepare();
    new_ones();
    old_ones();
    several_times();
#ifdef WITH_MPI
    MPI_Finalize();
#endif
    return 0;
}
