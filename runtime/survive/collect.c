/* collect.c - spools that others have left, in the order in which their processes began
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "survive/collect.h"

#include <string.h>
#include <unistd.h>

#include "base/sort.h"
#include "config/who.h"
#include "survive/image.h"
#include "survive/spool.h"

static int by_start(const void *a, const void *b)
{
    const struct dsn_who *x = (*(struct dsn_spool *const *)a)->who, *y = (*(struct dsn_spool *const *)b)->who;

    if (x->created != y->created)
        return x->created < y->created ? -1 : 1;
    if (x->family.pid != y->family.pid)
        return x->family.pid < y->family.pid ? -1 : 1;
    if ((*(struct dsn_spool *const *)a)->is_of_image != (*(struct dsn_spool *const *)b)->is_of_image)
        return (*(struct dsn_spool *const *)b)->is_of_image ? -1 : 1;
    return (*(struct dsn_spool *const *)a)->order < (*(struct dsn_spool *const *)b)->order ? -1 : 1;
}

/* If there is no memory they stay as they are. */
void dsn__members_sort(struct dsn_members *m)
{
    struct dsn_spool **at = &m->spools, **all;
    size_t n = 0;

    for (const struct dsn_spool *s = m->spools; s; s = s->next)
        n++;
    all = dsn__bump(&m->memory, (n + 1) * sizeof all[0]);
    if (!all)
        return;
    n = 0;
    for (struct dsn_spool *s = m->spools; s; s = s->next) {
        s->order = n;
        all[n++] = s;
    }
    dsn__sort(all, n, sizeof all[0], by_start);
    for (size_t i = 0; i < n; i++) {
        if (i + 1 < n && dsn__is_twice(all[i]->who, all[i + 1]->who))
            continue;
        *at = all[i];
        at = &all[i]->next;
    }
    *at = NULL;
}

int dsn__members_take(struct dsn_members *m, const char *image, const void *spool, size_t size)
{
    const size_t n = strlen(image) + 1;
    struct dsn_members_image *i = dsn__bump(&m->memory, sizeof *i + n);
    struct dsn_spool *before = m->spools;

    if (i)
        dsn__spools_of(spool, size, &m->spools, &m->memory);
    if (!i || m->spools == before)
        return 0;
    m->spools->next = before;
    m->spools->is_of_image = 1;
    i->pid = m->spools->who->family.pid;
    memcpy(i->path, image, n);
    i->next = m->images;
    m->images = i;
    return 1;
}

void dsn__members_remove(const struct dsn_members *m, int64_t pid, int others)
{
    for (const struct dsn_members_image *i = m->images; i; i = i->next)
        if ((i->pid == pid) != others)
            unlink(i->path);
}

void dsn__members_read(struct dsn_members *m, const char *directory, uint64_t key, int64_t host)
{
    char path[DSN_IMAGE_PATH_MAX + 64];
    struct dsn_spool **last = &m->spools;

    while (*last)
        last = &(*last)->next;
    dsn__image_path(path, sizeof path, directory, key, host, "spools");
    dsn__spools_read(path, last, &m->memory);
}
