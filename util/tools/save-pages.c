/* save-pages.c - writes reports of several logs as pages in a directory
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>
#include "save-pages.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "collect.h"
#include "darshan-log-format/hash.h"
#include "save-page.h"
#include "util/command/common.h"
#include "util/command/save.h"
#include "util/lib/idmap.h"
#include "util/report/many.h"
#include "util/report/read.h"

#define INDEX    "index.html"
#define MAX_NAME 200 /* bytes of a page's name, leaving room for a number */

/* "FOLDER/NAME", freed by the caller; NULL: no memory. */
static char *path_in(const char *folder, const char *name)
{
    const size_t n = strlen(folder) + strlen(name) + 2;
    char *path = malloc(n);

    if (path)
        snprintf(path, n, "%s/%s", folder, name);
    return path;
}

/* ------------------------------------------------------------------ names of pages */

/* The log's name with ".html" instead of ".darshan" and what follows. Only characters without a special meaning in a
 * shell, in HTML and in URLs. */
static void name_page(const char *log, int64_t number, char *to, size_t n)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
    const char *slash = strrchr(log, '/'), *base = slash && slash[1] ? slash + 1 : log;
    const char *end = strstr(base, ".darshan");
    const size_t length = end && end > base ? (size_t)(end - base) : strlen(base);
    char name[MAX_NAME + 1];
    size_t i = 0;

    for (; i < length && i < MAX_NAME; i++)
        name[i] = strchr(plain, base[i]) && (i > 0 || (base[i] != '.' && base[i] != '-')) ? base[i] : '_';
    name[i] = '\0';
    if (number > 1)
        snprintf(to, n, "%s-%lld.html", name, (long long)number);
    else
        snprintf(to, n, "%s.html", name);
}

/* Chooses a name that no other page has. Returns 0 if out of memory. */
static int choose_name(struct dsn__idmap *taken, struct dsn_brief *b)
{
    char name[MAX_NAME + 40];

    for (int64_t number = 1;; number++) {
        uint64_t id;

        name_page(b->file, number, name, sizeof name);
        id = dsn_hash(name, strlen(name), 0);
        if (dsn__idmap_get(taken, id) != DSN_IDMAP_NONE) /* or another one with the same hash, which is harmless */
            continue;
        if (dsn__idmap_add(taken, id, 1) == DSN_IDMAP_NONE)
            return 0;
        b->page = strdup(name);
        return b->page != NULL;
    }
}

/* ------------------------------------------------------------------ pages */

/* The log was read before: its errors were reported then. */
static int save_one(const struct dsn_saved_pages *s, const char *path, const char *file)
{
    struct darshan_reader_error err;
    struct darshan_reader *log;
    struct dsn_report r;
    int rc = 1, code;

    if (darshan_reader_open(file, &log, &err) != DSN_ERR_OK) {
        dsn_complain(s->command, file, &err, 0);
        return 1;
    }
    code = dsn_report_read(&r, log, s->nodes);
    r.storage = s->storage;
    if (code == DSN_ERR_OK)
        rc = dsn_save_page(s->command, path, s->full_trace, &r, file);
    else
        dsn_warn(s->command, file, "%s", dsn_err_text(code));
    dsn_report_free(&r);
    darshan_reader_close(log);
    return rc;
}

/* A log without a page is listed without a link. */
static int save_each(const struct dsn_saved_pages *s, struct dsn_brief *b, struct dsn__idmap *taken)
{
    char *path = choose_name(taken, b) ? path_in(s->folder, b->page) : NULL;
    int rc = 1;

    if (path)
        rc = save_one(s, path, b->file);
    else
        dsn_warn(s->command, b->file, "%s", dsn_err_text(DSN_ERR_MEMORY));
    if (rc != 0) {
        free(b->page);
        b->page = NULL;
    }
    free(path);
    return rc;
}

struct list {
    const struct dsn_briefs *all;
    int compare;
};

static int write_list(struct dsn_text *out, const void *context)
{
    const struct list *list = context;

    dsn_many_page(out, list->all, list->compare);
    return 1;
}

static int save_list(const struct dsn_saved_pages *s, const struct dsn_briefs *all)
{
    const struct list list = { all, s->compare };
    char *path = path_in(s->folder, INDEX);
    const int error = path ? dsn_save(path, write_list, &list) : ENOMEM;

    if (error != 0)
        dsn_warn(s->command, path ? path : s->folder, "cannot be written: %s", strerror(error));
    free(path);
    return error != 0;
}

/* ------------------------------------------------------------------ all of it */

static int make_folder(const struct dsn_saved_pages *s)
{
    if (mkdir(s->folder, 0777) == 0 || dsn_is_folder(s->folder))
        return 1;
    dsn_warn(s->command, s->folder,
             "cannot be the directory for the pages of several logs: %s; choose one that can be created",
             strerror(errno == EEXIST ? ENOTDIR : errno));
    return 0;
}

int dsn_save_pages(const struct dsn_saved_pages *s, struct dsn_briefs *all)
{
    struct dsn__idmap taken;
    int rc = 0;

    if (!make_folder(s))
        return 1;
    dsn__idmap_init(&taken);
    if (dsn__idmap_add(&taken, dsn_hash(INDEX, strlen(INDEX), 0), 1) == DSN_IDMAP_NONE)
        rc = 1;
    for (size_t i = 0; i < all->n; i++)
        rc |= save_each(s, &all->list[i], &taken);
    dsn__idmap_free(&taken);
    return save_list(s, all) | rc;
}
