/* reports.c - reports of the jobs that a page names, made by darshan-job-summary
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>
#include "reports.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "accounting.h"
#include "darshan-log-format/hash.h"
#include "util/command/common.h"
#include "util/lib/emit.h"
#include "util/lib/grow.h"

#define MAKER "darshan-job-summary"

extern char **environ;

void dsn_reports_add(struct dsn_reports *r, const char *path)
{
    for (size_t i = 0; i < r->n; i++)
        if (strcmp(r->paths[i], path) == 0)
            return;
    if (dsn_resize(&r->paths, r->n + 1, sizeof *r->paths) && (r->paths[r->n] = strdup(path)) != NULL)
        r->n++;
}

/* "DIRECTORY/NAME-HASH.html": logs in several directories may have one name. Only what means nothing in a URL. */
static void name_report(const char *log, const char *directory, char *to, size_t n)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
    const char *base = strrchr(log, '/') ? strrchr(log, '/') + 1 : log, *end = strstr(base, ".darshan");
    const size_t length = end ? (size_t)(end - base) : strlen(base);
    char name[101];
    size_t i;

    for (i = 0; i < length && i < sizeof name - 1; i++)
        name[i] = strchr(plain, base[i]) ? base[i] : '_';
    name[i] = '\0';
    snprintf(to, n, "%s/%s-%08x.html", directory, name, (unsigned)dsn_hash(log, strlen(log), 0));
}

/* The command is beside this one, or where the shell finds it. */
static int make_report(const char *log, const char *report)
{
    char maker[PATH_MAX + sizeof MAKER] = "";
    const ssize_t n = readlink("/proc/self/exe", maker, PATH_MAX - 1);
    char *arguments[] = { maker, (char[]){ "-o" }, strdup(report), strdup(log), NULL };
    posix_spawn_file_actions_t quiet;
    int status = 1;
    pid_t child;

    unlink(report); /* if none is made, one of what the log was before must not pass for it */
    maker[n > 0 ? n : 0] = '\0';
    if (strrchr(maker, '/'))
        snprintf(strrchr(maker, '/') + 1, sizeof MAKER, "%s", MAKER);
    if (access(maker, X_OK) != 0)
        snprintf(maker, sizeof maker, "%s", MAKER);
    posix_spawn_file_actions_init(&quiet);
    posix_spawn_file_actions_addopen(&quiet, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    if (arguments[2] && arguments[3] && posix_spawnp(&child, maker, &quiet, NULL, arguments, environ) == 0)
        while (waitpid(child, &status, 0) < 0 && errno == EINTR)
            continue;
    posix_spawn_file_actions_destroy(&quiet);
    free(arguments[2]);
    free(arguments[3]);
    return WIFEXITED(status) && WEXITSTATUS(status) <= 1 && access(report, F_OK) == 0; /* 1: of a damaged log */
}

static int is_newer(const char *report, const struct stat *log)
{
    struct stat st;

    return stat(report, &st) == 0 &&
           (st.st_mtim.tv_sec > log->st_mtim.tv_sec ||
            (st.st_mtim.tv_sec == log->st_mtim.tv_sec && st.st_mtim.tv_nsec > log->st_mtim.tv_nsec));
}

void dsn_reports_print(struct dsn_reports *r, struct dsn_text *out, const char *page, const char *directory)
{
    const char *slash = strrchr(page, '/');
    char link[PATH_MAX], report[2 * PATH_MAX];
    const char *between = "";

    snprintf(report, sizeof report, "%.*s%s", slash ? (int)(slash + 1 - page) : 0, page, directory);
    if (r->n > 0 && mkdir(report, 0777) != 0 && errno != EEXIST)
        dsn_warn(DSN_ACCOUNTING, report, "cannot be made for reports: %s", strerror(errno));
    dsn_text_string(out, "{");
    for (size_t i = 0; i < r->n; i++) {
        struct stat log;

        name_report(r->paths[i], directory, link, sizeof link);
        snprintf(report, sizeof report, "%.*s%s", slash ? (int)(slash + 1 - page) : 0, page, link);
        if (stat(r->paths[i], &log) == 0 && (is_newer(report, &log) || make_report(r->paths[i], report))) {
            dsn_text_string(out, between);
            dsn_emit_quoted(out, DSN_EMIT_JSON, r->paths[i], strlen(r->paths[i]));
            dsn_text_string(out, ":");
            dsn_emit_quoted(out, DSN_EMIT_JSON, link, strlen(link));
            between = ",\n";
        }
        free(r->paths[i]);
    }
    dsn_text_string(out, "}");
    free(r->paths);
    *r = (struct dsn_reports){ NULL, 0 };
}
