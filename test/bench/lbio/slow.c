/* slow.c - runs a command for which the files below a directory are as slow as those of an emulated shared file system
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * slow [--report FILE] DIRECTORY[,PARAMETER=VALUE]... -- COMMAND [ARGUMENT]...
 * The parameters are those of emulation.def. FILE gets a line: the number of calls, and the seconds that they waited.
 * With log-based I/O: lbio run ... -- slow DIRECTORY -- COMMAND, so that slow.so comes after liblbio.so. */
#include <config.h>

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "emulation.h"

static void execute(const char *shared, char **command)
{
    const char *before = getenv("LD_PRELOAD");
    char *preload;

    if (asprintf(&preload, "%s%s%s", before ? before : "", before && *before ? ":" : "", SLOW_LIBRARY) >= 0) {
        setenv("LD_PRELOAD", preload, 1);
        setenv(LBIO_EMULATION_NAME, shared, 1);
        execvp(command[0], command);
    }
    fprintf(stderr, "slow: %s: %s\n", command[0], strerror(errno));
    _exit(errno == ENOENT ? 127 : 126);
}

/* 0, or -1 and errno */
static int write_report(struct lbio_emulation *e, const char *path)
{
    FILE *to = fopen(path, "ae");

    if (!to)
        return -1;
    fprintf(to,
            "writes=%lld opens=%lld closes=%lld bytes=%lld charged=%lld seconds=%.9f most_writers=%d in_service=%d\n",
            (long long)e->writes, (long long)e->opens, (long long)e->closes, (long long)e->bytes, (long long)e->charged,
            (double)e->ns * 1e-9, e->most, lbio__emulation_served(e, 1));
    return fclose(to) == 0 ? 0 : -1;
}

int main(int argc, char **argv)
{
    const char *report = argc > 2 && strcmp(argv[1], "--report") == 0 ? argv[2] : NULL;
    const int first = report ? 3 : 1;
    char directory[sizeof((struct lbio_emulation *)NULL)->directory], why[PATH_MAX + 100], shared[PATH_MAX];
    struct lbio_emulation *e;
    struct lbio_model model;
    int status = 0;
    pid_t pid;

    if (argc < first + 3 || strcmp(argv[first + 1], "--") != 0) {
        fprintf(stderr, "usage: slow [--report FILE] DIRECTORY[,PARAMETER=VALUE]... -- COMMAND [ARGUMENT]...\n");
        return 2;
    }
    if (lbio__emulation_read(argv[first], &model, directory, sizeof directory, why, sizeof why) != 0) {
        fprintf(stderr, "slow: %s\n", why);
        return 2;
    }
    e = lbio__emulation_create(&model, directory, shared, sizeof shared);
    pid = e ? fork() : -1;
    if (pid == 0)
        execute(shared, argv + first + 2);
    signal(SIGINT, SIG_IGN);
    signal(SIGQUIT, SIG_IGN);
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    if (e)
        unlink(shared);
    if (pid < 0 || (report && write_report(e, report) != 0)) {
        fprintf(stderr, "slow: %s: %s\n", report ? report : directory, strerror(errno));
        return 1;
    }
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
