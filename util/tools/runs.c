/* runs.c - the directories into which `darshan run` has put logs
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>
#include "runs.h"

#include <dirent.h>
#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define SUFFIX ".darshan"

int dsn_runs_place(char place[PATH_MAX])
{
    const char *data = getenv("XDG_DATA_HOME"), *home = getenv("HOME");
    int n;

    if (data && *data == '/')
        n = snprintf(place, PATH_MAX, "%s/darshan/runs", data);
    else if (home && *home == '/')
        n = snprintf(place, PATH_MAX, "%s/.local/share/darshan/runs", home);
    else
        return ENOENT;
    return n < PATH_MAX ? 0 : ENAMETOOLONG;
}

/* Makes a directory and those above it, for this user only. */
static int make_directories(char *path)
{
    for (char *at = path + 1; *at; at++) {
        if (*at != '/')
            continue;
        *at = '\0';
        mkdir(path, 0700);
        *at = '/';
    }
    return mkdir(path, 0700) == 0 || errno == EEXIST ? 0 : errno;
}

static int absolute(const char *path, char out[PATH_MAX])
{
    char here[PATH_MAX] = "";

    if (*path != '/' && !getcwd(here, sizeof here))
        return errno;
    return snprintf(out, PATH_MAX, "%s%s%s", here, *here ? "/" : "", path) < PATH_MAX ? 0 : ENAMETOOLONG;
}

int dsn_run_make(const char *given, const char *program, char directory[PATH_MAX])
{
    struct timespec now = { 0 };
    const char *name = program;
    char place[PATH_MAX] = "", when[32] = "", plain[32];
    struct tm tm;
    int error;

    if (given)
        error = absolute(given, place);
    else
        error = dsn_runs_place(place);
    error = error ? error : make_directories(place);
    if (error)
        return error;
    clock_gettime(CLOCK_REALTIME, &now);
    if (localtime_r(&now.tv_sec, &tm))
        strftime(when, sizeof when, "%Y-%m-%dT%H-%M-%S", &tm);
    for (size_t i = 0; program[i] && !strchr(" \t\n", program[i]); i++) /* of a line for the shell its first word */
        if (program[i] == '/')
            name = program + i + 1;
    snprintf(plain, sizeof plain, "%.*s", (int)strcspn(name, " \t\n"), name);
    for (char *c = plain; *c; c++)
        if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-", *c))
            *c = '_';
    if (snprintf(directory, PATH_MAX, "%s/%s.%03ld-%s-%ld", place, when, now.tv_nsec / 1000000, plain,
                 (long)getpid()) >= PATH_MAX)
        return ENAMETOOLONG;
    return mkdir(directory, 0700) == 0 ? 0 : errno;
}

static int is_log(const char *name)
{
    const size_t n = strlen(name), end = sizeof SUFFIX - 1;

    return n > end && strcmp(name + n - end, SUFFIX) == 0;
}

/* nftw() has no argument for its callback. */
static const char *into;

static int move_log(const char *path, const struct stat *st, int type, struct FTW *at)
{
    char to[PATH_MAX];

    (void)st;
    if (type == FTW_F && at->level > 1 && is_log(path + at->base) &&
        snprintf(to, sizeof to, "%s/%s", into, path + at->base) < PATH_MAX && access(to, F_OK) != 0)
        rename(path, to);
    else if (type == FTW_DP && at->level > 0)
        rmdir(path); /* of a date, if it is empty */
    return 0;
}

static size_t count_logs(const char *directory, char only[PATH_MAX])
{
    DIR *d = opendir(directory);
    size_t n = 0;

    for (const struct dirent *e; d && (e = readdir(d));)
        if (is_log(e->d_name) && snprintf(only, PATH_MAX, "%s/%s", directory, e->d_name) < PATH_MAX)
            n++;
    if (d)
        closedir(d);
    return n;
}

size_t dsn_run_logs(const char *directory, char only[PATH_MAX])
{
    into = directory;
    nftw(directory, move_log, 8, FTW_PHYS | FTW_DEPTH);
    return count_logs(directory, only);
}

/* Only what a run has: logs, and directories that are empty then. */
static int remove_log(const char *path, const struct stat *st, int type, struct FTW *at)
{
    (void)st;
    if (type == FTW_F && is_log(path + at->base))
        unlink(path);
    else if (type == FTW_DP)
        rmdir(path);
    return 0;
}

/* "2026-11-27T..." */
static int is_run(const struct dirent *e)
{
    return strspn(e->d_name, "0123456789") == 4 && e->d_name[4] == '-' && strchr(e->d_name, 'T') == e->d_name + 10;
}

/* The runs, oldest first. Returns -1 if there is no list; the caller frees it. */
static int list_runs(char place[PATH_MAX], struct dirent ***list)
{
    return dsn_runs_place(place) == 0 ? scandir(place, list, is_run, alphasort) : -1;
}

static void free_list(struct dirent **list, int n)
{
    for (int i = 0; i < n; i++)
        free(list[i]);
    if (n >= 0)
        free(list);
}

void dsn_runs_tidy(const char *directory, int is_given)
{
    char place[PATH_MAX], path[PATH_MAX], log[PATH_MAX];
    struct dirent **list = NULL;
    int n;

    rmdir(directory); /* if there is no log */
    if (is_given)
        return;
    n = list_runs(place, &list);
    for (int i = n - 1, kept = 0; i >= 0; i--)
        if (snprintf(path, sizeof path, "%s/%s", place, list[i]->d_name) < PATH_MAX &&
            count_logs(path, log) > 0 && /* one without may be that of a command that still runs */
            ++kept > DSN_MOST_RUNS)
            nftw(path, remove_log, 8, FTW_PHYS | FTW_DEPTH);
    free_list(list, n);
}

/* Whether a log of the directory is of the job: USER_PROGRAM_idJOB-PID_... */
static int has_job(const char *directory, const char *job)
{
    char text[64];
    DIR *d = opendir(directory);
    int is_there = 0;

    snprintf(text, sizeof text, "_id%.40s-", job);
    for (const struct dirent *e; d && !is_there && (e = readdir(d));)
        is_there = is_log(e->d_name) && strstr(e->d_name, text);
    if (d)
        closedir(d);
    return is_there;
}

int dsn_runs_find(const char *word, char path[PATH_MAX])
{
    const int is_last = strncmp(word, "last", 4) == 0 && (!word[4] || (word[4] == '-' && word[5])),
              is_job = *word && strspn(word, "0123456789") == strlen(word);
    long skip = is_last && word[4] ? strtol(word + 5, NULL, 10) : 0;
    char place[PATH_MAX], directory[PATH_MAX];
    struct dirent **list = NULL;
    int n, is_found = 0;

    if (access(word, F_OK) == 0 || (!is_last && !is_job))
        return snprintf(path, PATH_MAX, "%s", word) < PATH_MAX;
    n = list_runs(place, &list);
    for (int i = n - 1; i >= 0 && !is_found; i--) {
        size_t logs;

        if (snprintf(directory, sizeof directory, "%s/%s", place, list[i]->d_name) >= PATH_MAX)
            continue;
        logs = count_logs(directory, path);
        if (logs == 0 || (is_job && !has_job(directory, word)))
            continue;
        is_found = is_job || skip-- == 0;
        if (logs > 1)
            snprintf(path, PATH_MAX, "%s", directory);
    }
    free_list(list, n);
    return is_found;
}
