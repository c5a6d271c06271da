/* walk.c - traverses all files below a directory
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>
#include "walk.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* A directory being traversed, and its parents: links may lead back up. */
struct level {
    const struct level *up;
    dev_t dev;
    ino_t ino;
};

static int leads_back(const struct level *l)
{
    for (const struct level *up = l->up; up; up = up->up)
        if (up->dev == l->dev && up->ino == l->ino)
            return 1;
    return 0;
}

/* The callback. */
struct taker {
    int (*take)(void *context, const char *path);
    void *context;
};

static int walk(const struct taker *t, char *path, const struct level *up);

/* Traverses a directory. `path` is a buffer of PATH_MAX bytes, and is restored. */
static int walk_directory(const struct taker *t, char *path, const struct level *here)
{
    const size_t length = strlen(path);
    const char *slash = length > 0 && path[length - 1] == '/' ? "" : "/";
    DIR *dir = opendir(path);
    const struct dirent *entry;
    int error = 0;

    if (!dir)
        return errno;
    while (error == 0 && (errno = 0, entry = readdir(dir)) != NULL) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        if (snprintf(path + length, PATH_MAX - length, "%s%s", slash, entry->d_name) >= (int)(PATH_MAX - length))
            error = ENAMETOOLONG;
        else
            error = walk(t, path, here);
        path[length] = '\0';
    }
    if (error == 0)
        error = errno;
    closedir(dir);
    return error;
}

/* Processes `path`, following symbolic links; `up` is NULL at the root. Returns 0 or an errno. */
static int walk(const struct taker *t, char *path, const struct level *up)
{
    struct level here = { .up = up };
    struct stat st;

    if (stat(path, &st) != 0) {
        if (up && (errno == ENOENT || errno == ELOOP)) /* a dangling link */
            return 0;
        return errno;
    }
    if (S_ISREG(st.st_mode))
        return t->take(t->context, path);
    here.dev = st.st_dev;
    here.ino = st.st_ino;
    return !S_ISDIR(st.st_mode) || leads_back(&here) ? 0 : walk_directory(t, path, &here);
}

int dsn_walk(const char *root, int (*take)(void *context, const char *path), void *context)
{
    const struct taker t = { take, context };
    char path[PATH_MAX];

    return snprintf(path, sizeof path, "%s", root) < (int)sizeof path ? walk(&t, path, NULL) : ENAMETOOLONG;
}
