/* collect.c - logs by name and by folder
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>
#include "collect.h"

#include <errno.h>
#include <fts.h>
#include <string.h>
#include <sys/stat.h>

#include "common.h"

int dsn_is_folder(const char *name)
{
    struct stat st;

    return stat(name, &st) == 0 && S_ISDIR(st.st_mode);
}

static int by_name(const FTSENT **a, const FTSENT **b)
{
    return strcmp((*a)->fts_name, (*b)->fts_name);
}

/* All logs below a folder; links are followed, but not in circles. */
static int walk(const char *command, const char *folder, int (*take)(void *context, const char *log), void *context)
{
    char *const roots[] = { (char *)(uintptr_t)folder, NULL };
    FTS *tree = fts_open(roots, FTS_LOGICAL | FTS_NOCHDIR, by_name);
    const FTSENT *entry;
    int rc = 0, failed = 0;

    if (!tree) {
        dsn_warn(command, folder, "cannot be read: %s", strerror(errno));
        return 1;
    }
    while (rc == 0 && (errno = 0, entry = fts_read(tree)) != NULL) {
        if (entry->fts_info == FTS_F && strstr(entry->fts_name, ".darshan")) {
            rc = take(context, entry->fts_path);
        } else if (entry->fts_info == FTS_DNR || entry->fts_info == FTS_ERR) {
            dsn_warn(command, entry->fts_path, "cannot be read: %s", strerror(entry->fts_errno));
            failed = 1;
        }
    }
    if (rc == 0 && errno != 0) {
        dsn_warn(command, folder, "cannot be read: %s", strerror(errno));
        failed = 1;
    }
    fts_close(tree);
    return rc != 0 ? rc : failed;
}

int dsn_collect(const char *command, char *const *names, int n, int (*take)(void *context, const char *log),
                void *context)
{
    int rc = 0, failed = 0;

    for (int i = 0; i < n && rc == 0; i++) {
        if (!dsn_is_folder(names[i]))
            rc = take(context, names[i]);
        else if (walk(command, names[i], take, context) != 0)
            failed = 1;
    }
    return rc != 0 ? rc : failed;
}
