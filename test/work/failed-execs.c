/* failed-execs.c - files and streams between failing execs
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * failed-execs DIRECTORY ROUNDS [PROGRAM]: with a PROGRAM another thread writes a byte to a file "many" meanwhile, as often as
 * it can, opens as many files, and keeps their number in the file "count"; then PROGRAM is executed */
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MOST_FILES 500

static int make(const char *path, const char *text, mode_t mode)
{
    const int fd = open(path, O_CREAT | O_WRONLY, mode);

    return fd >= 0 && write(fd, text, 1) == 1 && close(fd) == 0;
}

static const char *directory;
static atomic_int is_over, is_done;

static void *work(void *unused)
{
    char path[4096], text[64];
    int n = 0, files = 0, many, fd;

    (void)unused;
    snprintf(path, sizeof path, "%s/many", directory);
    many = open(path, O_CREAT | O_WRONLY, 0644);
    for (; !atomic_load(&is_over); n++) {
        if (write(many, "x", 1) != 1)
            exit(1);
        if (n % 16 != 0 || files == MOST_FILES)
            continue;
        snprintf(path, sizeof path, "%s/opened.%d", directory, files++);
        if (!make(path, "x", 0644))
            exit(1);
    }
    snprintf(path, sizeof path, "%s/count", directory);
    snprintf(text, sizeof text, "%d %d\n", n, files);
    fd = open(path, O_CREAT | O_WRONLY, 0644);
    if (fd < 0 || write(fd, text, strlen(text)) < 0)
        exit(1);
    atomic_store(&is_done, 1);
    for (;;)
        pause();
}

/* There is one more thread when the program is executed. */
static int with_thread(int rounds, char *program, char **args)
{
    pthread_t thread;
    char *last[] = { program, NULL };

    if (pthread_create(&thread, NULL, work, NULL) != 0)
        return 1;
    for (int i = 0; i < rounds; i++) {
        execv(args[0], args);
        execvp("no-such-program", args);
    }
    atomic_store(&is_over, 1);
    while (!atomic_load(&is_done))
        usleep(1000);
    execv(program, last);
    return 1;
}

int main(int argc, char **argv)
{
    char path[4096], program[4096];
    char *args[] = { program, NULL };

    if (argc != 3 && argc != 4)
        return 2;
    directory = argv[1];
    snprintf(program, sizeof program, "%s/no-program", argv[1]);
    if (!make(program, "\001", 0755))
        return 1;
    if (argc == 4)
        return with_thread(atoi(argv[2]), argv[3], args);
    for (int i = 0; i < atoi(argv[2]); i++) {
        FILE *f;

        snprintf(path, sizeof path, "%s/file.%d", argv[1], i);
        if (!make(path, "x", 0644))
            return 1;
        snprintf(path, sizeof path, "%s/stream.%d", argv[1], i);
        f = fopen(path, "w");
        if (!f || fputs("text", f) < 0 || fclose(f) != 0)
            return 1;
        execv(program, args); /* ENOEXEC */
    }
    return 0;
}
