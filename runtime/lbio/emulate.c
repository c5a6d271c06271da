/* emulate.c - runs a command with an emulated slow file system
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "lbio/emulate.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

char *lbio__preload_with(const char *before, const char *library)
{
    const char *list = before ? before : "", *emulation = strstr(list, LBIO_EMULATE_LIBRARY);
    const int first = (int)(emulation ? emulation - list : (long)strlen(list));
    char *value;

    if (asprintf(&value, "%.*s%s%s%s%s", first, list, first > 0 && !emulation ? ":" : "", library, emulation ? ":" : "",
                 list + first) < 0)
        return NULL;
    return value;
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

static pid_t start(const char *shared, char **command)
{
    char *preload;
    const pid_t pid = fork();

    if (pid != 0)
        return pid;
    preload = lbio__preload_with(getenv("LD_PRELOAD"), LBIO_EMULATE_LIBRARY);
    if (preload) {
        setenv("LD_PRELOAD", preload, 1);
        setenv(LBIO_EMULATION_NAME, shared, 1);
        execvp(command[0], command);
    }
    fprintf(stderr, "lbio emulate: %s: %s\n", command[0], strerror(errno));
    _exit(errno == ENOENT ? 127 : 126);
}

int lbio__emulate(const struct lbio_model *m, const char *directory, const char *report, char **command)
{
    struct sigaction ignore = { .sa_handler = SIG_IGN }, interrupt, quit;
    char shared[PATH_MAX];
    struct lbio_emulation *e = lbio__emulation_create(m, directory, shared, sizeof shared);
    int status = 0, error = 0;
    pid_t pid;

    if (!e)
        return -1;
    pid = start(shared, command);
    sigaction(SIGINT, &ignore, &interrupt);
    sigaction(SIGQUIT, &ignore, &quit);
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    sigaction(SIGINT, &interrupt, NULL);
    sigaction(SIGQUIT, &quit, NULL);
    if (pid < 0 || (report && write_report(e, report) != 0))
        error = errno;
    unlink(shared);
    errno = error;
    if (error)
        return -1;
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
