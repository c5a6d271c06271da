/* collect.c - collects logs by file and directory names
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>
#include "collect.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/command/common.h"
#include "util/lib/grow.h"
#include "walk.h"

int dsn_is_folder(const char *name)
{
    struct stat st;

    return stat(name, &st) == 0 && S_ISDIR(st.st_mode);
}

struct found {
    char **name;
    size_t n, room;
    size_t of_others; /* left out */
};

/* By default logs are for those who ran the job alone, and a site has them all in one directory. */
static int is_closed_and_of_others(const char *path)
{
    struct stat st;

    return access(path, R_OK) != 0 && errno == EACCES && stat(path, &st) == 0 && st.st_uid != geteuid();
}

static int note(void *context, const char *path)
{
    struct found *f = context;
    const char *slash = strrchr(path, '/');

    if (!strstr(slash ? slash + 1 : path, ".darshan"))
        return 0;
    if (is_closed_and_of_others(path)) {
        f->of_others++;
        return 0;
    }
    if (!dsn_grow(&f->name, &f->room, sizeof *f->name, f->n))
        return ENOMEM;
    f->name[f->n] = strdup(path);
    return f->name[f->n] ? (f->n++, 0) : ENOMEM;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Collects all logs below a directory. */
static int take_folder(const char *command, const char *folder, int (*take)(void *context, const char *log),
                       void *context)
{
    struct found f = { 0 };
    const int error = dsn_walk(folder, note, &f);
    int rc = 0;

    if (error != 0)
        dsn_warn(command, folder, "cannot be walked through: %s", strerror(error));
    if (f.of_others > 0)
        dsn_warn(command, folder, "left out %zu log%s of other users, which you may not read", f.of_others,
                 f.of_others == 1 ? "" : "s");
    if (f.n > 0)
        qsort(f.name, f.n, sizeof *f.name, by_name);
    for (size_t i = 0; i < f.n; i++) {
        rc = rc != 0 ? rc : take(context, f.name[i]);
        free(f.name[i]);
    }
    free(f.name);
    return rc != 0 ? rc : error != 0;
}

int dsn_collect(const char *command, char *const *names, int n, int (*take)(void *context, const char *log),
                void *context)
{
    int rc = 0;

    for (int i = 0; i < n && rc == 0; i++)
        rc = dsn_is_folder(names[i]) ? take_folder(command, names[i], take, context) : take(context, names[i]);
    return rc;
}
